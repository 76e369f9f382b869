package dev.mainstay.app.selftest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One self-test, carried out by a process of its own: its gateways and simulated providers take
 * nothing from the gateway that serves, and what the faults make them log stays with them.
 * Thread-safe.
 */
final class SelftestRun {
  /** The whole catalogue against a dozen routes takes some minutes on one core. */
  private static final Duration LONGEST = Duration.ofMinutes(15);

  /** What it takes of the CPU it takes behind the gateway that serves. */
  private static final Path NICE = Path.of("/usr/bin/nice");

  private static final JsonMapper JSON = JsonMapper.shared();

  private final int trials;
  private final String by;
  private final Instant startedAt = Instant.now();
  private final Process process;
  private final List<JsonNode> outcomes = new ArrayList<>();
  private @Nullable Instant endedAt;
  private @Nullable String error;

  private SelftestRun(int trials, String by, Process process) {
    this.trials = trials;
    this.by = by;
    this.process = process;
  }

  /**
   * Starts a self-test.
   *
   * @param trials how many it will play
   * @param options of {@code mainstay selftest}
   * @param by who started it
   */
  static SelftestRun start(int trials, List<String> options, String by) throws IOException {
    var command = new ArrayList<String>();
    if (Files.isExecutable(NICE)) {
      command.addAll(List.of(NICE.toString(), "-n", "10"));
    }
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    command.addAll(
        List.of(
            java.toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dstdout.encoding=UTF-8",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.mainstay.app.Main",
            "selftest",
            "--json"));
    command.addAll(options);
    var process = new ProcessBuilder(command).start();
    process.getOutputStream().close();
    var run = new SelftestRun(trials, by, process);
    Thread.ofVirtual().name("mainstay-selftest").start(run::read);
    Thread.ofVirtual().name("mainstay-selftest-end").start(run::await);
    return run;
  }

  private void read() {
    try (var lines = process.inputReader(UTF_8)) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        add(JSON.readTree(line));
      }
    } catch (IOException | JacksonException e) {
      process.destroyForcibly();
      end("Mainstay cannot read the self-test's output: " + e.getMessage());
    }
    try {
      // Exit code 1 is a result: a fault that is not survived.
      var said = new String(process.getErrorStream().readNBytes(2000), UTF_8).strip();
      end(process.waitFor() > 1 || outcomes().isEmpty() ? "the self-test ended: " + said : null);
    } catch (IOException e) {
      end("the self-test ended: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end("interrupted");
    }
  }

  private void await() {
    try {
      if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
        end("it took longer than " + LONGEST.toMinutes() + " minutes");
        stop();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
    }
  }

  private synchronized void add(JsonNode outcome) {
    outcomes.add(outcome);
  }

  private synchronized List<JsonNode> outcomes() {
    return List.copyOf(outcomes);
  }

  private synchronized void end(@Nullable String why) {
    if (endedAt == null) {
      endedAt = Instant.now();
      error = why;
    }
  }

  synchronized boolean running() {
    return endedAt == null;
  }

  /** Ends it; does nothing where it has ended. */
  void stop() {
    process.destroyForcibly();
  }

  /** How far it is, and what came of it. */
  synchronized ObjectNode shown() {
    var json = JSON.createObjectNode();
    json.put("state", endedAt == null ? "running" : error == null ? "done" : "failed");
    json.put("started_at", startedAt.toString());
    json.put("ended_at", endedAt == null ? null : endedAt.toString());
    json.put("by", by);
    json.put("trials", trials);
    json.put("done", outcomes.size());
    json.put("error", error);
    Map<String, Integer> counts = new TreeMap<>();
    outcomes.forEach(each -> counts.merge(each.path("result").asString(), 1, Integer::sum));
    var results = json.putObject("results");
    counts.forEach(results::put);
    var list = json.putArray("outcomes");
    for (var each : outcomes) {
      var outcome = list.addObject();
      each.properties()
          .forEach(
              field ->
                  outcome.set(
                      field.getKey().equals("ms") ? "took_ms" : field.getKey(), field.getValue()));
    }
    return json;
  }
}
