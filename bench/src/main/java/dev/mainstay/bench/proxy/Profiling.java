package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the gateway's time goes at saturation, once it is at rest: by thread, then under the JDK's
 * flight recorder. What a thread used is its own, whatever else the machine does meanwhile.
 */
final class Profiling {
  private final Servers servers;

  Profiling(Servers servers) {
    this.servers = servers;
  }

  /**
   * @param distinct whether no two requests are the same, so that the ledger keeps each body
   */
  void run(Payload payload, boolean distinct) throws IOException {
    var file = Path.of("bench/target/proxy.jfr").toAbsolutePath();
    try (var upstream = servers.upstream();
        var process = servers.gateway(upstream.port(), List.of())) {
      var mainstay = new Way(Way.MAINSTAY, process);
      try (var load = mainstay.load(payload, Saturation.CONNECTIONS)) {
        if (distinct) {
          load.distinct();
        }
        Steady.reach(mainstay, load, payload.label(), Plan.STEADY, System.out);
        var before = process.threadSeconds();
        var result = load.closed(10);
        var after = process.threadSeconds();
        System.out.printf("%nby thread, µs of CPU an answer:%n");
        after.forEach(
            (thread, seconds) -> {
              double micros =
                  (seconds - before.getOrDefault(thread, 0.0))
                      * 1e6
                      / Math.max(1, result.answered());
              if (micros >= 0.1) {
                System.out.printf("  %6.1f  %s%n", micros, thread);
              }
            });
        Profile.start(process.java(), file);
        load.closed(15);
        Profile.stop(process.java());
      }
    }
    Profile.print(file, System.out);
  }
}
