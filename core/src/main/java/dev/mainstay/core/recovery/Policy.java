package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Repair;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * How much is done for one call, and for what. Immutable; a policy that contradicts itself is
 * refused with an {@link InvalidPolicyException}. Timeouts, breakers and the retry budget are the
 * owner's.
 *
 * @param maxAttempts upstream requests for one call, over all recoveries together; at least 1,
 *     default 5
 * @param deadline from the call's start, for all attempts and waits up to the first byte, and for
 *     every new attempt after it; default 9 min 30 s
 * @param midStream default {@link MidStream#CONTINUE}
 * @param repairs default all but {@link RepairOption#TRIM_CONTEXT} and {@link
 *     RepairOption#REFRESH_CREDENTIALS}
 * @param contentFilterFallback whether the next target is asked where one refused for its content;
 *     default false
 */
public record Policy(
    int maxAttempts,
    Duration deadline,
    Retry retry,
    Fallback fallback,
    MidStream midStream,
    Set<RepairOption> repairs,
    boolean contentFilterFallback,
    Bounds bounds) {

  private static final Policy DEFAULTS =
      new Policy(
          5,
          Duration.ofMinutes(9).plusSeconds(30),
          Retry.defaults(),
          Fallback.defaults(),
          MidStream.CONTINUE,
          EnumSet.complementOf(
              EnumSet.of(RepairOption.TRIM_CONTEXT, RepairOption.REFRESH_CREDENTIALS)),
          false,
          Bounds.defaults());

  public Policy {
    Checks.atLeast("max-attempts", maxAttempts, 1);
    Checks.positive("deadline", deadline);
    Objects.requireNonNull(retry, "retry");
    Objects.requireNonNull(fallback, "fallback");
    Objects.requireNonNull(midStream, "mid-stream");
    Objects.requireNonNull(bounds, "bounds");
    var copy = EnumSet.noneOf(RepairOption.class);
    copy.addAll(repairs);
    repairs = Collections.unmodifiableSet(copy);
    if (retry.initialDelay().compareTo(deadline) >= 0) {
      throw new InvalidPolicyException(
          "retry.initial-delay",
          "%s is not within the deadline of %s"
              .formatted(
                  InvalidPolicyException.text(retry.initialDelay()),
                  InvalidPolicyException.text(deadline)));
    }
  }

  public static Policy defaults() {
    return DEFAULTS;
  }

  /**
   * This policy, if it can serve {@code route}.
   *
   * @throws InvalidPolicyException where it has fewer attempts than the route has targets
   */
  public Policy checkedFor(Route route) {
    if (fallback.on() != FallbackOn.OFF && maxAttempts < route.size()) {
      throw new InvalidPolicyException(
          "max-attempts",
          maxAttempts
              + " is fewer than the "
              + route.size()
              + " targets, so the last could never be asked");
    }
    return this;
  }

  /** Whether the policy lets the request, the client or the answer be changed like this. */
  public boolean allows(Repair repair) {
    if (repair == Repair.REFRESH_CLIENT) {
      return true;
    }
    for (var option : repairs) {
      if (option.repair() == repair) {
        return true;
      }
    }
    return false;
  }

  public Policy withMaxAttempts(int value) {
    return new Policy(
        value, deadline, retry, fallback, midStream, repairs, contentFilterFallback, bounds);
  }

  public Policy withDeadline(Duration value) {
    return new Policy(
        maxAttempts, value, retry, fallback, midStream, repairs, contentFilterFallback, bounds);
  }

  public Policy withRetry(Retry value) {
    return new Policy(
        maxAttempts, deadline, value, fallback, midStream, repairs, contentFilterFallback, bounds);
  }

  public Policy withFallback(FallbackOn on) {
    return new Policy(
        maxAttempts,
        deadline,
        retry,
        new Fallback(on),
        midStream,
        repairs,
        contentFilterFallback,
        bounds);
  }

  public Policy withMidStream(MidStream value) {
    return new Policy(
        maxAttempts, deadline, retry, fallback, value, repairs, contentFilterFallback, bounds);
  }

  public Policy withRepairs(Set<RepairOption> value) {
    return new Policy(
        maxAttempts, deadline, retry, fallback, midStream, value, contentFilterFallback, bounds);
  }

  public Policy withContentFilterFallback(boolean value) {
    return new Policy(maxAttempts, deadline, retry, fallback, midStream, repairs, value, bounds);
  }

  public Policy withBounds(Bounds value) {
    return new Policy(
        maxAttempts, deadline, retry, fallback, midStream, repairs, contentFilterFallback, value);
  }

  /**
   * When the same target is asked again.
   *
   * @param on default {@link RetryOn#TRANSIENT}
   * @param maxPerTarget attempts, not retries, at one target; at least 1, default 3
   * @param initialDelay the longest wait before the second attempt at a target; default 500 ms
   * @param factor by which the longest wait grows with each further attempt; at least 1, default 2
   * @param maxDelay beyond which it does not grow; at least {@code initialDelay}, default 30 s
   * @param jitter whether the wait is drawn evenly from 0 to the longest (full jitter: M. Brooker,
   *     "Exponential Backoff And Jitter", AWS Architecture Blog, 2015); default true
   * @param patience a longer wait goes to the next available target at once; default 2 s
   * @param maxRetryAfter a longer wait that the provider asks for is not begun; default 60 s
   */
  public record Retry(
      RetryOn on,
      int maxPerTarget,
      Duration initialDelay,
      double factor,
      Duration maxDelay,
      boolean jitter,
      Duration patience,
      Duration maxRetryAfter) {

    private static final Retry DEFAULTS =
        new Retry(
            RetryOn.TRANSIENT,
            3,
            Duration.ofMillis(500),
            2.0,
            Duration.ofSeconds(30),
            true,
            Duration.ofSeconds(2),
            Duration.ofSeconds(60));

    public Retry {
      Objects.requireNonNull(on, "retry.on");
      Checks.atLeast("retry.max-per-target", maxPerTarget, 1);
      Checks.notNegative("retry.initial-delay", initialDelay);
      Checks.atLeast("retry.factor", factor, 1.0);
      Checks.notNegative("retry.max-delay", maxDelay);
      Checks.notNegative("retry.patience", patience);
      Checks.notNegative("retry.max-retry-after", maxRetryAfter);
      if (maxDelay.compareTo(initialDelay) < 0) {
        throw new InvalidPolicyException(
            "retry.max-delay",
            "%s is shorter than the initial-delay of %s"
                .formatted(
                    InvalidPolicyException.text(maxDelay),
                    InvalidPolicyException.text(initialDelay)));
      }
    }

    public static Retry defaults() {
      return DEFAULTS;
    }

    public Retry withOn(RetryOn value) {
      return new Retry(
          value, maxPerTarget, initialDelay, factor, maxDelay, jitter, patience, maxRetryAfter);
    }

    public Retry withMaxPerTarget(int value) {
      return new Retry(on, value, initialDelay, factor, maxDelay, jitter, patience, maxRetryAfter);
    }

    /** The waits: from {@code initial}, growing by {@code by}, up to {@code max}. */
    public Retry withDelays(Duration initial, double by, Duration max) {
      return new Retry(on, maxPerTarget, initial, by, max, jitter, patience, maxRetryAfter);
    }

    public Retry withJitter(boolean value) {
      return new Retry(
          on, maxPerTarget, initialDelay, factor, maxDelay, value, patience, maxRetryAfter);
    }

    public Retry withPatience(Duration value) {
      return new Retry(
          on, maxPerTarget, initialDelay, factor, maxDelay, jitter, value, maxRetryAfter);
    }

    public Retry withMaxRetryAfter(Duration value) {
      return new Retry(on, maxPerTarget, initialDelay, factor, maxDelay, jitter, patience, value);
    }
  }

  /**
   * When the next target is asked.
   *
   * @param on default {@link FallbackOn#CONTEXT}
   */
  public record Fallback(FallbackOn on) {
    public Fallback {
      Objects.requireNonNull(on, "fallback.on");
    }

    public static Fallback defaults() {
      return new Fallback(FallbackOn.CONTEXT);
    }
  }

  /**
   * How often each kind of recovery may happen in one call; no other path resets them.
   *
   * @param streamRestarts new attempts after a stream broke, restarted or continued; default 3
   * @param repairsEach each repair without a bound of its own; default 2
   * @param imageStrips {@link Repair#STRIP_IMAGES}; default 3
   * @param compactions {@link Repair#TRIM_CONTEXT}; default 2
   * @param clientRefreshes {@link Repair#REFRESH_CLIENT}; default 1
   * @param refusals how often one target may refuse before the call leaves it; at least 1, default
   *     3
   */
  public record Bounds(
      int streamRestarts,
      int repairsEach,
      int imageStrips,
      int compactions,
      int clientRefreshes,
      int refusals) {

    private static final Bounds DEFAULTS = new Bounds(3, 2, 3, 2, 1, 3);

    public Bounds {
      Checks.atLeast("bounds.stream-restarts", streamRestarts, 0);
      Checks.atLeast("bounds.repairs-each", repairsEach, 0);
      Checks.atLeast("bounds.image-strips", imageStrips, 0);
      Checks.atLeast("bounds.compactions", compactions, 0);
      Checks.atLeast("bounds.client-refreshes", clientRefreshes, 0);
      Checks.atLeast("bounds.refusals", refusals, 1);
    }

    public static Bounds defaults() {
      return DEFAULTS;
    }

    /** How often {@code repair} may be tried in one call. */
    public int of(Repair repair) {
      return switch (repair) {
        case STRIP_IMAGES -> imageStrips;
        case TRIM_CONTEXT -> compactions;
        case REFRESH_CLIENT -> clientRefreshes;
        case FIX_TOOL_HISTORY,
            DROP_PARAMETER,
            LOWER_MAX_TOKENS,
            SELF_CORRECT,
            REFRESH_CREDENTIALS ->
            repairsEach;
      };
    }
  }
}
