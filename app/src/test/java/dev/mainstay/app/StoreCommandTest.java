package dev.mainstay.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.ledger.state.Budgets;
import dev.mainstay.ledger.state.Claims;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.ledger.state.KeptCalls.DeadLetterQuery;
import dev.mainstay.ledger.state.StoredAnswer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An embedded store with every kind of row in it is looked over, and moved to a real PostgreSQL.
 */
@Timeout(300)
class StoreCommandTest {
  private static final InstantSource CLOCK = InstantSource.system();
  private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
  private static final Instant LATER = NOW.plus(Duration.ofDays(1));
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static EmbeddedPostgres server;

  @TempDir Path temp;
  private Path store;

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  private static String newDatabase() throws SQLException {
    var name = "store" + DATABASES.incrementAndGet();
    try (var db = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        var statement = db.createStatement()) {
      statement.execute("create database " + name);
    }
    return server.getJdbcUrl("postgres", name);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @BeforeEach
  void fill() throws Exception {
    store = temp.resolve("store");
    try (var ledger = SqliteLedger.open(LedgerConfig.in(store), CLOCK)) {
      for (int i = 0; i < 700; i++) {
        record(ledger, "call_%04d".formatted(i));
      }
      ledger.recorder().started(start("call_killed"));
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      state(ledger);
    }
  }

  private static CallStart start(String id) {
    return new CallStart(id, null, null, "team", NOW, "openai", "/v1/x", "assistant", true);
  }

  private static void record(Ledger ledger, String id) {
    var tokens = new Tokens(1, 2, 3, 4, 5, false);
    var ended = NOW.plusMillis(7);
    ledger.recorder().started(start(id));
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(id, "run-1", null, "team", NOW, "openai", "/v1/x", "assistant", true),
                new CallRecord.Outcome(
                    "openai/gpt-4o", 200, null, List.of("retry"), 1, null, Duration.ofMillis(7)),
                new CallRecord.Cost(tokens, 123L, "2026")),
            List.of(
                new AttemptRecord(
                    id,
                    1,
                    "openai/gpt-4o",
                    new AttemptRecord.Times(Duration.ZERO, NOW, NOW, null, ended),
                    new AttemptRecord.Outcome(200, null, null, null, "proceed", "it was answered"),
                    new AttemptRecord.Use(10, 20, tokens, 123L))),
            List.of(
                new Body(0, Body.Part.REQUEST, asked(id)),
                new Body(0, Body.Part.RESPONSE, ("answer " + id).getBytes(UTF_8)),
                new Body(1, Body.Part.RESPONSE, ("answer " + id).getBytes(UTF_8))));
  }

  private static byte[] asked(String id) {
    return "{\"input\":\"Report on %s\"}".formatted(id).getBytes(UTF_8);
  }

  private static void state(Ledger ledger) {
    var state = ledger.state();
    now(state.claims().claim("team", "key", "hash", "call_a", NOW, LATER));
    now(state.claims().keep("team", "key", answer("call_a")));
    now(state.claims().claim("team", "open", "hash", "call_b", NOW, LATER));
    var allowance = new Budgets.Allowance("client:team", 0, 1000);
    now(state.budgets().reserve("call_a", List.of(allowance), 300, NOW));
    now(state.budgets().settle("call_a", 200));
    now(state.budgets().reserve("call_b", List.of(allowance), 100, NOW));
    now(state.alerts().raise("alert_1", "cause", "failure", "words", 0, NOW, Duration.ZERO));
    var request =
        new KeptCalls.Request(
            "team",
            true,
            null,
            "hash",
            "/v1/x",
            "",
            List.of(Map.entry("a", "b")),
            new byte[] {0, 1});
    now(state.keptCalls().accept("kept_1", request, NOW, LATER));
    now(state.keptCalls().ended("kept_1", "FATAL/x", answer("kept_1"), NOW));
    now(state.keptCalls().accept("kept_2", request, NOW, LATER));
    now(state.runs().accept(run("run_1"), 9, NOW, LATER));
    now(state.runs().accept(run("run_2"), 9, NOW, LATER));
    var lease = now(state.runs().claim(1, NOW)).getFirst();
    now(state.runs().append(lease, 1, RunStore.Entries.of(entry("a"), entry("b")), NOW));
    now(state.runs().post("run_1", "say", "matter", "hello".getBytes(UTF_8), "ann", NOW));
  }

  private static StoredAnswer answer(String call) {
    return new StoredAnswer(call, 200, false, List.of(), "answered".getBytes(UTF_8));
  }

  private static RunStore.Entry entry(String text) {
    return new RunStore.Entry("said", text.getBytes(UTF_8));
  }

  private static RunStore.NewRun run(String id) {
    return new RunStore.NewRun(
        new RunStore.Origin(id, "helper", "team", null, null, 0),
        id,
        "hash",
        RunStore.Entries.of(entry("input")));
  }

  @Test
  void everyRowAndBodyArrivesAndTheNewStoreGoesOnFromThere() throws Exception {
    var url = newDatabase();
    var moved = Run.of("store", "migrate", "--store", store.toString(), "--to", url);
    assertThat(moved.err()).isEmpty();
    assertThat(moved.code()).isZero();
    assertThat(moved.out()).contains("Everything arrived.").doesNotContain("problem");
    assertThat(moved.out()).containsPattern("calls +701").containsPattern("bodies +1,400");
    try (var ledger = PostgresLedger.open(PostgresConfig.of(url, temp.resolve("spool")), CLOCK)) {
      var reader = ledger.reader();
      var call = Objects.requireNonNull(reader.call("call_0123"));
      assertThat(call.call().costNanos()).isEqualTo(123);
      assertThat(call.attempts()).hasSize(1);
      assertThat(call.bodies())
          .extracting(body -> body.part() + " " + new String(reader.body(body), UTF_8))
          .containsExactly(
              "REQUEST " + new String(asked("call_0123"), UTF_8),
              "RESPONSE answer call_0123",
              "RESPONSE answer call_0123");
      assertThat(reader.calls(CallQuery.newest(9).text("\"on call 0123\"").inBodies(true)).calls())
          .as("found by its words there")
          .extracting(CallRecord::id)
          .containsExactly("call_0123");
      assertThat(Objects.requireNonNull(reader.call("call_killed")).call().verdict())
          .as("it was under way when its process ended")
          .isNotNull();
      goesOn(ledger);
      record(ledger, "call_new");
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      assertThat(reader.calls(CallQuery.newest(1)).calls())
          .extracting(CallRecord::id)
          .containsExactly("call_new");
    }
    var checked = Run.of("store", "check", "--store", url);
    assertThat(checked.out()).contains("is sound");
    assertThat(checked.code()).isZero();
  }

  private static void goesOn(Ledger ledger) {
    var state = ledger.state();
    assertThat(now(state.claims().claim("team", "key", "hash", "c", NOW, LATER)))
        .isInstanceOf(Claims.Claim.Answered.class);
    assertThat(now(state.claims().claim("team", "open", "hash", "c", NOW, LATER)))
        .as("its process is gone")
        .isEqualTo(new Claims.Claim.Fresh(false));
    assertThat(now(state.budgets().accounts()))
        .as("settled, and reserved by a process that is gone")
        .containsExactly(new Budgets.Account("client:team", 0, 300, 0));
    assertThat(now(state.alerts().page(null, 5))).hasSize(1);
    assertThat(now(state.keptCalls().deadLetters(DeadLetterQuery.newest(5))))
        .extracting(KeptCalls.Kept::call)
        .containsExactly("kept_1");
    assertThat(now(state.keptCalls().adopt(5)))
        .extracting(KeptCalls.Unfinished::call)
        .containsExactly("kept_2");
    assertThat(state.kept().bytes()).isPositive();
    var runs = state.runs();
    assertThat(now(runs.accept(run("run_1"), 9, NOW, LATER)))
        .isEqualTo(new RunStore.Accepted.Known("run_1"));
    assertThat(now(runs.accept(run("run_3"), 9, NOW, LATER)))
        .isEqualTo(new RunStore.Accepted.Fresh());
    assertThat(now(runs.read("run_1", 0, 9)))
        .extracting(stored -> new String(stored.entry().payload(), UTF_8))
        .containsExactly("input", "a", "b");
    assertThat(now(runs.messages("run_1", 0, 9))).hasSize(1);
    assertThat(now(runs.claim(9, NOW)))
        .extracting(RunStore.Lease::run)
        .containsExactly("run_1", "run_2", "run_3");
  }

  @Test
  void aDatabaseThatIsNotEmptyIsLeftAsItIs() throws Exception {
    var url = newDatabase();
    Run.of("store", "migrate", "--store", store.toString(), "--to", url);
    var again = Run.of("store", "migrate", "--store", store.toString(), "--to", url);
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err()).contains("is not empty: table ").contains("Name an empty database");
  }

  @Test
  void aStoreThatAGatewayWritesIsNotMoved() throws Exception {
    try (var _ = SqliteLedger.open(LedgerConfig.in(store), CLOCK)) {
      var refused = Run.of("store", "migrate", "--store", store.toString(), "--to", newDatabase());
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err())
          .contains(
              "another Mainstay (process %d) writes".formatted(ProcessHandle.current().pid()));
      var checked = Run.of("store", "check", "--store", store.toString());
      assertThat(checked.out()).contains("is sound");
    }
  }

  @Test
  void whatIsDamagedOrDoesNotFitTogetherIsNamed() throws Exception {
    var sound = Run.of("store", "check", "--store", store.toString());
    assertThat(sound.out()).contains("is sound").containsPattern("bodies +1,400");
    assertThat(sound.code()).isZero();
    change("calls.db", "delete from calls where id = 'call_0001'");
    change("state.db", "delete from journal where sequence = 2");
    change("state.db", "update kept_calls set holder = 99 where stand = 'running'");
    var segment = store.resolve("bodies/0001.seg");
    var bytes = Files.readAllBytes(segment);
    bytes[20]++;
    Files.write(segment, bytes);
    var checked = Run.of("store", "check", "--store", store.toString());
    assertThat(checked.code()).isEqualTo(1);
    assertThat(checked.out())
        .contains("1 attempts belong to no call")
        .contains("1 runs lack entries of their journal")
        .contains("1 kept calls are leased to an instance that is gone")
        .contains("1 bodies are damaged, the first: the body is damaged, in ");
    Files.write(store.resolve("state.db"), new byte[8192]);
    assertThat(Run.of("store", "check", "--store", store.toString()).out())
        .contains("state.db cannot be read");
  }

  private void change(String file, String sql) throws SQLException {
    try (var db = DriverManager.getConnection("jdbc:sqlite:" + store.resolve(file));
        var statement = db.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void whatWaitsForADatabaseThatIsAwayIsCounted() throws Exception {
    var spool = temp.resolve("spool");
    var away = "jdbc:postgresql://127.0.0.1:1/x?password=secret";
    try (var ledger = PostgresLedger.open(PostgresConfig.of(away, spool), CLOCK)) {
      for (int i = 0; i < 7; i++) {
        record(ledger, "call_" + i);
      }
      var checked = Run.of("store", "check", "--store", away, "--spool", spool.toString());
      assertThat(checked.code()).isEqualTo(1);
      assertThat(checked.out())
          .containsPattern("waiting_calls +7")
          .contains("7 calls wait in " + spool, "since " + NOW)
          .contains("127.0.0.1:1/x cannot be read: ", "refused")
          .doesNotContain("secret");
    }
    var url = newDatabase();
    try (var ledger = PostgresLedger.open(PostgresConfig.of(url, spool), CLOCK)) {
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
    }
    var sound = Run.of("store", "check", "--store", url, "--spool", spool.toString());
    assertThat(sound.out()).containsPattern("waiting_calls +0").containsPattern("calls +7");
    assertThat(sound.code()).isZero();
  }

  @Test
  void whatCannotBeMovedIsRefusedInWords() {
    assertThat(Run.of("store", "check", "--store", temp.resolve("none").toString()).err())
        .contains("no ledger in ");
    var nowhere = Run.of("store", "migrate", "--store", store.toString(), "--to", "/tmp/elsewhere");
    assertThat(nowhere.code()).isEqualTo(2);
    assertThat(nowhere.err()).contains("not jdbc:postgresql://");
    var away =
        Run.of(
            "store",
            "migrate",
            "--store",
            store.toString(),
            "--to",
            "jdbc:postgresql://127.0.0.1:1/x?password=secret");
    assertThat(away.code()).isEqualTo(1);
    assertThat(away.err()).contains("and nothing was").doesNotContain("secret");
  }
}
