package dev.mainstay.core.recovery;

import java.time.Duration;
import java.util.Locale;

/**
 * Policies that other systems use, for those who come from them. Each says how many upstream
 * requests one call can cost at most, whatever goes wrong.
 */
public enum Preset {
  /** Mainstay's own: up to 5 attempts, 500 ms to 30 s, fallback up to another model's context. */
  MAINSTAY(Policy.defaults(), "5 attempts, 3 at one target, 500 ms doubling to 30 s"),
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
      "5 retries, 2 s doubling to 90 s");

  private final Policy policy;
  private final String summary;
  private final String configName = name().toLowerCase(Locale.ROOT).replace('_', '-');

  Preset(Policy policy, String summary) {
    this.policy = policy;
    this.summary = summary;
  }

  private static Policy retrying(int attempts, Duration initial, Duration max) {
    var defaults = Policy.defaults();
    return defaults
        .withMaxAttempts(attempts)
        .withRetry(
            defaults
                .retry()
                .withMaxPerTarget(attempts)
                .withDelays(initial, 2.0, max)
                .withMaxRetryAfter(
                    max.compareTo(defaults.retry().maxRetryAfter()) > 0
                        ? max
                        : defaults.retry().maxRetryAfter()));
  }

  public Policy policy() {
    return policy;
  }

  /** Upstream requests for one call, at most: the policy's max-attempts, which nothing exceeds. */
  public int maxUpstreamRequests() {
    return policy.maxAttempts();
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
