package dev.mainstay.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A real {@code mainstay serve} that gets a SIGTERM in the middle of runs. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GracefulStopTest {
  private static final String STEP_STARTED = "event: step.started";

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger effects = new AtomicInteger();
  private final CountDownLatch called = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);

  /**
   * The step under way ends, an unsafe one too; no further one begins, and no stream of events
   * holds the process. The next process carries the run on.
   */
  @Test
  void theStepUnderWayEndsAndTheNextProcessCarriesTheRunOn() throws Exception {
    var tool = tool();
    try (var provider = Simulator.start()) {
      provider.script(
          Script.parse(
              """
              models:
                gpt-4o: [ { answer: { tool-calls: [ { name: pay, arguments: '{}' } ] } }, { answer: Paid. } ]
                gpt-4o-mini: [ { answer: { tool-calls: [ { name: pay, arguments: '{}' } ] } } ]
              """));
      var config = config(provider, tool);
      String run;
      try (var gateway = GatewayProcess.start(config)) {
        run = started(gateway, "payer");
        var parked = started(gateway, "asker");
        var ofRun = follow(gateway, "/api/runs/" + run + "/events", STEP_STARTED);
        var ofParked = follow(gateway, "/api/runs/" + parked + "/events", "approval");
        var live = follow(gateway, "/api/live", "retry:");
        assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();

        gateway.signal("TERM");
        for (var stream : List.of(ofRun, ofParked, live)) {
          assertThat(stream.get(60, TimeUnit.SECONDS))
              .noneMatch(line -> line.contains("run.ended"));
        }
        answer.countDown();
        gateway.awaitEnd();
      }
      assertThat(provider.log("gpt-4o")).as("no turn after the step under way").hasSize(1);
      try (var gateway = GatewayProcess.start(config)) {
        var events = read(gateway, "/api/runs/" + run + "/events").toList();
        assertThat(events)
            .as("the result of the step was kept by the process that stopped")
            .filteredOn(line -> line.equals(STEP_STARTED))
            .hasSize(1);
        assertThat(events.toString()).contains("run.ended", "Paid.").doesNotContain("doubt");
        assertThat(effects).hasValue(1);
      }
    } finally {
      tool.stop(0);
    }
  }

  /** Answers once it may. */
  private HttpServer tool() throws Exception {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            effects.incrementAndGet();
            called.countDown();
            answer.await();
            exchange.sendResponseHeaders(200, 4);
            exchange.getResponseBody().write("true".getBytes(UTF_8));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.start();
    return server;
  }

  private Path config(Simulator provider, HttpServer tool) throws Exception {
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        providers:
          openai: { dialect: openai, base-url: "%1$s", keys: [k] }
        agents:
          payer:
            model: openai/gpt-4o
            tools: [ { name: pay, description: Pays., parameters: { type: object }, effect: unsafe,
                       http: { method: POST, url: "http://127.0.0.1:%2$d/" } } ]
          asker:
            model: openai/gpt-4o-mini
            tools: [ { name: pay, description: Pays., parameters: { type: object }, effect: unsafe,
                       approval: true, http: { method: POST, url: "http://127.0.0.1:%2$d/" } } ]
        """
            .formatted(provider.openAiUrl(), tool.getAddress().getPort()));
    return config;
  }

  private String started(GatewayProcess gateway, String agent) throws Exception {
    var answered =
        http.send(
            HttpRequest.newBuilder(URI.create(gateway.address() + "/api/runs"))
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"agent\":\"%s\",\"input\":\"Pay.\"}".formatted(agent)))
                .build(),
            BodyHandlers.ofString());
    assertThat(answered.statusCode()).as(answered.body()).isEqualTo(202);
    return answered.body().replaceAll("(?s).*\"run\":\\s*\"([^\"]+)\".*", "$1");
  }

  private Stream<String> read(GatewayProcess gateway, String path) throws Exception {
    HttpResponse<Stream<String>> answered =
        http.send(
            HttpRequest.newBuilder(URI.create(gateway.address() + path)).build(),
            BodyHandlers.ofLines());
    assertThat(answered.statusCode()).isEqualTo(200);
    return answered.body();
  }

  /** Returns once a line has {@code sign}; completes with all lines when the server ends them. */
  private CompletableFuture<List<String>> follow(GatewayProcess gateway, String path, String sign)
      throws Exception {
    var lines = read(gateway, path);
    var seen = new LinkedBlockingQueue<Boolean>();
    var ended = new CompletableFuture<List<String>>();
    Thread.ofVirtual()
        .start(
            () -> {
              var all = new ArrayList<String>();
              try {
                lines.forEach(
                    line -> {
                      all.add(line);
                      if (line.contains(sign)) {
                        seen.add(true);
                      }
                    });
                ended.complete(all);
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            });
    assertThat(seen.poll(60, TimeUnit.SECONDS)).as("%s of %s", sign, path).isNotNull();
    return ended;
  }
}
