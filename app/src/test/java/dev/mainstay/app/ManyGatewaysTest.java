package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.mainstay.simulator.Received;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Three real gateways on one real PostgreSQL; what they did is counted from outside. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ManyGatewaysTest {
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static EmbeddedPostgres server;

  @TempDir Path directory;
  private Simulator simulator;

  /** A provider that answers when the test lets it. */
  private HttpServer held;

  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private String url;
  private final List<GatewayProcess> gateways = new ArrayList<>();

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  @BeforeEach
  void start() throws Exception {
    var name = "many" + DATABASES.incrementAndGet();
    try (var db = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        var statement = db.createStatement()) {
      statement.execute("create database " + name);
    }
    url = server.getJdbcUrl("postgres", name);
    simulator = Simulator.start();
    simulator.script(
        Script.parse("models: { slow: { script: [ { delay: 300ms } ], then: repeat } }"));
    held = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    held.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    held.createContext("/", this::answerOnceAllowed);
    held.start();
  }

  private void answerOnceAllowed(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      mayAnswer.await();
      byte[] answer =
          """
          {"id":"1","object":"chat.completion","created":1,"model":"held","choices":[{"index":0,
          "message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],
          "usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}
          """
              .getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param lease in seconds, so that a process that is slow does not count as dead
   */
  private void serve(int lease) throws IOException {
    for (int i = 0; i < 3; i++) {
      gateways.add(gateway(lease));
    }
    gateways.forEach(GatewayProcess::address);
  }

  /** Waits until each has looked around after the last of them had registered. */
  private void knowEachOther() throws Exception {
    Map<Long, Long> before = beats();
    while (before.size() < 3) {
      TimeUnit.MILLISECONDS.sleep(20);
      before = beats();
    }
    // A beat is written before the looking around that belongs to it: two are one that is over.
    for (int i = 0; i < 2; i++) {
      var last = before;
      while (!beats().entrySet().stream()
          .allMatch(beat -> beat.getValue() > last.getOrDefault(beat.getKey(), 0L))) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      before = beats();
    }
  }

  /** The last heartbeat of each gateway. */
  private Map<Long, Long> beats() throws SQLException {
    var beats = new HashMap<Long, Long>();
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement();
        var rows = statement.executeQuery("select token, expires_at from instances")) {
      while (rows.next()) {
        beats.put(rows.getLong(1), rows.getLong(2));
      }
    }
    return beats;
  }

  private GatewayProcess gateway(int lease) throws IOException {
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        store: { url: "%s", lease: %ds }
        recovery: { breaker: { open: 1h, max-open: 1h } }
        prices:
          - { model: openai/gpt-4o, unit: input, price: 0 }
          - { model: openai/gpt-4o, unit: output, price: 1000000 }
        clients:
          - { name: poor, key: key-poor, models: [assistant], budget: { usd: 1000, per: month } }
          - { name: rich, key: key-rich }
          - { name: few, key: key-few, limits: { parallel: 6 } }
        providers:
          openai: { dialect: openai, base-url: "%s", keys: [sk-test] }
          shut: { dialect: openai, base-url: "%s", keys: [sk-shut] }
          held: { dialect: openai, base-url: "http://127.0.0.1:%d/v1", keys: [sk-test] }
        models:
          assistant: { targets: [openai/gpt-4o] }
          slow: { targets: [openai/slow] }
          down: { targets: [openai/down], recovery: { preset: off } }
          busy: { targets: [openai/busy], recovery: { preset: off } }
          shut: { targets: [shut/shut], recovery: { preset: off } }
        """
            .formatted(
                url,
                lease,
                simulator.openAiUrl(),
                simulator.openAiUrl(),
                held.getAddress().getPort()));
    return GatewayProcess.start(config);
  }

  @AfterEach
  void stop() throws Exception {
    for (var gateway : gateways) {
      gateway.close();
    }
    held.stop(0);
    simulator.close();
  }

  private long number(String sql) throws SQLException {
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /** How often the provider was asked {@code text}. */
  private Map<String, Long> asked() {
    var asked = new HashMap<String, Long>();
    for (var each : simulator.log()) {
      asked.merge(text(each), 1L, Long::sum);
    }
    return asked;
  }

  private static String text(Received received) {
    int at = received.body().indexOf("\"content\":\"") + 11;
    return received.body().substring(at, received.body().indexOf('"', at));
  }

  private static <T> List<T> all(List<Callable<T>> tasks) throws Exception {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var results = new ArrayList<T>();
      for (Future<T> each : executor.invokeAll(tasks)) {
        results.add(each.get());
      }
      return results;
    }
  }

  @Test
  void oneKeyIsOneRequestWhicheverGatewaysItReaches() throws Exception {
    serve(60);
    var tasks = new ArrayList<Callable<HttpResponse<String>>>();
    for (int i = 0; i < 90; i++) {
      int key = i / 3;
      var gateway = gateways.get(i % 3);
      tasks.add(
          () ->
              gateway.ask(
                  "slow", "k" + key, "x-api-key", "key-rich", "idempotency-key", "key-" + key));
    }
    var answers = all(tasks);
    assertThat(answers).allMatch(answer -> answer.statusCode() == 200);
    var asked = asked();
    assertThat(asked).hasSize(30);
    int held = 0;
    for (int key = 0; key < 30; key++) {
      var ofKey = answers.subList(3 * key, 3 * key + 3);
      // A store that takes longer than 2 s is gone on without, and the answer says so.
      if (ofKey.stream()
          .noneMatch(each -> each.headers().firstValue("x-mainstay-degraded").isPresent())) {
        assertThat(ofKey.stream().map(HttpResponse::body).distinct()).hasSize(1);
        assertThat(asked).containsEntry("k" + key, 1L);
        held++;
      }
    }
    assertThat(held).as("keys that the store held").isPositive();
  }

  /** What one gateway learnt at a price, the others know without asking. */
  @Test
  void aBreakerThatOpensAndAKeyThatRestsAreKnownToAll() throws Exception {
    serve(60);
    simulator.script(
        Script.parse(
            """
            models:
              down: { script: [ { status: 503 } ], then: repeat }
              busy: { script: [ { status: 429, headers: { retry-after: "600" } } ], then: repeat }
            """));
    gateways.getFirst().ask("busy", "busy", "x-api-key", "key-rich");
    while (!health(0).contains("\"open\"")) {
      gateways.getFirst().ask("down", "down", "x-api-key", "key-rich");
    }
    for (int i = 1; i < 3; i++) {
      while (!health(i).contains("at another gateway") || !health(i).contains("resting")) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
    int requests = simulator.log().size();
    assertThat(gateways.get(1).ask("down", "down", "x-api-key", "key-rich").statusCode())
        .isGreaterThanOrEqualTo(429);
    assertThat(simulator.log().size()).isEqualTo(requests);
    assertThat(gateways.get(1).post("/api/breakers/openai%2Fdown/reset").statusCode())
        .isEqualTo(200);
    for (int i = 0; i < 3; i++) {
      while (health(i).contains("\"open\"")) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  @Test
  void aKeyThatIsRefusedAndOneThatWorksAgainAreKnownToAll() throws Exception {
    serve(60);
    simulator.script(
        Script.parse("models: { shut: { script: [ { status: 401 } ], then: repeat } }"));
    gateways.getFirst().ask("shut", "shut", "x-api-key", "key-rich");
    for (int i = 1; i < 3; i++) {
      while (!health(i).contains("\"set_aside\"")) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
    assertThat(simulator.log()).as("one gateway found out for all").hasSize(1);

    simulator.script(Script.parse("models: {}"));
    assertThat(gateways.getFirst().ask("shut", "shut", "x-api-key", "key-rich").statusCode())
        .isEqualTo(200);
    assertThat(health(0)).doesNotContain("\"set_aside\"");
    for (int i = 1; i < 3; i++) {
      // The first call there is the probe, and it is due.
      while (health(i).contains("\"set_aside\"")) {
        gateways.get(i).ask("shut", "shut", "x-api-key", "key-rich");
      }
    }
  }

  private String health(int gateway) throws Exception {
    return gateways.get(gateway).get("/health").body();
  }

  /** Six places for three gateways: each grants two. */
  @Test
  void theLimitOfAClientHoldsForAllGatewaysTogether() throws Exception {
    serve(10);
    knowEachOther();
    var refused = new CountDownLatch(30);
    var tasks = new ArrayList<Callable<HttpResponse<String>>>();
    for (int i = 0; i < 36; i++) {
      var gateway = gateways.get(i % 3);
      var text = "call " + i;
      tasks.add(
          () -> {
            var answer = gateway.ask("held/m", text, "x-api-key", "key-few");
            if (answer.statusCode() == 429) {
              refused.countDown();
            }
            return answer;
          });
    }
    // No place is free again before all others were refused.
    tasks.add(
        () -> {
          boolean all = refused.await(60, TimeUnit.SECONDS);
          mayAnswer.countDown();
          assertThat(all).as("30 were refused").isTrue();
          return gateways.getFirst().get("/health");
        });
    var answers = all(tasks).subList(0, 36);
    assertThat(answers).filteredOn(each -> each.statusCode() == 200).hasSize(6);
    assertThat(answers).filteredOn(each -> each.statusCode() == 429).hasSize(30);
  }

  /** A token costs a dollar, and each call reserves what its 50 tokens may cost. */
  @Test
  void twoHundredCallsAtOnceNeverOverspend() throws Exception {
    serve(60);
    var tasks = new ArrayList<Callable<HttpResponse<String>>>();
    for (int i = 0; i < 200; i++) {
      var gateway = gateways.get(i % 3);
      var text = "call " + i;
      tasks.add(() -> gateway.ask("assistant", text, "x-api-key", "key-poor"));
    }
    var answers = all(tasks);
    long spent = 0;
    for (var answer : answers) {
      assertThat(answer.statusCode()).isIn(200, 429, 503);
      if (answer.statusCode() == 200) {
        spent +=
            Long.parseLong(
                answer.body().replaceAll("(?s).*\"completion_tokens\":\\s*(\\d+).*", "$1"));
      }
    }
    assertThat(spent).isPositive().isLessThanOrEqualTo(1000);
    // The last settlements are on their way when the last answer is there.
    while (number("select count(*) from reservations") > 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(number("select sum(spent) / 1000000000 from budgets")).isEqualTo(spent);
    assertThat(simulator.log().size())
        .as("nothing was asked that was not paid for")
        .isEqualTo((int) answers.stream().filter(each -> each.statusCode() == 200).count());
  }

  @Test
  void killedAndPausedAtRandomNothingIsLostAndNothingCountsTwice() throws Exception {
    serve(3);
    long seed = Long.getLong("mainstay.seed", 20261123);
    var random = new Random(seed);
    var stop = new AtomicBoolean();
    var accepted = ConcurrentHashMap.<String>newKeySet();
    var answered = new ConcurrentHashMap<String, String>();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 6; i++) {
        int client = i;
        clients.submit(
            () -> {
              for (int n = 0; !stop.get(); n++) {
                var key = client + "-" + n;
                if (client % 2 == 0) {
                  submit(client, key, accepted);
                } else {
                  askUntilAnswered(client, key, answered, stop);
                }
              }
              return null;
            });
      }
      for (int round = 0; round < 3; round++) {
        TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(1000));
        int victim = random.nextInt(3);
        gateways.get(victim).kill();
        int paused = (victim + 1) % 3;
        gateways.get(paused).signal("STOP");
        gateways.set(victim, gateway(3));
        // Longer than the lease, so that the third one takes over what both had in hand.
        TimeUnit.MILLISECONDS.sleep(4500);
        gateways.get(paused).signal("CONT");
      }
      stop.set(true);
    }
    assertThat(accepted).as("seed %d", seed).isNotEmpty();
    assertThat(answered).as("seed %d", seed).isNotEmpty();
    for (long open = 1; open > 0; ) {
      TimeUnit.MILLISECONDS.sleep(100);
      open = number("select count(*) from kept_calls where stand = 'running'");
    }
    for (var call : accepted) {
      assertThat(number("select count(*) from kept_calls where call = '%s'".formatted(call)))
          .as("seed %d, %s", seed, call)
          .isEqualTo(1);
    }
    assertThat(number("select count(*) from kept_calls where stand = 'answered'"))
        .as("seed %d: those that were accepted, and those whose 202 was lost", seed)
        .isGreaterThanOrEqualTo(accepted.size());
    // A process may die between the last byte to its client and the keeping of the answer: that key
    // is asked once more. From then on each has one answer, whoever is asked, and makes no call.
    var keys = answered.keySet().stream().limit(20).toList();
    var first = replays(keys);
    int requests = simulator.log().size();
    var second = replays(keys);
    assertThat(second).as("seed %d", seed).isEqualTo(first);
    for (var key : keys) {
      assertThat(second.get(key)).as("seed %d, %s", seed, key).hasSize(1);
    }
    assertThat(simulator.log().size()).as("seed %d", seed).isEqualTo(requests);
    for (var each : asked().entrySet()) {
      assertThat(each.getValue())
          .as(
              "seed %d: %s was asked once for each process that died or paused",
              seed, each.getKey())
          .isLessThanOrEqualTo(7);
    }
  }

  /** The different answers that all gateways give under each key, once they give one. */
  private Map<String, Set<String>> replays(List<String> keys) throws Exception {
    var replays = new HashMap<String, Set<String>>();
    for (var key : keys) {
      for (var gateway : gateways) {
        HttpResponse<String> answer;
        do {
          answer = gateway.ask("slow", key, "x-api-key", "key-rich", "idempotency-key", key);
        } while (answer.statusCode() != 200);
        replays.computeIfAbsent(key, name -> new HashSet<>()).add(answer.body());
      }
    }
    return replays;
  }

  private void submit(int client, String key, Set<String> accepted) throws Exception {
    try {
      var answer =
          gateways
              .get(client % 3)
              .ask("slow", key, "x-api-key", "key-rich", "prefer", "respond-async");
      if (answer.statusCode() == 202) {
        accepted.add(answer.headers().firstValue("x-mainstay-call").orElseThrow());
      }
    } catch (IOException | RuntimeException e) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    TimeUnit.MILLISECONDS.sleep(20);
  }

  /** As a client that retries does: at another gateway each time. */
  private void askUntilAnswered(
      int client, String key, Map<String, String> answered, AtomicBoolean stop) throws Exception {
    for (int n = client; !stop.get(); n++) {
      try {
        var answer =
            gateways.get(n % 3).ask("slow", key, "x-api-key", "key-rich", "idempotency-key", key);
        if (answer.statusCode() == 200) {
          answered.put(key, answer.body());
          return;
        }
      } catch (IOException | RuntimeException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }
}
