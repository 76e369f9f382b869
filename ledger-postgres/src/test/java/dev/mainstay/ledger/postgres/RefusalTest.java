package dev.mainstay.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.EndedCalls;
import java.net.URI;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a database refuses ends the start, in words that say where, why and what to do. */
@Timeout(180)
class RefusalTest {
  @TempDir Path directory;
  private final String url = Servers.newDatabase();

  RefusalTest() throws SQLException {}

  /** A user whom the server asks for its password, and who may have one connection. */
  @BeforeEach
  void user() throws SQLException {
    sql("drop role if exists locked");
    sql("create role locked login password 'topsecret' connection limit 1");
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement();
        var row = statement.executeQuery("show hba_file")) {
      row.next();
      sql(
          "copy (values ('host all locked all scram-sha-256'), ('host all all all trust'), ('local all all trust')) to '%s'"
              .formatted(row.getString(1)));
    }
    sql("select pg_reload_conf()");
  }

  private void sql(String sql) throws SQLException {
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement()) {
      statement.execute(sql);
    }
  }

  private String as(String user, String password) {
    return url.substring(0, url.indexOf('?')) + "?user=" + user + "&password=" + password;
  }

  private void refused(String with, String... words) {
    refusedAtStart(with, words);
    var checked = PostgresLedger.check(with, directory.resolve("none")).problems();
    assertThat(String.join(" ", checked)).contains(words).doesNotContain("secret");
  }

  private void refusedAtStart(String with, String... words) {
    assertThatThrownBy(
            () ->
                PostgresLedger.open(PostgresConfig.of(with, directory), InstantSource.system())
                    .close())
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining(PostgresConfig.withoutPassword(with))
        .hasMessageContainingAll(words)
        .message()
        .doesNotContain("secret")
        .as("says once what to do")
        .doesNotContainPattern("—.*—");
  }

  @Test
  void aWrongPassword() {
    refused(as("locked", "wrongsecret"), "password authentication failed", "check user and pass");
  }

  /** It would lose limits, prepared statements and notifications, some of them now and then. */
  @Test
  void aPoolerThatPoolsNoSessions() throws Exception {
    try (var pooler = new TestPooler(port(), false)) {
      refused(through(pooler), "does not pool sessions", "set pool_mode = session");
    }
  }

  @Test
  void aPoolerOfSessionsIsAsGoodAsTheServer() throws Exception {
    try (var pooler = new TestPooler(port(), true);
        var ledger =
            PostgresLedger.open(
                PostgresConfig.of(through(pooler), directory), InstantSource.system())) {
      assertThat(ledger.state().trouble()).isNull();
    }
  }

  private int port() {
    return URI.create(url.substring("jdbc:".length())).getPort();
  }

  private String through(TestPooler pooler) {
    return url.replace(":" + port() + "/", ":" + pooler.port() + "/");
  }

  @Test
  void aDatabaseThatIsNotThere() {
    var none = as("postgres", "topsecret").replaceAll("/t\\d+\\?", "/none?");
    refused(none, "database \"none\" does not exist", "create the database");
  }

  @Test
  void tlsThatTheServerDoesNotSpeak() {
    refused(
        as("postgres", "topsecret") + "&sslmode=require", "does not support SSL", "turn TLS on");
  }

  @Test
  void anSslModeThatIsNone() {
    refused(as("postgres", "topsecret") + "&sslmode=nonsense", "nonsense", "driver knows");
  }

  @Test
  void anEncodingWithoutMostCharacters() throws SQLException {
    sql("create database latin encoding 'LATIN1' locale 'C' template template0");
    refusedAtStart(as("postgres", "topsecret").replaceAll("/t\\d+\\?", "/latin?"), "encoding UTF8");
    sql("drop database latin");
  }

  @Test
  void aSchemaThatIsNotThere() {
    refusedAtStart(as("postgres", "topsecret") + "&currentSchema=nowhere", "create the schema");
  }

  /** A standby may be promoted: the gateway starts, and its records wait. */
  @Test
  void aDatabaseThatTakesNoWrites() throws Exception {
    var database = url.replaceAll(".*/(t\\d+)\\?.*", "$1");
    sql("alter database %s set default_transaction_read_only = on".formatted(database));
    try (var ledger =
        PostgresLedger.open(PostgresConfig.of(url, directory), InstantSource.system())) {
      assertThat(ledger.state().trouble()).contains("default_transaction_read_only off");
    }
  }

  @Test
  void aUrlThatNoDriverReads() {
    refused("jdbc:postgresql://127.0.0.1:port/x?user=a&password=topsecret", "store.url");
  }

  @Test
  void aUserWhoMayMakeNoTables() {
    assertThatThrownBy(
            () ->
                PostgresLedger.open(
                    PostgresConfig.of(as("locked", "topsecret"), directory),
                    InstantSource.system()))
        .hasMessageContainingAll("permission denied for schema public", "grant the user CREATE");
  }

  @Test
  void aSchemaFromTheFuture() throws Exception {
    new PostgresDatabase(url, Duration.ofSeconds(2)).connect().close();
    sql("insert into mainstay_schema (version) values (99)");
    refused(url, "newer Mainstay (schema 99", "start that one");
  }

  /** More may be free later: the gateway starts, and its calls wait. */
  @Test
  void moreConnectionsThanTheServerHas() throws Exception {
    var with = as("locked", "topsecret");
    sql("grant all on schema public to locked");
    try (var ledger =
            PostgresLedger.open(PostgresConfig.of(with, directory), InstantSource.system());
        var _ = DriverManager.getConnection(url)) {
      ledger.recorder().record(EndedCalls.call("call", Instant.now()), List.of(), List.of());
      var trouble = ledger.recorder().health().trouble();
      while (trouble == null) {
        Thread.onSpinWait();
        trouble = ledger.recorder().health().trouble();
      }
      assertThat(trouble).contains("too many connections", "each gateway takes up to 7");
      sql("alter role locked connection limit -1");
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
    }
    sql("revoke all on schema public from locked");
    sql("drop owned by locked");
  }

  /** It writes, and loses what it has in hand again and again: health must not call that well. */
  @Test
  void noConnectionForTheHeartbeat() throws Exception {
    sql("grant all on schema public to locked");
    var database = new PostgresDatabase(as("locked", "topsecret"), Duration.ofMinutes(2));
    var state =
        PostgresState.open(database, Duration.ofSeconds(1), InstantSource.system(), 1 << 20);
    try {
      while (!String.valueOf(state.state().trouble()).contains("too many connections")) {
        Thread.onSpinWait();
      }
      sql("alter role locked connection limit -1");
      while (state.state().trouble() != null) {
        Thread.onSpinWait();
      }
    } finally {
      state.close();
    }
    sql("drop owned by locked");
  }
}
