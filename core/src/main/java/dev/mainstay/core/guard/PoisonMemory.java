package dev.mainstay.core.guard;

import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Remembers requests that fail for good, so that one that is sent again and again is answered
 * without asking a provider. Thread-safe; reads no clock; holds no more bytes than it is given.
 *
 * <p>After {@code threshold} identical permanent failures of one client's same body within {@code
 * within}, {@link #answer} gives the last of them back until the cool-down ends. Then one more
 * request goes through; if it fails alike, the next cool-down is twice as long, up to {@link
 * #MAX_COOL_DOWN}; where it comes only later than that, it is a new case. Another body is another
 * key, and a success forgets.
 *
 * @param <E> the evidence that answers the client: the failure, or the reply as it was sent
 */
public final class PoisonMemory<E> {
  /** The longest cool-down: a person who mended the account should not have to wait longer. */
  public static final Duration MAX_COOL_DOWN = Duration.ofMinutes(10);

  /** Bytes of a case beside its evidence: key, digest, map entry. */
  private static final long CASE = 512;

  /**
   * Whose request it is.
   *
   * @param client the client's name, or empty where there is none
   * @param bodyDigest a digest of everything that decides the answer: path, model and body
   */
  public record Key(String client, String bodyDigest) {}

  private static final class Case<E> {
    final String label;
    @Nullable E evidence;
    long bytes;
    int count;
    long since;
    long coolDown;
    long until;
    boolean poison;

    Case(String label, long since) {
      this.label = label;
      this.since = since;
    }
  }

  private final int threshold;
  private final long within;
  private final long coolDown;
  private final ToLongFunction<E> weight;
  private final LongPredicate room;
  private final Map<Key, Case<E>> cases = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;
  private volatile boolean empty = true;

  /**
   * @param threshold at least 1, default 3
   * @param within default 1 minute
   * @param coolDown at first; default 1 minute
   * @param weight the bytes of a piece of evidence
   * @param room told how many bytes are to be held in all, and whether there is room for them;
   *     called under this memory's lock. The least recently used are forgotten until there is.
   */
  public PoisonMemory(
      int threshold,
      Duration within,
      Duration coolDown,
      ToLongFunction<E> weight,
      LongPredicate room) {
    if (threshold < 1) {
      throw new IllegalArgumentException("threshold is " + threshold + ", less than 1");
    }
    positive("within", within);
    positive("coolDown", coolDown);
    if (coolDown.compareTo(MAX_COOL_DOWN) > 0) {
      throw new IllegalArgumentException(
          "coolDown is " + coolDown + ", longer than " + MAX_COOL_DOWN);
    }
    this.threshold = threshold;
    this.within = within.toNanos();
    this.coolDown = coolDown.toNanos();
    this.weight = weight;
    this.room = room;
  }

  private static void positive(String what, Duration value) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException(what + " is " + value + ", not longer than 0");
    }
  }

  /** 3 within a minute, a cool-down of a minute. */
  public PoisonMemory(ToLongFunction<E> weight, LongPredicate room) {
    this(3, Duration.ofMinutes(1), Duration.ofMinutes(1), weight, room);
  }

  /** Whether the same request would fail again for ever. */
  public static boolean isPermanent(Verdict verdict) {
    return verdict.kind() != Kind.CANCELLED
        && verdict.failureClass() != FailureClass.TRANSIENT
        && !verdict.retrySame();
  }

  /** Whether nothing at all is remembered: then no digest need be made. */
  public boolean isEmpty() {
    return empty;
  }

  /** What answers this request without a provider, or null where it is to be sent. */
  public @Nullable E answer(Key key, long nowNanos) {
    if (empty) {
      return null;
    }
    synchronized (cases) {
      var known = cases.get(key);
      return known != null && known.poison && nowNanos - known.until < 0 ? known.evidence : null;
    }
  }

  /** When the cool-down of this request ends, or null where it is not answered from memory. */
  public @Nullable Long until(Key key, long nowNanos) {
    synchronized (cases) {
      var known = cases.get(key);
      return known != null && known.poison && nowNanos - known.until < 0 ? known.until : null;
    }
  }

  /**
   * The request ended in a failure.
   *
   * @return whether it is answered from memory from now on
   */
  public boolean failed(Key key, Verdict verdict, E evidence, long nowNanos) {
    Objects.requireNonNull(evidence, "evidence");
    if (!isPermanent(verdict)) {
      return false;
    }
    String label = verdict.label() + " " + verdict.rule();
    synchronized (cases) {
      var known = cases.get(key);
      if (known == null
          || !known.label.equals(label)
          || (known.poison
              ? nowNanos - known.until > MAX_COOL_DOWN.toNanos()
              : nowNanos - known.since > within)) {
        known = new Case<>(label, nowNanos);
      }
      forget(key);
      if (!remember(key, known, evidence)) {
        return false;
      }
      if (known.poison && nowNanos - known.until < 0) {
        return true; // one that was under way when the memory learned of it
      }
      known.count++;
      if (known.count < threshold) {
        return false;
      }
      known.coolDown =
          known.poison ? Math.min(known.coolDown * 2, MAX_COOL_DOWN.toNanos()) : coolDown;
      known.poison = true;
      known.until = nowNanos + known.coolDown;
      return true;
    }
  }

  /** The request succeeded after all. */
  public void succeeded(Key key) {
    if (empty) {
      return;
    }
    synchronized (cases) {
      forget(key);
      weigh();
    }
  }

  /** Forgets the least recently used until so many bytes are free; says how many are. */
  public long evict(long atLeast) {
    synchronized (cases) {
      long before = bytes;
      while (before - bytes < atLeast && forgetEldest()) {}
      weigh();
      return before - bytes;
    }
  }

  /** Forgets everything. */
  public void clear() {
    evict(Long.MAX_VALUE);
  }

  /** Tells the room what is held now, which is less than before and always fits. */
  @SuppressWarnings("ReturnValueIgnored")
  private void weigh() {
    room.test(bytes);
  }

  /** False where it finds no room even alone: then nothing is remembered of it. */
  private boolean remember(Key key, Case<E> known, E evidence) {
    known.evidence = evidence;
    known.bytes = CASE + weight.applyAsLong(evidence);
    while (!room.test(bytes + known.bytes)) {
      if (!forgetEldest()) {
        weigh();
        return false;
      }
    }
    bytes += known.bytes;
    cases.put(key, known);
    empty = false;
    return true;
  }

  private boolean forgetEldest() {
    var eldest = cases.keySet().iterator();
    if (!eldest.hasNext()) {
      return false;
    }
    forget(eldest.next());
    return true;
  }

  private void forget(Key key) {
    var known = cases.remove(key);
    bytes -= known == null ? 0 : known.bytes;
    empty = cases.isEmpty();
  }

  /** How many requests are remembered. */
  public int size() {
    synchronized (cases) {
      return cases.size();
    }
  }
}
