package dev.mainstay.core.guard;

import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Remembers requests that fail for good, so that one that is sent again and again is answered
 * without asking a provider. Thread-safe; reads no clock; never holds more than its capacity.
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

  /**
   * Whose request it is.
   *
   * @param client the client's name, or empty where there is none
   * @param bodyDigest a digest of everything that decides the answer: path, model and body
   */
  public record Key(String client, String bodyDigest) {}

  private static final class Case<E> {
    final String label;
    E evidence;
    int count;
    long since;
    long coolDown;
    long until;
    boolean poison;

    Case(String label, E evidence, long since) {
      this.label = label;
      this.evidence = evidence;
      this.since = since;
    }
  }

  private final int threshold;
  private final long within;
  private final long coolDown;
  private final int capacity;
  private final Map<Key, Case<E>> cases = new LinkedHashMap<>(16, 0.75f, true);
  private volatile boolean empty = true;

  /**
   * @param threshold at least 1, default 3
   * @param within default 1 minute
   * @param coolDown at first; default 1 minute
   * @param capacity how many requests are remembered, the least recently used are forgotten first;
   *     at least 1, default 10,000
   */
  public PoisonMemory(int threshold, Duration within, Duration coolDown, int capacity) {
    BreakerSettings.atLeastOne("poison.threshold", threshold);
    BreakerSettings.atLeastOne("poison.capacity", capacity);
    BreakerSettings.positive("poison.within", within);
    BreakerSettings.positive("poison.cool-down", coolDown);
    if (coolDown.compareTo(MAX_COOL_DOWN) > 0) {
      throw new InvalidPolicyException(
          "poison.cool-down", coolDown + " is longer than " + MAX_COOL_DOWN);
    }
    this.threshold = threshold;
    this.within = within.toNanos();
    this.coolDown = coolDown.toNanos();
    this.capacity = capacity;
  }

  /** 3 within a minute, a cool-down of a minute, 10,000 requests. */
  public PoisonMemory() {
    this(3, Duration.ofMinutes(1), Duration.ofMinutes(1), 10_000);
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
        known = new Case<>(label, evidence, nowNanos);
        cases.put(key, known);
        if (cases.size() > capacity) {
          var eldest = cases.entrySet().iterator();
          eldest.next();
          eldest.remove();
        }
        empty = false;
      }
      known.evidence = evidence;
      if (known.poison && nowNanos - known.until < 0) {
        return true; // one that was under way when the memory learnt of it
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
      cases.remove(key);
      empty = cases.isEmpty();
    }
  }

  /** How many requests are remembered. */
  public int size() {
    synchronized (cases) {
      return cases.size();
    }
  }
}
