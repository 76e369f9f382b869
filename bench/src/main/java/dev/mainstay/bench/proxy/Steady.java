package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;

import java.io.IOException;
import java.io.PrintStream;

/**
 * Lets a process come to rest under a load: window after window, until two in a row take the same
 * CPU for an answer, and next to none of it is the JVM's compilers'. They compile for half a
 * minute, and that is not what it costs for the rest of the day; nor is it nothing, so the first
 * window is kept.
 *
 * @param first µs of CPU an answer in the first window
 * @param seconds until it was at rest
 * @param rest whether it was in the end
 */
record Steady(double first, double seconds, boolean rest) {

  /** Loads {@code way} until it is at rest, and tells {@code progress} of every window. */
  static Steady reach(Way way, Load load, String label, Plan plan, PrintStream progress)
      throws IOException {
    double first = 0;
    double last = 0;
    double seconds = 0;
    boolean rest = false;
    while (!rest && seconds + Plan.WINDOW <= plan.mostWarm()) {
      double before = way.proc().compilerSeconds();
      var window = Measured.of(way.proc(), load, Plan.WINDOW, 0);
      double compiling =
          (way.proc().compilerSeconds() - before) * 1e6 / Math.max(1, window.result().answered());
      seconds += Plan.WINDOW;
      double now = window.cpuMicros();
      progress.printf(
          "  %s, %s: %3.0f s %8s answers/s, %s µs of CPU each, %s of them compiling%n",
          label,
          way.name(),
          seconds,
          number(window.result().perSecond(), 0),
          number(now, 1),
          number(compiling, 1));
      rest = first > 0 && Math.abs(now - last) < Plan.REST * last && compiling < Plan.REST * now;
      first = first == 0 ? now : first;
      last = now;
    }
    return new Steady(first, seconds, rest);
  }
}
