package dev.mainstay.app.rehearse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.Main;
import dev.mainstay.ledger.sqlite.NativeLibrary;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code mainstay rehearse}: starts {@code serve} as a process of its own, before simulated
 * providers, lets it answer some ten thousand calls, and keeps the JDK's AOT cache of that run. The
 * cache holds the classes as they were linked (JEP 483) and how often which branch was taken (JEP
 * 515), so that a gateway is fast soon after it starts and need not learn it again. Beside it lies
 * SQLite's library, unpacked.
 */
@Command(
    name = "rehearse",
    hidden = true,
    description =
        "Creates the cache with which the gateway starts faster. The launcher runs this command by"
            + " itself.")
public final class RehearseCommand implements Callable<Integer> {
  /** The JVM writes its cache as it ends; that takes it some seconds. */
  private static final long END_SECONDS = 180;

  private static final Duration START_AT_MOST = Duration.ofSeconds(60);

  /** A gateway whose CPU is a tenth of this or less in such a time has nothing left to compile. */
  private static final Duration SETTLING = Duration.ofSeconds(1);

  private static final Duration SETTLED_AT_MOST = Duration.ofSeconds(60);

  /**
   * By default a method must be the hotter for the second compiler the longer the compiler's queue
   * is, so that many would end the rehearsal half learnt. A start from such a cache stayed at 77 µs
   * of CPU a call, where one without what it says of methods came to 54 (bench/run profile --load
   * json, JDK 25.0.3).
   */
  private static final String COMPILE_WHATEVER_WAITS = "-XX:Tier4LoadFeedback=0";

  @Option(
      names = "--into",
      paramLabel = "FILE",
      required = true,
      description = "The cache file, written atomically.")
  private Path into = Path.of("");

  @Option(
      names = "--jvm",
      paramLabel = "OPTIONS",
      required = true,
      description = "The JVM options of serve; the cache works only with these.")
  private String jvm = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    NativeLibrary.unpack();
    var folder = Files.createTempDirectory("mainstay-rehearsal");
    try (var simulator = Simulator.start(0, Script.parse(resource("script.yaml")))) {
      var config = folder.resolve("mainstay.yaml");
      Files.writeString(config, resource("rehearsal.yaml"));
      var made = into.resolveSibling(into.getFileName() + ".new");
      var gateway =
          serve(
              List.of("--config", config.toString(), "--port", "0"),
              Map.of(
                  "REHEARSAL_STORE", folder.resolve("data").toString(),
                  "REHEARSAL_SIMULATOR", simulator.url()),
              made);
      try {
        int port = Announcement.in(gateway.getInputStream()).port(START_AT_MOST);
        if (Rehearsal.of(port, Rehearsal.CALLS) == 0) {
          throw new FailedException("the gateway of the rehearsal did not answer");
        }
        settle(gateway);
      } finally {
        // By its handle: Process.destroy also closes what it writes to, and the JVM that puts the
        // cache
        // together behind it would die of that.
        gateway.toHandle().destroy();
        if (!gateway.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          gateway.destroyForcibly();
        }
      }
      Files.deleteIfExists(made.resolveSibling(made.getFileName() + ".config"));
      if (!Files.exists(made) || Files.size(made) == 0) {
        Files.deleteIfExists(made);
        throw new FailedException("the JVM left no cache behind");
      }
      Files.move(made, into, StandardCopyOption.ATOMIC_MOVE);
      return 0;
    } finally {
      delete(folder);
    }
  }

  /**
   * Waits until the compilers of an idle gateway have worked off what waits for them. The cache
   * remembers how far each method came, and a start from it compiles no method further than that
   * for its first tens of thousands of calls.
   */
  private static void settle(Process gateway) throws InterruptedException {
    var until = System.nanoTime() + SETTLED_AT_MOST.toNanos();
    var used = used(gateway);
    for (var busy = true; busy && System.nanoTime() - until < 0; ) {
      if (gateway.waitFor(SETTLING.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
      var now = used(gateway);
      busy = now.minus(used).compareTo(SETTLING.dividedBy(10)) > 0;
      used = now;
    }
  }

  private static Duration used(Process process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private Process serve(List<String> options, Map<String, String> environment, Path cache)
      throws IOException {
    var command = new ArrayList<String>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of(jvm.strip().split("\\s+")));
    command.add(COMPILE_WHATEVER_WAITS);
    command.addAll(List.of("-XX:AOTCacheOutput=" + cache, "-jar", jar().toString(), "serve"));
    command.addAll(options);
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return builder.redirectErrorStream(true).start();
  }

  private static Path jar() {
    try {
      return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the location of this program is unknown", e);
    }
  }

  static String resource(String name) throws IOException {
    try (var in = RehearseCommand.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing");
      }
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (var paths = Files.walk(folder)) {
      for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
