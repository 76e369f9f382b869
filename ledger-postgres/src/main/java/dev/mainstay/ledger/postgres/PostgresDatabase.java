package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.Database;
import dev.mainstay.ledger.sql.Db;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.jdbc.SslMode;
import org.postgresql.util.PSQLException;

/**
 * A PostgreSQL server that any number of processes write. Transactions that change the same thing
 * take the same advisory locks first, in ascending order, and so follow each other without
 * deadlocks.
 */
final class PostgresDatabase implements Database {
  /** The channel of notifications. */
  static final String CHANNEL = "mainstay";

  /** The longest statement on the state. */
  private static final Duration LONGEST = Duration.ofSeconds(3);

  /** The longest wait for a lock, in milliseconds. */
  private static final int LOCK_MILLIS = 2000;

  /**
   * A transaction of a process that was paused in its middle: the server ends it, so that its locks
   * hold nobody up for longer.
   */
  private static final Duration LONGEST_IDLE = Duration.ofSeconds(3);

  /** The longest statement of work on whole tables: an index of a table of hundred million rows. */
  private static final Duration LONGEST_OF_TABLES = Duration.ofHours(1);

  /** A move of a store computes between its statements. */
  private static final Duration LONGEST_IDLE_OF_TABLES = Duration.ofMinutes(1);

  /**
   * A commit that returns is on disk, also where the server's setting is another one; what waits
   * for standbys as well goes on doing so.
   * https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT
   */
  private static final String DURABLE =
      "select set_config('synchronous_commit', 'on', false) where"
          + " current_setting('synchronous_commit') = 'off'";

  /** https://www.postgresql.org/docs/current/errcodes-appendix.html */
  private static final String INVALID_PARAMETER = "22023";

  /** https://jdbc.postgresql.org/documentation/use/#connection-parameters */
  private static final String SOCKET_TIMEOUT = "socketTimeout";

  private static final Driver DRIVER = new Driver();

  private final String url;
  private final Duration patience;

  PostgresDatabase(String url, Duration patience) {
    this.url = url;
    this.patience = patience;
  }

  String url() {
    return url;
  }

  /** A connection as the URL says, bounded in all its waits. */
  Connection open() throws SQLException {
    return open(LONGEST);
  }

  /**
   * @param longest after which the server breaks off a statement
   */
  Connection open(Duration longest) throws SQLException {
    return open(longest, LONGEST_IDLE);
  }

  /** For work on whole tables: migrations, a move, a check. */
  Connection openForTables() throws SQLException {
    return open(LONGEST_OF_TABLES, LONGEST_IDLE_OF_TABLES);
  }

  private Connection open(Duration longest, Duration idle) throws SQLException {
    var properties = new Properties();
    // Where the URL says otherwise, the URL wins: org.postgresql.Driver.parseURL.
    properties.setProperty("ApplicationName", "mainstay");
    properties.setProperty("connectTimeout", "2");
    properties.setProperty("loginTimeout", "4");
    properties.setProperty(SOCKET_TIMEOUT, Long.toString(longest.toSeconds() + 2));
    // A batch of rows as one statement.
    properties.setProperty("reWriteBatchedInserts", "true");
    properties.setProperty("tcpKeepAlive", "true");
    // Errors without the values of statements, which may be prompts.
    properties.setProperty("logServerErrorDetail", "false");
    // Of several hosts the one that takes writes: after a failover that is another one.
    properties.setProperty("targetServerType", "primary");
    var connection = open(properties);
    try (var statement = connection.createStatement()) {
      Pooler.check(connection, () -> open(properties));
      statement.execute(DURABLE);
      statement.execute("set lock_timeout = " + LOCK_MILLIS);
      bound(connection, longest, idle);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw Refusal.explained(e, url);
    }
  }

