package dev.mainstay.ledger.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Tells a pooler that keeps one server connection for each client connection from one that does
 * not. Mainstay needs the first: its limits, its prepared statements and {@code listen} belong to a
 * session.
 */
final class Pooler {
  /** Rounds, since another client may take the server connection in between. */
  private static final int ROUNDS = 3;

  /** https://www.postgresql.org/docs/current/errcodes-appendix.html */
  static final String UNSUPPORTED = "0A000";

  private static final String DUPLICATE_STATEMENT = "42P05";
  private static final String UNKNOWN_STATEMENT = "26000";

  /** Opens one more connection to the same server. */
  @FunctionalInterface
  interface Opening {
    Connection open() throws SQLException;
  }

  private Pooler() {}

  /**
   * Refuses a pooler in transaction or statement mode. Without a pooler this costs one query.
   *
   * @param connection not in a transaction
   * @throws SQLException with the state {@link #UNSUPPORTED} for such a pooler
   */
  static void check(Connection connection, Opening another) throws SQLException {
    try (var statement = connection.createStatement()) {
      // A pooler gives its clients process ids of its own.
      if (ask(connection, "select pg_backend_pid()")
          .equals(Integer.toString(connection.unwrap(PGConnection.class).getBackendPID()))) {
        return;
      }
      for (int i = 0; i < ROUNDS; i++) {
        var mark = UUID.randomUUID().toString();
        statement.execute("set mainstay.session = '" + mark + "'");
        try (var other = another.open()) {
          // While this transaction is open, the pooler can give its server connection to no other.
          other.setAutoCommit(false);
          boolean taken = mark.equals(markOf(other));
          boolean kept = mark.equals(markOf(connection));
          other.rollback();
          if (taken || !kept) {
            throw unsupported("it changes the server connection between transactions", null);
          }
        }
      }
      statement.execute("reset mainstay.session");
    } catch (SQLException e) {
      throw losesSession(e) ? unsupported(String.valueOf(e.getMessage()), e) : e;
    }
  }

  /** A prepared statement of another client, or none where there should be one. */
  private static boolean losesSession(SQLException failure) {
    var state = failure.getSQLState();
    return DUPLICATE_STATEMENT.equals(state)
        || UNKNOWN_STATEMENT.equals(state)
        || String.valueOf(failure.getMessage()).contains("statement pooling");
  }

  private static String markOf(Connection connection) throws SQLException {
    return ask(connection, "select coalesce(current_setting('mainstay.session', true), '')");
  }

  private static String ask(Connection connection, String question) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(question)) {
      return row.next() ? row.getString(1) : "";
    }
  }

  private static SQLException unsupported(String why, @Nullable SQLException cause) {
    return new SQLException(
        "the connection pooler in front of PostgreSQL does not pool sessions: " + why,
        UNSUPPORTED,
        cause);
  }
}
