package dev.mainstay.bench.outage;

import java.util.SplittableRandom;

/**
 * A provider as one work queue. An answer costs one unit of work, a refusal {@link #REFUSAL_COST}:
 * turning requests away is cheap but not free, which is what lets a storm of retries hold a service
 * down after its cause has gone (Bronson et al., "Metastable Failures in Distributed Systems",
 * HotOS 2021). Work for a client that has stopped waiting is done all the same.
 */
final class Provider {
  /** What refusing a request costs, as a share of answering it. */
  static final double REFUSAL_COST = 0.1;

  private final Scenario scenario;
  private final SplittableRandom random;
  private double busyUntil;

  Provider(Scenario scenario, SplittableRandom random) {
    this.scenario = scenario;
    this.random = random;
  }

  /** What became of a request, and when the sender learns of it, in seconds of simulated time. */
  record Reply(boolean answered, double at) {}

  Reply receive(double now) {
    if (scenario.isDown(now)) {
      return new Reply(false, now + 0.02);
    }
    double unit = 1 / scenario.capacity(now);
    double start = Math.max(now, busyUntil);
    if (start - now > scenario.capacity().longestQueue()) {
      busyUntil = start + REFUSAL_COST * unit;
      return new Reply(false, now + 0.05);
    }
    busyUntil = start + unit;
    return new Reply(true, start + scenario.capacity().latency() * (0.5 + random.nextDouble()));
  }
}