  /** Sets how long statements of a connection may take, and its transactions between them. */
  private void bound(Connection connection, Duration longest, Duration idle) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("set statement_timeout = " + longest.toMillis());
      statement.execute("set idle_in_transaction_session_timeout = " + idle.toMillis());
    }
    if (!url.contains(SOCKET_TIMEOUT + "=")) {
      connection.setNetworkTimeout(Runnable::run, (int) longest.plusSeconds(2).toMillis());
    }
  }

  private Connection open(Properties properties) throws SQLException {
    try {
      checkSslMode();
      var connection = DRIVER.connect(url, properties);
      if (connection != null) {
        return connection;
      }
    } catch (SQLException e) {
      throw Refusal.explained(e, url);
    }
    throw new SQLException("not a URL of PostgreSQL's driver", "08001");
  }

  /** The driver itself says of a mode that it does not know that the server is away. */
  private void checkSslMode() throws SQLException {
    var known = Driver.parseURL(url, null);
    if (known == null) {
      return;
    }
    try {
      SslMode.of(known);
    } catch (PSQLException e) {
      throw new SQLException(e.getMessage(), INVALID_PARAMETER, e);
    }
  }

  @Override
  public Connection connect() throws SQLException {
    return openUpToDate(LONGEST);
  }

  /**
   * A connection in a transaction to tables of the newest schema. Where they are older, it brings
   * them up to date first, which may take minutes.
   *
   * @param longest after which the server breaks off a statement
   */
  Connection openUpToDate(Duration longest) throws SQLException {
    try {
      var connection = open(longest);
      try {
        if (Migrations.version(connection) < Migrations.newest()) {
          // A user may have one connection only, and the server counts a closed one for a while.
          bound(connection, LONGEST_OF_TABLES, LONGEST_IDLE_OF_TABLES);
          Migrations.apply(connection);
          bound(connection, longest, LONGEST_IDLE);
        }
        connection.setAutoCommit(false);
        return connection;
      } catch (SQLException | RuntimeException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw Refusal.explained(e, url);
    }
  }

  @Override
  public void begin(Db db, Supplier<long[]> locks) throws SQLException {
    // The driver sends "begin" with the first statement.
    var numbers = locks.get();
    if (numbers.length > 0) {
      try (PreparedStatement statement =
          db.connection()
              .prepareStatement("select pg_advisory_xact_lock(k) from unnest(?::bigint[]) as k")) {
        statement.setObject(1, numbers);
        statement.execute();
      }
    }
  }

  @Override
  public void commit(Db db) throws SQLException {
    db.connection().commit();
  }

  @Override
  public void rollBack(Db db) throws SQLException {
    db.connection().rollback();
  }

  @Override
  public String skipLocked() {
    return " for update skip locked";
  }

  @Override
  public String keyShare() {
    return " for key share";
  }

  @Override
  public String clock() {
    return "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
  }

  @Override
  public void send(Db db, String text) throws SQLException {
    db.all("select pg_notify('" + CHANNEL + "', ?)", row -> true, text);
  }

  /** https://www.postgresql.org/docs/current/errcodes-appendix.html */
  @Override
  public boolean disconnects(SQLException failure) {
    var state = failure.getSQLState();
    return state != null
        && (state.startsWith("08") // connection exceptions
            || state.startsWith("57P") // the server shuts down, starts, or has crashed
            || state.equals("25P03") // it was idle in a transaction for too long
            || state.equals("25006")); // it is a standby now: the primary is elsewhere
  }

  /**
   * All but what is wrong with the values: rights, tables and disks are mended while calls wait.
   * https://www.postgresql.org/docs/current/errcodes-appendix.html
   */
  @Override
  public boolean mayPass(SQLException failure) {
    var state = failure.getSQLState();
    return state == null
        || !(state.startsWith("21") // two values of one batch exclude each other
            || state.startsWith("22") // a value out of range
            || state.startsWith("23") // a constraint
            || state.startsWith("54")); // a value too large for a row or an index
  }

  @Override
  public boolean contended(SQLException failure) {
    var state = failure.getSQLState();
    return state != null && (state.equals("55P03") || state.startsWith("40"));
  }

  /**
   * What the server said. The driver's own text of a batch that failed shows the statement with its
   * values.
   */
  @Override
  public SQLException plain(SQLException failure) {
    var cause = failure;
    while (cause instanceof BatchUpdateException && cause.getNextException() != null) {
      cause = cause.getNextException();
    }
    var server = cause instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
    if (server != null) {
      return new SQLException(
          server.getSeverity() + ": " + server.getMessage(), cause.getSQLState(), failure);
    }
    return cause instanceof BatchUpdateException
        ? new SQLException("a batch was refused", cause.getSQLState(), failure)
        : cause;
  }

  /** Whether a connection that failed so may succeed later without a person's doing. */
  static boolean isOfTheMoment(SQLException failure) {
    var state = failure.getSQLState();
    return state == null
        || state.startsWith("08") && !state.equals("08004")
        || state.equals("25P03")
        || state.equals("25006")
        || state.startsWith("40") // deadlocks
        || state.startsWith("53") // the disk is full, there are too many connections
        || state.startsWith("57") // a statement took too long
        || state.startsWith("58") // the server's own files
        || state.equals("55P03"); // a lock took too long
  }

  @Override
  public void touch(Db db) throws SQLException {
    db.update("update instances set name = name where token = (select max(token) from instances)");
  }

  @Override
  public @Nullable Duration patience() {
    return patience;
  }
}
