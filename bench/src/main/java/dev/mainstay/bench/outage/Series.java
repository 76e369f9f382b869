package dev.mainstay.bench.outage;

/** What one simulation showed, in whole seconds of simulated time. */
final class Series {
  /** Recovered: the mean of this many seconds is back to {@link #RECOVERED} of the normal rate. */
  private static final int WINDOW = 10;

  private static final double RECOVERED = 0.95;

  private final String name;
  private final int[] asked;
  private final int[] load;
  private final int[] useful;
  private final int[] gaveUp;

  Series(String name, int seconds) {
    this.name = name;
    this.asked = new int[seconds];
    this.load = new int[seconds];
    this.useful = new int[seconds];
    this.gaveUp = new int[seconds];
  }

  void asked(double now) {
    count(asked, now);
  }

  void load(double now) {
    count(load, now);
  }

  void useful(double now) {
    count(useful, now);
  }

  void gaveUp(double now) {
    count(gaveUp, now);
  }

  private static void count(int[] seconds, double now) {
    if (now < seconds.length) {
      seconds[(int) now]++;
    }
  }

  String name() {
    return name;
  }

  int seconds() {
    return load.length;
  }

  /** Requests that reached the provider in that second. */
  int loadAt(int second) {
    return load[second];
  }

  /** Answers that came in time in that second. */
  int usefulAt(int second) {
    return useful[second];
  }

  /** Questions asked in that second. */
  int askedAt(int second) {
    return asked[second];
  }

  /** The highest load in {@code [from, until)}, as the mean of any {@code window} seconds. */
  double peakLoad(int from, int until, int window) {
    double peak = 0;
    for (int end = from + window; end <= until; end++) {
      peak = Math.max(peak, mean(load, end - window, end));
    }
    return peak;
  }

  double meanLoad(int from, int until) {
    return mean(load, from, until);
  }

  double meanUseful(int from, int until) {
    return mean(useful, from, until);
  }

  double meanAsked(int from, int until) {
    return mean(asked, from, until);
  }

  int failed() {
    int sum = 0;
    for (int n : gaveUp) {
      sum += n;
    }
    return sum;
  }

  int answered() {
    int sum = 0;
    for (int n : useful) {
      sum += n;
    }
    return sum;
  }

  int totalLoad() {
    int sum = 0;
    for (int n : load) {
      sum += n;
    }
    return sum;
  }

  /** Seconds from {@code end} of the outage until useful answers are back to normal, or -1. */
  int timeToRecover(int before, int end) {
    double normal = meanUseful(before / 2, before);
    for (int second = end; second + WINDOW <= seconds(); second++) {
      if (mean(useful, second, second + WINDOW) >= RECOVERED * normal) {
        return second - end;
      }
    }
    return -1;
  }

  private static double mean(int[] values, int from, int until) {
    double sum = 0;
    for (int i = from; i < until; i++) {
      sum += values[i];
    }
    return sum / Math.max(1, until - from);
  }
}
