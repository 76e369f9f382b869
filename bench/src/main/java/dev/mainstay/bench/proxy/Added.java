package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;
import static dev.mainstay.bench.proxy.Report.ratio;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What each proxy of one table adds to the way that comes first, which is the direct one. */
final class Added {
  private final int digits;
  private @Nullable Latencies direct;
  private double nginxCpu;

  /**
   * @param digits behind the point of microseconds of CPU
   */
  Added(int digits) {
    this.digits = digits;
  }

  /** p50 and p99 of {@code times}; of a proxy also what it adds to them, its CPU, and nginx's. */
  List<String> cells(Way way, Latencies times, double cpuMicros) {
    var first = direct == null ? times : direct;
    direct = first;
    nginxCpu = way.name().equals(Way.NGINX) ? cpuMicros : nginxCpu;
    boolean proxy = way.proxy();
    return List.of(
        number(times.micros(0.5), 0),
        number(times.micros(0.99), 0),
        proxy ? number(times.micros(0.5) - first.micros(0.5), 0) : "",
        proxy ? number(times.micros(0.99) - first.micros(0.99), 0) : "",
        proxy ? number(cpuMicros, digits) : "",
        proxy && nginxCpu > 0 ? ratio(cpuMicros, nginxCpu) : "");
  }
}
