package dev.mainstay.core.recovery;

import java.util.random.RandomGenerator;

/** How long to pause before the same target is asked again. */
final class Backoff {
  private Backoff() {}

  /**
   * Full jitter below the cap of this attempt; never less than what was asked for.
   *
   * @param sent how often the target was sent the request as it is, the failed attempt included
   * @param asked nanoseconds that the provider asked to wait, 0 where it did not
   */
  static long nanos(Policy.Retry retry, RandomGenerator random, int sent, long asked) {
    double grown = Nanos.of(retry.initialDelay()) * Math.pow(retry.factor(), Math.max(0, sent - 1));
    long cap = (long) Math.min(grown, Nanos.of(retry.maxDelay()));
    long own = retry.jitter() ? (long) (random.nextDouble() * cap) : cap;
    if (asked == 0 || own > asked) {
      return own;
    }
    // Those who were told the same wait should not all come back at the same instant.
    return retry.jitter()
        ? asked + (long) (random.nextDouble() * Math.min(asked / 10, cap))
        : asked;
  }
}
