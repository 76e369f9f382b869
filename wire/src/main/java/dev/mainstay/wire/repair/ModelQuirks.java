package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What targets taught about the requests they take, so that the same refusal is not paid for twice.
 * Thread-safe. Bounded: {@value #MAX_TARGETS} targets, the one unused for longest goes first, with
 * {@value #MAX_QUIRKS} quirks each. A quirk is forgotten a day after it was learned, since models
 * learn too.
 */
public final class ModelQuirks {
  static final int MAX_TARGETS = 1_000;
  static final int MAX_QUIRKS = 16;
  private static final long LIFETIME_NANOS = 24L * 60 * 60 * 1_000_000_000;

  private record Learned(Quirk quirk, long at) {}

  private final LongSupplier nanos;
  private final Map<String, List<Learned>> targets =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, List<Learned>> eldest) {
          return size() > MAX_TARGETS;
        }
      };

  /** Whether anything is known at all; keeps the usual case free of the lock. */
  private volatile boolean any;

  /**
   * @param nanos the time in ns, as {@link System#nanoTime} tells it
   */
  public ModelQuirks(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Remembers {@code quirk} for {@code target}; of two limits the one learned last.
   *
   * @param target {@code provider/model}
   */
  public void learn(String target, Quirk quirk) {
    var learned = new Learned(quirk, nanos.getAsLong());
    synchronized (targets) {
      var old = targets.getOrDefault(target, List.of());
      var now = new ArrayList<Learned>(old.size() + 1);
      for (var one : old) {
        if (!replaces(quirk, one.quirk)) {
          now.add(one);
        }
      }
      now.add(learned);
      targets.put(
          target, List.copyOf(now.subList(Math.max(0, now.size() - MAX_QUIRKS), now.size())));
      any = true;
    }
  }

  private static boolean replaces(Quirk now, Quirk old) {
    if (now instanceof Quirk.Renames renames && old instanceof Quirk.Renames before) {
      // The target was changed: the name it knew is now the one it does not.
      return renames.from().equals(before.from()) || renames.from().equals(before.to());
    }
    return now.equals(old) || now instanceof Quirk.MaxTokens && old instanceof Quirk.MaxTokens;
  }

  /** What is known of {@code target}, in the order in which it was learned. */
  public List<Quirk> of(String target) {
    if (!any) {
      return List.of();
    }
    long now = nanos.getAsLong();
    List<Learned> known;
    synchronized (targets) {
      known = targets.getOrDefault(target, List.of());
    }
    return known.stream().filter(one -> now - one.at < LIFETIME_NANOS).map(Learned::quirk).toList();
  }

  /**
   * {@code body} as {@code target} is known to take it; the very array where nothing is to be
   * changed. To be sent so from the first attempt on.
   */
  public byte[] apply(byte[] body, Dialect dialect, String target) {
    return applied(body, dialect, target, quirk -> true).body();
  }

  /**
   * The same, with what the client asked for and does not get, by the names of parameters.
   *
   * @param allowed whether a quirk may be heeded here; a refusal is paid for again where not
   */
  @SuppressWarnings("ReferenceEquality") // untouched, so nothing was lost
  public Applied applied(byte[] body, Dialect dialect, String target, Predicate<Quirk> allowed) {
    var changed = body;
    Set<String> lost = Set.of();
    for (var quirk : of(target)) {
      if (!allowed.test(quirk)) {
        continue;
      }
      var before = changed;
      changed = Quirks.apply(quirk, dialect, before);
      if (changed != before && !quirk.loses().isEmpty()) {
        lost = new TreeSet<>(lost);
        lost.addAll(quirk.loses());
      }
    }
    return new Applied(changed, lost);
  }

  /** A request as its target is known to take it. */
  @SuppressWarnings("ArrayRecordComponent") // bodies are not changed by anyone
  public record Applied(byte[] body, Set<String> lost) {}
}
