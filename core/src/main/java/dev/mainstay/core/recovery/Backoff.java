package dev.mainstay.core.recovery;

import java.util.random.RandomGenerator;

/** How long to pause before the same target is asked again. */
final class Backoff {
  private Backoff() {}

  /**
   * Full jitter below the longest wait of this attempt.
   *
   * @param sent how often the target was sent the request as it is, the failed attempt included
   */
  static long nanos(Policy.Retry retry, RandomGenerator random, int sent) {
    long longest = longest(retry, sent);
    return retry.jitter() ? (long) (random.nextDouble() * longest) : longest;
  }

  private static long longest(Policy.Retry retry, int sent) {
    double grown = Nanos.of(retry.initialDelay()) * Math.pow(retry.factor(), Math.max(0, sent - 1));
    return (long) Math.min(grown, Nanos.of(retry.maxDelay()));
  }

  /**
   * The pause where the provider asked for {@code asked} nanoseconds (0: it did not): never less,
   * and spread, since those who were told the same wait should not all come back at once.
   *
   * @param own what {@link #nanos} drew
   */
  static long spread(Policy.Retry retry, RandomGenerator random, int sent, long own, long asked) {
    if (asked == 0 || own > asked) {
      return own;
    }
    return retry.jitter()
        ? asked + (long) (random.nextDouble() * Math.min(asked / 10, longest(retry, sent)))
        : asked;
  }
}
