package dev.mainstay.core.recovery;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Names for values of a policy, some of them those that other systems use. Each says how many
 * upstream requests one call can cost at most, whatever goes wrong. One that names a number of
 * attempts makes as many at one target, time-outs included.
 */
public enum Preset {
  /** Mainstay's own: up to 5 attempts, 500 ms to 30 s, fallback up to another model's context. */
  STANDARD(UnaryOperator.identity(), "5 attempts, 3 at one target, 500 ms doubling to 30 s"),
  /** 3 attempts, 1 s doubling to 60 s: the usual exponential backoff of agent frameworks. */
  THREE_ATTEMPTS(
      retrying(3, Duration.ofSeconds(1), Duration.ofSeconds(60)),
      "3 attempts, 1 s doubling to 60 s"),
  /** 3 retries after the first attempt, 1 s, 2 s and 4 s. */
  THREE_RETRIES(
      retrying(4, Duration.ofSeconds(1), Duration.ofSeconds(4)), "3 retries, 1 s doubling"),
  /** 3 restarts after the first attempt, without a pause. */
  THREE_RESTARTS(
      retrying(4, Duration.ZERO, Duration.ZERO), "3 restarts of a failed attempt, at once"),
  /** 5 retries after the first attempt, 2 s doubling to 90 s. */
  FIVE_RETRIES(
      retrying(6, Duration.ofSeconds(2), Duration.ofSeconds(90)),
      "5 retries, 2 s doubling to 90 s"),
  /** For work that may take its time: 10 attempts, 2 s doubling to 2 min, within 30 min. */
  PATIENT(
      policy ->
          retrying(10, Duration.ofSeconds(2), Duration.ofMinutes(2))
              .apply(policy)
              .withDeadline(Duration.ofMinutes(30)),
      "10 attempts, 2 s doubling to 2 min, within 30 min"),
  /** One attempt, and its failure as it came. */
  OFF(
      policy ->
          policy
              .withMaxAttempts(1)
              .withRetry(policy.retry().withOn(RetryOn.OFF))
              .withFallback(FallbackOn.OFF)
              .withMidStream(MidStream.ERROR)
              .withRepairs(EnumSet.noneOf(RepairOption.class)),
      "1 attempt, no repair, no fallback");

  private final UnaryOperator<Policy> change;
  private final String summary;
  private final String configName = name().toLowerCase(Locale.ROOT).replace('_', '-');

  Preset(UnaryOperator<Policy> change, String summary) {
    this.change = change;
    this.summary = summary;
  }

  private static UnaryOperator<Policy> retrying(int attempts, Duration initial, Duration max) {
    return policy ->
        policy
            .withMaxAttempts(attempts)
            .withRetry(
                policy
                    .retry()
                    .withMaxPerTarget(attempts)
                    .withDelays(initial, 2.0, max)
                    .withMaxRetryAfter(
                        max.compareTo(policy.retry().maxRetryAfter()) > 0
                            ? max
                            : policy.retry().maxRetryAfter()))
            .withBounds(policy.bounds().withAfterTimeout(attempts));
  }

  /** {@code base} with the values that this preset names. */
  public Policy applyTo(Policy base) {
    return change.apply(base);
  }

  /** The defaults with the values that this preset names. */
  public Policy policy() {
    return applyTo(Policy.defaults());
  }

  /** Upstream requests for one call, at most: the policy's max-attempts, which nothing exceeds. */
  public int maxUpstreamRequests() {
    return policy().maxAttempts();
  }

  /** The name in settings, for example {@code three-attempts}. */
  public String configName() {
    return configName;
  }

  /** What it does and what it can cost, in words. */
  public String summary() {
    return summary + "; at most " + maxUpstreamRequests() + " upstream requests for one call";
  }
}
