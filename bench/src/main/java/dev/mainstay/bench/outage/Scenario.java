package dev.mainstay.bench.outage;

/**
 * What happens in one simulation. All times in seconds.
 *
 * @param name names it in the picture
 * @param clients people or programs who ask, wait for the answer or the error, and think
 * @param think mean pause between an answer and the next question, exponentially distributed
 * @param fullCapacity answers a second that the provider can give
 * @param latency mean time of an answer
 * @param attemptTimeout after which a sender takes an attempt for lost
 * @param longestQueue requests that would wait longer than this are refused
 * @param patience an answer later than this after the question is of no use
 * @param downFrom when the outage begins
 * @param downUntil when it ends; capacity then climbs from a third to full in {@code warmUp}
 * @param warmUp how long the provider takes to reach its full capacity again
 * @param end when the simulation ends
 */
record Scenario(
    String name,
    int clients,
    double think,
    double fullCapacity,
    double latency,
    double attemptTimeout,
    double longestQueue,
    double patience,
    double downFrom,
    double downUntil,
    double warmUp,
    double end) {

  /** 10,000 clients at three quarters of the capacity; one minute of outage; refuses early. */
  static Scenario refusesEarly() {
    return standard("A provider that refuses early", 4.0);
  }

  /** The same, but requests may queue for longer than their senders wait. */
  static Scenario queuesLong() {
    return standard("A provider that queues longer than its clients wait", 8.0);
  }

  private static Scenario standard(String name, double longestQueue) {
    return new Scenario(name, 10_000, 19, 660, 1.0, 6.0, longestQueue, 60, 60, 120, 30, 360);
  }

  boolean isDown(double now) {
    return now >= downFrom && now < downUntil;
  }

  double capacity(double now) {
    if (now < downUntil || now >= downUntil + warmUp) {
      return fullCapacity;
    }
    return fullCapacity * (1 + 2 * (now - downUntil) / warmUp) / 3;
  }
}
