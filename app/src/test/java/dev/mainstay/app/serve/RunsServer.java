package dev.mainstay.app.serve;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.ledger.BodyText;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.simulator.Received;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A gateway with agents, a simulated provider and a tool, over a store on disk. */
final class RunsServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The keys of two clients. */
  static final String TEAM = "key-of-team";

  static final String OTHERS = "key-of-others";

  /** The idempotency keys of the calls of the tool, in their order. */
  final BlockingQueue<String> effects = new LinkedBlockingQueue<>();

  private final Path directory;
  private final Simulator provider;
  private final HttpServer tool;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String more;
  private Ledger ledger;
  private Agents agents;
  private Gateway gateway;
  private AdminRoutes routes;

  /** An answer of the API. */
  record Answer(int status, JsonNode json) {}

  /**
   * @param more of the configuration
   */
  RunsServer(Path directory, String more) throws Exception {
    this.directory = directory;
    this.more = more;
    provider = Simulator.start();
    tool = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    tool.createContext(
        "/",
        exchange -> {
          effects.add(exchange.getRequestHeaders().getFirst("idempotency-key"));
          exchange.getRequestBody().readAllBytes();
          byte[] body = "{\"refunded\":true}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    tool.start();
    begin();
  }

  private void begin() throws Exception {
    var config =
        ConfigLoader.parse(
            """
            server: { port: 0 }
            store: { url: "%s" }
            providers:
              one: { dialect: openai, vendor: openai, base-url: "%s/one/v1", keys: [k] }
            models:
              assistant: { targets: [one/gpt-4o] }
              other: { targets: [one/gpt-4o-mini] }
            clients:
              - { name: team, key: %s, agents: [refunds] }
              - { name: others, key: %s, agents: [refunds] }
            agents:
              refunds:
                model: assistant
                instructions: "You handle refunds."
                tools:
                  - name: refund
                    description: "Pays money back."
                    parameters: { type: object, properties: { order: { type: string } } }
                    http: { method: POST, url: "http://127.0.0.1:%d/effect" }
                    effect: idempotent
              secrets: { model: assistant, instructions: "Another one." }
            %s
            """
                .formatted(
                    directory, provider.url(), TEAM, OTHERS, tool.getAddress().getPort(), more),
            "test.yaml",
            Map.of());
    ledger = Ledgers.open(config, Redactor.NONE, BodyText.NONE);
    agents = new Agents(ledger, Redactor.NONE);
    routes = new AdminRoutes(agents, null);
    gateway =
        Gateway.start(config, ledger.recorder(), ledger.reader(), ledger.state(), routes::start);
  }

  /** Where the gateway answers. */
  String url() {
    return "http://127.0.0.1:" + gateway.port();
  }

  /** What is kept. */
  Ledger ledger() {
    return ledger;
  }

  /** What the provider answers from now on. */
  void script(String script) {
    provider.script(Script.parse(script));
  }

  /** The requests that the provider has received, as far as they have gone. */
  List<Received> asked() {
    return provider.log();
  }

  /** A tool call and an answer, of the model {@code gpt-4o}, and an answer of the other. */
  void refundScript() {
    script(
        """
        models:
          one/gpt-4o:
            script:
              - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7"}' } ] } }
              - { answer: "Refunded." }
              - { answer: "Anything else?" }
          one/gpt-4o-mini:
            script:
              - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7"}' }, { name: refund, arguments: '{"order": "8"}' } ] } }
              - { answer: "Paid back." }
        """);
  }

  /**
   * @param key a client's, or null for an operator
   * @param headers names and values in turn
   */
  Answer send(String method, String path, @Nullable String key, String body, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url() + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (key != null) {
      request.header("authorization", "Bearer " + key);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    var answer = http.send(request.build(), BodyHandlers.ofString());
    var text = answer.body();
    return new Answer(
        answer.statusCode(),
        text.startsWith("{")
            ? JsonMapper.shared().readTree(text)
            : JsonMapper.shared().missingNode());
  }

  /** The text of an event stream, read until it ends. */
  String events(String run, @Nullable String lastId) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url() + "/api/runs/" + run + "/events"));
    if (lastId != null) {
      request.header("last-event-id", lastId);
    }
    return http.send(request.build(), BodyHandlers.ofString()).body();
  }

  Answer get(String path) throws Exception {
    return send("GET", path, null, "");
  }

  Answer post(String path, String body) throws Exception {
    return send("POST", path, null, body);
  }

  /** Starts a run of the agent and gives its id. */
  String start(@Nullable String key) throws Exception {
    return send("POST", "/api/runs", key, "{\"agent\":\"refunds\",\"input\":\"Refund order 7.\"}")
        .json()
        .path("run")
        .asString();
  }

  /** The run once it has one of these statuses. */
  JsonNode await(String run, String... statuses) throws Exception {
    var news = new LinkedBlockingQueue<String>();
    ledger.state().runs().onNews(news::add);
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < until) {
      var shown = get("/api/runs/" + run).json();
      if (Set.of(statuses).contains(shown.path("status").asString(""))) {
        flush();
        return shown;
      }
      news.poll(50, TimeUnit.MILLISECONDS);
    }
    throw new AssertionError("not so in time: " + get("/api/runs/" + run).json());
  }

  /** Waits until all calls are on record. */
  void flush() throws InterruptedException {
    if (!ledger.recorder().flush(PATIENCE)) {
      throw new AssertionError("not everything is recorded in time");
    }
  }

  /** Ends in order and starts again, as a process does. */
  void restart() throws Exception {
    stop();
    begin();
  }

  private void stop() {
    routes.close();
    agents.close();
    gateway.close();
    ledger.close();
  }

  @Override
  public void close() {
    stop();
    provider.close();
    tool.stop(0);
    http.close();
  }
}
