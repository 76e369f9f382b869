package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.simulator.Simulator;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real gateway whose real PostgreSQL is restarted, full, slow, cut off and replaced by its second
 * host under its traffic.
 */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StoreOutageTest {
  private static final String NO_ROOM =
      """
      create function no_room() returns trigger language plpgsql as
        $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$;
      """;

  private static final String UNSEEN = "mainstay_session=unseen";

  @TempDir Path directory;
  private @Nullable EmbeddedPostgres server;
  private TcpRelay relay;
  private TcpRelay second;
  private Simulator simulator;
  private GatewayProcess gateway;
  private int port;
  private int asked;

  private EmbeddedPostgres startServer() throws IOException {
    return EmbeddedPostgres.builder()
        .setPort(port)
        .setDataDirectory(directory.resolve("postgres"))
        .setCleanDataDirectory(false)
        .setPGStartupWait(Duration.ofMinutes(2))
        .start();
  }

  @BeforeEach
  void start() throws Exception {
    var first = startServer();
    server = first;
    port = first.getPort();
    relay = new TcpRelay(port);
    second = new TcpRelay(port);
    second.cut(true);
    simulator = Simulator.start();
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        store:
          url: "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=postgres"
          lease: 3s
        admin: { token: t0ken }
        prices:
          - { model: openai/gpt-4o, unit: input, price: 0 }
          - { model: openai/gpt-4o, unit: output, price: 1000 }
        clients:
          - { name: poor, key: key-poor, budget: { usd: 1000, per: month } }
          - { name: rich, key: key-rich }
        providers:
          openai: { dialect: openai, base-url: "%s", keys: [sk-test] }
        models:
          assistant: { targets: [openai/gpt-4o] }
        """
            .formatted(relay.port(), second.port(), simulator.openAiUrl()));
    gateway = GatewayProcess.start(config);
    gateway.address();
  }

  @AfterEach
  void stop() throws Exception {
    gateway.close();
    simulator.close();
    relay.close();
    second.close();
    if (server != null) {
      server.close();
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  @Test
  void callsGoOnAndTheirRecordsArriveOnce() throws Exception {
    settled();
    var signedIn = new ArrayList<String>();
    signedIn.add(signIn());
    outage(
        "cut off",
        () -> {
          relay.cut(true);
          // Who was in stays in, and who comes now gets in: their pages say what is away.
          signedIn.add(signIn());
          for (var cookie : signedIn) {
            for (var path : List.of("/api/calls", "/api/calls", "/api/runs")) {
              var answer = api("GET", path, "", "cookie", cookie);
              assertThat(answer.statusCode()).as(path).isEqualTo(503);
              assertThat(answer.body()).as(path).contains("store_unavailable", "connection");
            }
          }
          assertThat(api("POST", "/api/session", "{\"token\":\"wrong\"}").statusCode())
              .isEqualTo(401);
          // A session that this gateway has not seen, as after its restart, may well go on.
          for (var path : List.of("/api/calls", "/api/session")) {
            var unseen = api("GET", path, "", "cookie", UNSEEN);
            assertThat(unseen.statusCode()).as(unseen.body()).isEqualTo(503);
            assertThat(unseen.body()).contains("store_unavailable", "try again, or sign in");
          }
        },
        () -> relay.cut(false));
    for (var cookie : signedIn) {
      await("pages recover", () -> status("/api/calls", cookie) == 200);
      assertThat(status("/api/session", cookie)).isEqualTo(200);
    }
    await("an unknown session is out", () -> status("/api/calls", UNSEEN) == 401);
    failsOver(relay, second);
    failsOver(second, relay);
    outage(
        "restarted",
        () -> {
          if (server != null) {
            server.close();
            server = null;
          }
        },
        () -> server = startServer());
    outage("slow", () -> relay.delay(Duration.ofSeconds(3)), () -> relay.delay(Duration.ZERO));
    crashes();
    outage("full", this::fill, () -> sql("drop function no_room() cascade"));
    // A refused call is on record too, without an attempt.
    var carriedOut = "from calls where client = 'rich' and attempts > 0";
    assertThat(number("select count(*) " + carriedOut)).isEqualTo(asked);
    assertThat(number("select count(distinct id) " + carriedOut)).isEqualTo(asked);
    assertThat(number("select count(*) from reservations")).isZero();
    assertThat(number("select count(*) from kept_calls")).isZero();
  }

  /** The cookie of a new session. */
  private String signIn() throws Exception {
    var answer = api("POST", "/api/session", "{\"token\":\"t0ken\"}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
  }

  private int status(String path, String cookie) throws Exception {
    return api("GET", path, "", "cookie", cookie).statusCode();
  }

  private HttpResponse<String> api(String method, String path, String body, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(gateway.address() + path))
            .method(method, BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  /** One host of the URL goes for good, and the other takes its place. */
  private void failsOver(TcpRelay from, TcpRelay to) throws Exception {
    to.cut(false);
    from.cut(true);
    var text = "failing over from " + from.port();
    assertThat(ask(text, "key-rich", "idempotency-key", text).statusCode()).isEqualTo(200);
    asked++;
    settled();
    await("records arrive", () -> number("select count(*) from calls where attempts > 0") >= asked);
    assertThat(simulator.log()).filteredOn(each -> each.body().contains(text)).hasSize(1);
  }

  /** The server's processes are killed in the middle of what they do, and it recovers. */
  private void crashes() throws Exception {
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 3; round++) {
        var answers = new ArrayList<Future<HttpResponse<String>>>();
        for (int i = 0; i < 30; i++) {
          var text = "crash " + round + ' ' + i;
          answers.add(clients.submit(() -> ask(text, "key-rich", "idempotency-key", text)));
          if (i == 15) {
            kill();
          }
        }
        for (var each : answers) {
          assertThat(each.get().statusCode()).isEqualTo(200);
        }
        asked += 30;
        settled();
      }
    }
    assertThat(simulator.log())
        .as("the provider was asked once under each key")
        .filteredOn(each -> each.body().contains("crash "))
        .hasSize(90);
    await("records arrive", () -> number("select count(*) from calls where attempts > 0") >= asked);
  }

  /** One killed process makes PostgreSQL end all others, and recover from its log. */
  private void kill() throws Exception {
    var busy = "select pid from pg_stat_activity where application_name = 'mainstay' limit 1";
    await(
        "PostgreSQL has recovered from the last kill",
        () -> {
          ProcessHandle.of(number(busy)).ifPresent(ProcessHandle::destroyForcibly);
          return true;
        });
  }

  /** As a disk that is full does: what is there can be read, nothing can be added. */
  private void fill() throws SQLException {
    sql(NO_ROOM);
    for (var table : List.of("calls", "idempotency", "reservations", "kept_calls", "budgets")) {
      sql(
          "create trigger full_disk before insert or update on %s for each row execute function no_room()"
              .formatted(table));
    }
  }

  private void outage(String name, Step begin, Step end) throws Exception {
    begin.run();
    var keyed = ask(name + " keyed", "key-rich", "idempotency-key", name);
    assertThat(keyed.statusCode()).as(name).isEqualTo(200);
    assertThat(keyed.headers().firstValue("x-mainstay-degraded")).as(name).contains("idempotency");
    var joined = ask(name + " keyed", "key-rich", "idempotency-key", name);
    assertThat(joined.body())
        .as("%s: the gateway alone keeps the key", name)
        .isEqualTo(keyed.body());
    var tasks = new ArrayList<Callable<HttpResponse<String>>>();
    for (int i = 0; i < 10; i++) {
      var text = name + " " + i;
      tasks.add(() -> ask(text, "key-rich"));
    }
    tasks.add(() -> ask(name + " poor", "key-poor"));
    tasks.add(() -> ask(name + " async", "key-rich", "prefer", "respond-async"));
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = new ArrayList<HttpResponse<String>>();
      for (Future<HttpResponse<String>> each : clients.invokeAll(tasks)) {
        answers.add(each.get());
      }
      assertThat(answers.subList(0, 10)).as(name).allMatch(each -> each.statusCode() == 200);
      assertThat(answers.get(10).statusCode())
          .as("%s: money could be overspent: %s", name, answers.get(10).body())
          .isEqualTo(503);
      assertThat(answers.get(11).statusCode())
          .as("%s: the call could be lost: %s", name, answers.get(11).body())
          .isEqualTo(503);
    }
    await(name + ": health says so", () -> health().matches("(?s).*\"trouble\":\\s*\"[^\"]+.*"));
    end.run();
    asked += 11;
    settled();
    assertThat(ask(name + " keyed", "key-rich", "idempotency-key", name).body())
        .as("%s: the answer was brought to the database", name)
        .isEqualTo(keyed.body());
    assertThat(simulator.log())
        .as("%s: the provider was asked once under the key", name)
        .filteredOn(each -> each.body().contains(name + " keyed"))
        .hasSize(1);
    await(
        name + ": records arrive",
        () -> number("select count(*) from calls where attempts > 0") >= asked);
  }

  private void settled() throws Exception {
    await("health is good again", () -> !health().matches("(?s).*\"trouble\":\\s*\"[^\"]+.*"));
    await("money is spent again", () -> ask("poor", "key-poor").statusCode() == 200);
  }

  private String health() throws Exception {
    return gateway.get("/health").body();
  }

  private HttpResponse<String> ask(String text, String key, String... headers) throws Exception {
    var all = new ArrayList<>(List.of("x-api-key", key));
    all.addAll(List.of(headers));
    return gateway.ask("assistant", text, all.toArray(String[]::new));
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!holds(condition)) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static boolean holds(Condition condition) throws Exception {
    try {
      return condition.holds();
    } catch (SQLException e) {
      // PostgreSQL learns some time after the kill that a process of its own is gone, and ends this
      // connection too.
      return false;
    }
  }

  private void sql(String sql) throws SQLException {
    try (var db = DriverManager.getConnection(direct());
        var statement = db.createStatement()) {
      statement.execute(sql);
    }
  }

  private long number(String sql) throws SQLException {
    try (var db = DriverManager.getConnection(direct());
        var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private String direct() {
    return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port);
  }
}
