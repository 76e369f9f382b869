package dev.mainstay.bench.proxy;

import java.io.IOException;

/** A measurement with the CPU that the process used for it, for one answer. */
record Measured(Load.Result result, double cpuMicros) {

  /**
   * Loads a process.
   *
   * @param rate requests a second, or 0 for as many as it answers
   */
  static Measured of(Proc proc, Load load, double seconds, double rate) throws IOException {
    double before = proc.cpuSeconds();
    var result = rate == 0 ? load.closed(seconds) : load.open(seconds, rate);
    double used = proc.cpuSeconds() - before;
    return new Measured(result, used * 1e6 / Math.max(1, result.answered()));
  }

  /** Microseconds that {@code share} of all answers stayed within. */
  double p(double share) {
    return result.total().micros(share);
  }

  /** Notes in {@code report} what was no answer, of which there should be nothing. */
  Measured noting(Report report, String name) {
    if (result.failed() > 0) {
      report.line("");
      report.line(
          "**%s failed %d of %d requests in the measurement that follows.**",
          name, result.failed(), result.failed() + result.answered());
    }
    return this;
  }
}
