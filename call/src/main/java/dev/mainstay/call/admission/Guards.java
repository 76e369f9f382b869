package dev.mainstay.call.admission;

import dev.mainstay.call.settings.InFlight;
import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.TargetId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is known of each target beyond one call: its breaker, the attempts under way at it, how fast
 * it answers. Kept over reloads that change nothing of their settings. Thread-safe.
 */
public final class Guards {
  /** A target's. */
  static final class Guard {
    final TargetId target;
    final Breaker breaker;
    final Slots slots;

    /** Smoothed time to the first token in nanoseconds; 0 while unknown. */
    volatile long firstToken;

    Guard(TargetId target, BreakerSettings breaker, InFlight inFlight) {
      this.target = target;
      this.breaker = new Breaker(breaker);
      slots = new Slots(inFlight);
    }

    private boolean forgettable() {
      return slots.busy() == 0 && breaker.snapshot(0).state() == Breaker.State.CLOSED;
    }

    /** Notes one first-token time; the last ten or so weigh. */
    void firstToken(long nanos) {
      long before = firstToken;
      firstToken = before == 0 ? nanos : before + (nanos - before) / 8;
    }
  }

  /** Targets that are remembered while nothing happens at them. */
  static final int MOST = 2_000;

  private final BreakerSettings breaker;
  private final InFlight inFlight;
  private final ConcurrentHashMap<TargetId, Guard> guards = new ConcurrentHashMap<>();

  public Guards(BreakerSettings breaker, InFlight inFlight) {
    this.breaker = breaker;
    this.inFlight = inFlight;
  }

  /**
   * The guards of the next generation: new ones that know nothing where the settings have changed,
   * else these.
   *
   * @param kept whether a provider, by name, is still the same; targets of another one under an old
   *     name begin anew
   */
  public Guards with(BreakerSettings newBreaker, InFlight newInFlight, Predicate<String> kept) {
    var next = new Guards(newBreaker, newInFlight);
    if (!newBreaker.equals(breaker) || !newInFlight.equals(inFlight)) {
      return next;
    }
    if (guards.keySet().stream().allMatch(target -> kept.test(target.provider()))) {
      return this;
    }
    guards.forEach(
        (target, guard) -> {
          if (kept.test(target.provider())) {
            next.guards.put(target, guard);
          }
        });
    return next;
  }

  Guard of(TargetId target) {
    var known = guards.get(target);
    if (known != null) {
      return known;
    }
    if (guards.size() >= MOST) {
      // Clients may name models that nobody has: what knows nothing that matters is forgotten.
      guards.values().removeIf(Guard::forgettable);
      // Where each of them has an open breaker, any that is not at work.
      guards.values().removeIf(guard -> guards.size() >= MOST && guard.slots.busy() == 0);
    }
    return guards.computeIfAbsent(target, id -> new Guard(id, breaker, inFlight));
  }

  /** Attempts under way at {@code target}. */
  public int busy(TargetId target) {
    return of(target).slots.busy();
  }

  /** Smoothed time to the first token at {@code target} in nanoseconds; 0 while unknown. */
  public long firstTokenNanos(TargetId target) {
    return of(target).firstToken;
  }

  /** The breaker of {@code target} opened at another gateway on the same store. */
  public void openedElsewhere(TargetId target, Duration open, String reason, long nowNanos) {
    of(target).breaker.openedElsewhere(open.toNanos(), reason, nowNanos);
  }

  /** Closes the breaker of {@code target}, for a person; false where no call has gone there. */
  public boolean reset(TargetId target) {
    var guard = guards.get(target);
    if (guard != null) {
      guard.breaker.reset();
    }
    return guard != null;
  }

  /** What is known of {@code target}; null where no call has gone there. */
  public @Nullable TargetState state(TargetId target, long nowNanos) {
    var guard = guards.get(target);
    return guard == null ? null : state(guard, nowNanos);
  }

  /** Every target that a call has gone to, by name. */
  public List<TargetState> states(long nowNanos) {
    return guards.values().stream()
        .sorted(Comparator.comparing(guard -> guard.target.toString()))
        .map(guard -> state(guard, nowNanos))
        .toList();
  }

  private static TargetState state(Guard guard, long nowNanos) {
    return new TargetState(guard.target, guard.breaker.snapshot(nowNanos), guard.slots.busy());
  }

  /** A target at one instant. */
  public record TargetState(TargetId target, Breaker.Snapshot breaker, int busy) {}
}
