package dev.mainstay.app.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.mainstay.app.FailedException;
import dev.mainstay.simulator.Script;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An agent that pays a refund: a process of its own, which is killed the moment the money has left
 * and before it is told so, and then started anew.
 */
final class KilledAgent implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final Set<String> ENDS = Set.of("completed", "failed", "cancelled", "dead_letter");

  private static final String SCRIPT =
      """
      models:
        agent/assistant:
          script:
            - { answer: { tool-calls: [ { name: refund, arguments: '{"order":"4711"}' } ] } }
            - { answer: "Order 4711 is refunded." }
      """;

  private static final String CONFIG =
      """
      store: { url: "%s" }
      providers:
        agent: { dialect: openai, base-url: "%s", keys: [demo-key-7], proxy: none }
      agents:
        refunds:
          model: agent/assistant
          instructions: "You handle refunds."
          tools:
            - name: refund
              description: "Pays money back."
              parameters: { type: object, properties: { order: { type: string } }, required: [order] }
              http: { method: POST, url: "%s/refund" }
              effect: idempotent
      """;

  /**
   * What became of it.
   *
   * @param asked how often the tool was called
   * @param keys different idempotency keys it was called with
   * @param paid how often money left
   * @param back how long after its process was started again the run had ended
   */
  record Outcome(
      String run, int asked, int keys, int paid, String status, String output, Duration back) {
    boolean good() {
      return status.equals("completed") && asked == 2 && keys == 1 && paid == 1;
    }
  }

  private final DemoEnvironment stage;
  private final Path directory;
  private final HttpServer tool;
  private final Map<String, Integer> paid = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final CompletableFuture<Boolean> killed = new CompletableFuture<>();
  private final AtomicReference<@Nullable Process> process = new AtomicReference<>();

  private KilledAgent(DemoEnvironment stage) throws IOException {
    this.stage = stage;
    directory = Files.createDirectories(stage.store().resolve("agent"));
    tool = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    tool.createContext("/refund", this::refund);
    tool.start();
  }

  /** Plays it. */
  static Outcome play(DemoEnvironment stage) throws InterruptedException {
    try (var agent = new KilledAgent(stage)) {
      return agent.play();
    } catch (IOException | ExecutionException | TimeoutException e) {
      throw new FailedException("the demo could not show the agent: " + e, e);
    }
  }

  private Outcome play()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    stage.play(Script.parse(SCRIPT));
    Files.writeString(
        directory.resolve("agent.yaml"),
        CONFIG.formatted(
            directory.resolve("store"),
            stage.url("agent"),
            "http://127.0.0.1:" + tool.getAddress().getPort()));
    try (var http = HttpClient.newHttpClient()) {
      var first = start();
      var run =
          send(
                  http,
                  HttpRequest.newBuilder(URI.create(first + "/api/runs"))
                      .header("content-type", "application/json")
                      .POST(
                          BodyPublishers.ofString(
                              "{\"agent\":\"refunds\",\"input\":\"Refund order 4711.\"}")))
              .path("run")
              .asString("");
      killed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      long began = System.nanoTime();
      var second = URI.create(start() + "/api/runs/" + run);
      var shown = send(http, HttpRequest.newBuilder(second));
      while (!ENDS.contains(shown.path("status").asString(""))
          && System.nanoTime() - began < PATIENCE.toNanos()) {
        Thread.sleep(LOOK_AGAIN);
        shown = send(http, HttpRequest.newBuilder(second));
      }
      return new Outcome(
          run,
          asked.get(),
          paid.size(),
          paid.values().stream().mapToInt(Integer::intValue).sum(),
          shown.path("status").asString(""),
          shown.path("output").asString(""),
          Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private static JsonNode send(HttpClient http, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    var answer = http.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString());
    return JsonMapper.shared().readTree(answer.body());
  }

  /** Pays once for a key, whoever asks; the first who asks is killed before the answer. */
  private void refund(HttpExchange exchange) throws IOException {
    try (exchange) {
      var key = exchange.getRequestHeaders().getFirst("idempotency-key");
      exchange.getRequestBody().readAllBytes();
      paid.putIfAbsent(key, 1);
      if (asked.incrementAndGet() == 1) {
        kill();
        killed.complete(true);
        return;
      }
      var answer = "{\"refunded\":\"4711\"}".getBytes(UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  /** Starts the agent's process; returns where it listens. */
  private String start()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    var started =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.mainstay.app.Main",
                "serve",
                "--config",
                directory.resolve("agent.yaml").toString(),
                "--port",
                "0")
            .redirectErrorStream(true)
            .start();
    process.set(started);
    var address = new CompletableFuture<String>();
    Thread.ofVirtual()
        .start(
            () -> {
              started
                  .inputReader()
                  .lines()
                  .map(ADDRESS::matcher)
                  .filter(Matcher::find)
                  .forEach(found -> address.complete(found.group()));
              address.completeExceptionally(new IOException("its process ended"));
            });
    return address.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** As {@code kill -9} does. */
  private void kill() {
    var running = process.get();
    if (running != null) {
      running.destroyForcibly().onExit().join();
    }
  }

  @Override
  public void close() {
    kill();
    tool.stop(0);
  }
}
