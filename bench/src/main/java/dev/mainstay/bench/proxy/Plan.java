package dev.mainstay.bench.proxy;

/**
 * How long each part takes.
 *
 * @param mostWarm seconds after which a proxy is measured even if it has not come to rest; below
 *     two windows it is not waited for at all
 * @param measure seconds of each measurement
 * @param starts how often the start is timed
 */
record Plan(String option, double mostWarm, double measure, int starts) {
  /** Seconds of one window of those in which a proxy comes to rest. */
  static final double WINDOW = 5;

  /** Two windows in a row whose CPU an answer differs by less than this are rest. */
  static final double REST = 0.05;

  /** Every proxy at rest: under 12 minutes. */
  static final Plan STEADY = new Plan("", 60, 5, 5);

  /** What a gateway does that was started a minute ago: under 4 minutes. */
  static final Plan QUICK = new Plan(" --quick", WINDOW, 2.5, 5);
}
