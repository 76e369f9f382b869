package dev.mainstay.ledger.postgres;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a person does about a connection that PostgreSQL or its driver refuses. The driver's own
 * words may hold the whole URL; ours never hold a password.
 */
final class Refusal {
  /** Gateways hold so many connections at most: PostgresReader's, and one each of three threads. */
  private static final int CONNECTIONS = PostgresReader.CONNECTIONS + 3;

  private static final Pattern PASSWORD = Pattern.compile("(?i)(password=)[^&\\s]*");

  private Refusal() {}

  /** A failure whose message says what to do. */
  private static final class Explained extends SQLException {
    private static final long serialVersionUID = 1;

    Explained(String message, SQLException failure) {
      super(message, failure.getSQLState(), failure);
    }
  }

  /** The same failure with what to do about it, and without the password. */
  static SQLException explained(SQLException failure, String url) {
    if (failure instanceof Explained) {
      return failure;
    }
    var said =
        String.valueOf(failure.getMessage()).replace(url, PostgresConfig.withoutPassword(url));
    var advice = advice(failure.getSQLState(), said);
    var message = PASSWORD.matcher(said).replaceAll("$1…");
    return new Explained(advice == null ? message : message + " — " + advice, failure);
  }

  /** https://www.postgresql.org/docs/current/errcodes-appendix.html */
  private static @Nullable String advice(@Nullable String state, String said) {
    return switch (state == null ? "" : state) {
      case "28P01", "28000" ->
          "check user and password in store.url (write & + % of a password as %26 %2B %25), and"
              + " what the server's pg_hba.conf allows them";
      case "3D000" -> "create the database, or name another one in store.url";
      case "08004" ->
          said.contains("SSL")
              ? "turn TLS on at the server, or change sslmode in store.url"
              : "check what the server's pg_hba.conf allows";
      case "53300" ->
          "raise max_connections or the limit of the user: each gateway takes up to %d"
              .formatted(CONNECTIONS);
      case "42501" ->
          said.contains("must be owner")
              ? "make the user the owner of Mainstay's tables, or start this version once as their"
                  + " owner"
              : "grant the user CREATE on the schema, or name a database that it owns";
      case "25006" -> "name the primary in store.url";
      case "22P05" -> "create the database with encoding UTF8";
      case "22023" -> "use a value that PostgreSQL's driver knows in store.url";
      case "3F000" -> "create the schema that currentSchema in store.url names";
      case Pooler.UNSUPPORTED -> "set pool_mode = session for this database, or name the server";
      case "08001" ->
          said.contains("targetServerType")
              ? "name the host that takes writes in store.url, and turn"
                  + " default_transaction_read_only off there"
              : null;
      default ->
          said.startsWith("Unable to parse URL")
              ? "write store.url as jdbc:postgresql://HOST:PORT/DATABASE?user=…&password=…"
              : null;
    };
  }

  /**
   * Whether a failure to connect stays as it is until a person changes something; what only cannot
   * be reached may be there later.
   */
  static boolean isFinal(SQLException failure) {
    return !PostgresDatabase.isOfTheMoment(failure);
  }
}
