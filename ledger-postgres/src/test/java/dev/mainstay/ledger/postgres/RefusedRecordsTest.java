package dev.mainstay.ledger.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.sql.EndedCalls;
import dev.mainstay.ledger.state.StoredAnswer;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that takes connections and refuses rows: records wait, and no error shows a body. */
@Timeout(180)
class RefusedRecordsTest {
  private static final String PROMPT = "what the patient said";

  @TempDir Path directory;
  private final String url = Servers.newDatabase();

  RefusedRecordsTest() throws SQLException {}

  private void sql(String... statements) throws SQLException {
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement()) {
      for (var each : statements) {
        statement.execute(each);
      }
    }
  }

  private Ledger open() {
    return PostgresLedger.open(PostgresConfig.of(url, directory), InstantSource.system());
  }

  /** From now on the server answers every insert into {@code table} with {@code state}. */
  private void refuse(String table, String state) throws SQLException {
    sql(
        "create or replace function refuse() returns trigger language plpgsql as $$ begin raise"
            + " exception 'refused for a test' using errcode = '%s'; end $$".formatted(state),
        "create trigger refuse before insert on %s execute function refuse()".formatted(table));
  }

  private static void record(Ledger ledger, String call) {
    // Two bodies make a batch, whose error the driver writes itself.
    ledger
        .recorder()
        .record(
            EndedCalls.call(call, Instant.now()),
            List.of(EndedCalls.attempt(call, 1)),
            List.of(
                new Body(0, Body.Part.REQUEST, PROMPT.getBytes(UTF_8)),
                new Body(0, Body.Part.RESPONSE, (PROMPT + "!").getBytes(UTF_8))));
  }

  /** The disk is full; the role lost its rights; the table was moved away. */
  @ParameterizedTest
  @ValueSource(strings = {"53100", "42501", "42P01"})
  void recordsWaitUntilTheServerTakesThem(String state) throws Exception {
    try (var ledger = open()) {
      var recorder = ledger.recorder();
      record(ledger, "before");
      assertThat(recorder.flush(Duration.ofSeconds(60))).isTrue();
      refuse("bodies", state);
      record(ledger, "meanwhile");
      var trouble = recorder.health().trouble();
      while (trouble == null || !trouble.contains("refused for a test")) {
        Thread.onSpinWait();
        trouble = recorder.health().trouble();
      }
      assertThat(trouble).doesNotContain(PROMPT, "insert into", "7768617420746865");
      assertThat(recorder.health().droppedCalls()).isZero();
      sql("drop trigger refuse on bodies");
      assertThat(recorder.flush(Duration.ofSeconds(60))).isTrue();
      assertThat(recorder.health().ok()).isTrue();
      assertThat(ledger.reader().call("meanwhile")).isNotNull();
    }
  }

  /** In the middle of an upgrade the older gateways still have calls to answer. */
  @Test
  void recordsWaitWhileANewerMainstayHasTheTables() throws Exception {
    try (var ledger = open()) {
      record(ledger, "before");
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      sql(
          "insert into mainstay_schema (version) values (99)",
          "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
              + " and datname = current_database()");
      record(ledger, "meanwhile");
      var trouble = ledger.recorder().health().trouble();
      while (trouble == null || !trouble.contains("newer Mainstay (schema 99")) {
        Thread.onSpinWait();
        trouble = ledger.recorder().health().trouble();
      }
      assertThat(ledger.recorder().health().droppedCalls()).isZero();
      sql("delete from mainstay_schema where version = 99");
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      assertThat(ledger.reader().call("meanwhile")).isNotNull();
    }
  }

  /** A value that no table takes costs its one call, and the store is not slow for ever after. */
  @Test
  void aCallThatCannotBeStoredIsDroppedAlone() throws Exception {
    try (var ledger = open()) {
      refuse("bodies", "22001");
      record(ledger, "dropped");
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      var health = ledger.recorder().health();
      assertThat(health.droppedCalls()).isEqualTo(1);
      assertThat(health.waiting()).isZero();
    }
  }

  @Test
  void answersWaitUntilTheServerTakesThem() throws Exception {
    try (var ledger = open()) {
      var claims = ledger.state().claims();
      var noon = Instant.now();
      claims.claim("a", "k", "h", "call", noon, noon.plusSeconds(600)).toCompletableFuture().join();
      sql(
          "create function refuse() returns trigger language plpgsql as $$ begin raise"
              + " exception 'refused for a test' using errcode = '42501'; end $$",
          "create trigger refuse before update on idempotency execute function refuse()");
      var answer = new StoredAnswer("call", 200, false, List.of(), PROMPT.getBytes(UTF_8));
      var kept = claims.keep("a", "k", answer).toCompletableFuture();
      while (ledger.state().trouble() == null) {
        Thread.onSpinWait();
      }
      assertThat(ledger.state().trouble()).contains("refused for a test").doesNotContain(PROMPT);
      assertThat(kept).isNotDone();
      sql("drop trigger refuse on idempotency");
      assertThat(kept.join()).isTrue();
    }
  }
}
