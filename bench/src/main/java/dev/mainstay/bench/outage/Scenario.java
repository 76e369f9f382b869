package dev.mainstay.bench.outage;

/**
 * What happens in one simulation. All times in seconds.
 *
 * @param name names it in the picture
 * @param end when the simulation ends
 */
record Scenario(String name, Clients clients, Capacity capacity, Outage outage, double end) {

  /**
   * Those who send requests.
   *
   * @param count people or programs who ask, wait for the answer or the error, and think
   * @param think mean pause between an answer and the next question, exponentially distributed
   * @param attemptTimeout after which a sender takes an attempt for lost
   * @param patience an answer later than this after the question is of no use
   */
  record Clients(int count, double think, double attemptTimeout, double patience) {}

  /**
   * What the provider can do.
   *
   * @param full answers a second that it can give
   * @param latency mean time of an answer
   * @param longestQueue requests that would wait longer than this are refused
   */
  record Capacity(double full, double latency, double longestQueue) {}

  /**
   * When the provider is down.
   *
   * @param from when the outage begins
   * @param until when it ends; capacity then climbs from a third to full in {@code warmUp}
   * @param warmUp how long the provider takes to reach its full capacity again
   */
  record Outage(double from, double until, double warmUp) {}

  /** 10,000 clients at three quarters of the capacity; one minute of outage; refuses early. */
  static Scenario refusesEarly() {
    return standard("A provider that refuses early", 4.0);
  }

  /** The same, but requests may queue for longer than their senders wait. */
  static Scenario queuesLong() {
    return standard("A provider that queues longer than its clients wait", 8.0);
  }

  private static Scenario standard(String name, double longestQueue) {
    return new Scenario(
        name,
        new Clients(10_000, 19, 6.0, 60),
        new Capacity(660, 1.0, longestQueue),
        new Outage(60, 120, 30),
        360);
  }

  boolean isDown(double now) {
    return now >= outage.from && now < outage.until;
  }

  /** Answers a second that the provider can give at this time. */
  double capacity(double now) {
    double up = now - outage.until;
    if (up < 0 || up >= outage.warmUp) {
      return capacity.full;
    }
    return capacity.full * (1 + 2 * up / outage.warmUp) / 3;
  }
}
