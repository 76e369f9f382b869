package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Faults;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A gateway in a process of its own, as people start it. */
// On a thread of its own: who reads a process that says nothing cannot be interrupted.
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServeCommandTest {
  private static final Pattern READY = Pattern.compile("Mainstay is ready on (\\S+)");
  private static final String SECRET = "sk-secret-of-the-test";

  @TempDir Path directory;

  @Test
  void servesUntilItIsToldToStopAndLeavesEverythingOnRecord() throws Exception {
    try (var simulator = Simulator.start()) {
      simulator.script(Script.of("gpt-4o", Faults.step("openai-server-error")));
      var process = serve(simulator);
      try (var out = process.inputReader()) {
        var said = new ArrayList<String>();
        var address = ready(out, said);
        var ids = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
          var answer = ask(address);
          assertThat(answer.statusCode()).isEqualTo(200);
          ids.add(answer.headers().firstValue("x-mainstay-call").orElseThrow());
        }
        // SIGTERM on a Unix; through the handle, which leaves what it still says readable.
        process.toHandle().destroy();
        out.lines().forEach(said::add);
        assertThat(process.waitFor()).as("128 + SIGTERM").isEqualTo(143);
        assertThat(said)
            .anyMatch(line -> line.contains("models") && line.contains("assistant"))
            .anyMatch(line -> line.contains("ledger") && line.contains(directory.toString()))
            .anyMatch(line -> line.contains("OpenAI") && line.endsWith(address + "/v1"))
            .noneMatch(line -> line.contains("SLF4J"))
            .noneMatch(line -> line.contains(SECRET));
        assertThat(recorded()).containsExactlyInAnyOrderElementsOf(ids);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /** Whole answers, streams, errors and what passes through; under load, at any moment. */
  @RepeatedTest(2)
  void killedUnderLoadItHasOnRecordWhatItAnsweredAndWhatWasUnderWay() throws Exception {
    var stop = new AtomicBoolean();
    var answered = new ConcurrentHashMap<String, Integer>();
    try (var simulator = Simulator.start();
        var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      simulator.script(
          Script.of("silent", Faults.step("silence"))
              .and("bad", Faults.step("openai-bad-request").times(1_000_000)));
      var process = serve(simulator);
      try (var out = process.inputReader()) {
        var address = ready(out, new ArrayList<>());
        var kinds =
            List.of(
                request(address, "assistant", false),
                request(address, "assistant", true),
                request(address, "bad", false),
                HttpRequest.newBuilder(URI.create(address + "/providers/openai/models")).build());
        clients.submit(() -> http.send(request(address, "silent", false), BodyHandlers.ofString()));
        for (int i = 0; i < 8; i++) {
          var request = kinds.get(i % kinds.size());
          clients.submit(
              () -> {
                // Ends with the process that it asks.
                while (!stop.get()) {
                  // Given once the last byte is there.
                  var answer = http.send(request, BodyHandlers.ofString());
                  answered.put(
                      answer.headers().firstValue("x-mainstay-call").orElseThrow(),
                      answer.statusCode());
                }
                return null;
              });
        }
        int many = 20 + ThreadLocalRandom.current().nextInt(200);
        while ((answered.size() < many || simulator.log("silent").isEmpty()) && process.isAlive()) {
          Thread.onSpinWait();
        }
        process.destroyForcibly().waitFor();
      } finally {
        stop.set(true);
        process.destroyForcibly();
      }
      clients.shutdown();
      clients.awaitTermination(5, TimeUnit.MINUTES);
    }
    var recorded = new HashMap<String, CallRecord>();
    try (var ledger =
        SqliteLedger.open(LedgerConfig.in(directory.resolve("data")), InstantSource.system())) {
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      String cursor = null;
      do {
        var page = ledger.reader().calls(CallQuery.newest(1000).from(cursor));
        page.calls().forEach(call -> assertThat(recorded.put(call.id(), call)).isNull());
        cursor = page.next();
      } while (cursor != null);
    }
    answered.forEach(
        (id, status) -> {
          var call = Objects.requireNonNull(recorded.get(id), id);
          assertThat(call.status()).isEqualTo(status);
          assertThat(call.verdict()).isNotEqualTo("TRANSIENT/stream_interrupted");
        });
    recorded.keySet().removeAll(answered.keySet());
    assertThat(recorded.values())
        .as("each client may have had one under way, or an answer that it had not read")
        .hasSizeBetween(1, 9)
        .anyMatch(
            call ->
                "silent".equals(call.modelAsked())
                    && "TRANSIENT/stream_interrupted".equals(call.verdict()));
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void sighupReloadsAndAFileWithMistakesChangesNothing() throws Exception {
    assumeFalse(
        hangUpIsIgnored(), "started by nohup: SIGHUP is ignored, here and in what is started");
    try (var simulator = Simulator.start()) {
      var process = serve(simulator);
      try (var out = process.inputReader()) {
        var address = ready(out, new ArrayList<>());
        hangUp(process);
        // Nothing has changed, so it is the signal and not the file that did it.
        until(out, "Mainstay reloaded the configuration");
        assertThat(ask(address).statusCode()).isEqualTo(200);
        Files.writeString(
            directory.resolve("mainstay.yaml"), yaml(simulator).replace("assistant", "helper"));
        hangUp(process);
        until(out, "Mainstay reloaded the configuration");
        assertThat(models(address)).contains("helper").doesNotContain("assistant");
        Files.writeString(directory.resolve("mainstay.yaml"), "providers: { broken: {} }");
        hangUp(process);
        until(out, "the configuration was not reloaded");
        assertThat(models(address)).contains("helper");
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
  }

  /** Who is started with a signal ignored goes on so, and the JVM leaves it at that. */
  private static boolean hangUpIsIgnored() throws IOException {
    var status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    var ignored =
        Files.readAllLines(status).stream().filter(line -> line.startsWith("SigIgn:")).findFirst();
    return ignored.isPresent()
        && (Long.parseUnsignedLong(ignored.get().substring(7).strip(), 16) & 1) == 1;
  }

  private static void hangUp(Process process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor())
        .isZero();
  }

  private static void until(BufferedReader out, String words) throws IOException {
    String line = out.readLine();
    while (line != null && !line.contains(words)) {
      line = out.readLine();
    }
    assertThat(line).as("it should have said: %s", words).isNotNull();
  }

  private static String models(String address) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(address + "/v1/models")).build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  @Test
  void aPortThatIsTakenIsExitCode1AndSaysWhatToDo() throws Exception {
    try (var simulator = Simulator.start()) {
      Files.writeString(directory.resolve("mainstay.yaml"), yaml(simulator));
      var run =
          Run.of(
              "serve",
              "--config",
              directory.resolve("mainstay.yaml").toString(),
              "--port",
              Integer.toString(simulator.port()));
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err())
          .contains("127.0.0.1:" + simulator.port(), "start with --port N")
          .doesNotContain(SECRET);
    }
  }

  /** Its own process reads the plain command line without picocli, {@link Run} with it. */
  @Test
  void mistakesInTheConfigurationAreExitCode2HoweverTheCommandLineWasRead() throws Exception {
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(config, "providres: {}\n");
    var process = serve(config);
    try (var said = process.inputReader()) {
      var run = Run.of("serve", "--config", config.toString(), "--port", "0");
      assertThat(said.readAllAsString()).isEqualTo(run.err()).contains("line 1, providres");
      assertThat(process.waitFor()).isEqualTo(2).isEqualTo(run.code());
    } finally {
      process.destroyForcibly();
    }
  }

  private List<String> recorded() {
    var data = directory.resolve("data");
    try (var reader = SqliteLedger.read(data)) {
      return reader.calls(CallQuery.newest(CallQuery.MAX_LIMIT)).calls().stream()
          .map(CallRecord::id)
          .toList();
    }
  }

  private static String ready(BufferedReader out, List<String> said) throws IOException {
    String address = "";
    String line;
    // The last line of what it says at the start.
    while ((line = out.readLine()) != null && !line.contains("mainstay calls ls")) {
      said.add(line);
      var ready = READY.matcher(line);
      if (ready.find()) {
        address = ready.group(1);
      }
    }
    assertThat(address).as("it said: %s", said).isNotEmpty();
    return address;
  }

  private static HttpResponse<String> ask(String address) throws Exception {
    try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return http.send(request(address, "assistant", false), BodyHandlers.ofString());
    }
  }

  private static HttpRequest request(String address, String model, boolean stream) {
    return HttpRequest.newBuilder(URI.create(address + "/v1/chat/completions"))
        .header("content-type", "application/json")
        .POST(
            BodyPublishers.ofString(
                "{\"model\":\"%s\",\"stream\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
                    .formatted(model, stream)))
        .build();
  }

  private Process serve(Simulator simulator) throws IOException {
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(config, yaml(simulator));
    return serve(config);
  }

  private static Process serve(Path config) throws IOException {
    return GatewayProcess.command(config, GatewayProcess.QUICK).start();
  }

  private String yaml(Simulator simulator) {
    return """
    store: { url: "%s" }
    providers:
      openai: { dialect: openai, base-url: "%s", keys: [%s] }
    models:
      assistant: { targets: [openai/gpt-4o] }
      silent: { targets: [openai/silent] }
      bad: { targets: [openai/bad] }
    """
        .formatted(directory.resolve("data"), simulator.openAiUrl(), SECRET);
  }
}
