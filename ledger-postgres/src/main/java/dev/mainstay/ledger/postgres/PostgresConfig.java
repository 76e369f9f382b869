package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.BodyText;
import dev.mainstay.ledger.LedgerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Where and how much is kept in PostgreSQL.
 *
 * @param url as JDBC names it, {@code jdbc:postgresql://…}, with user and password
 * @param lease a process that dies is taken over within this time; default 10 s, at least 1 s
 * @param local what a ledger of any kind is told; its directory is this process's own, for the log
 *     in front of the database
 */
public record PostgresConfig(String url, Duration lease, LedgerConfig local) {
  /** Until a process that died is taken over. */
  public static final Duration LEASE = Duration.ofSeconds(10);

  public PostgresConfig {
    Objects.requireNonNull(local, "local");
    if (!isUrl(url)) {
      throw new IllegalArgumentException("not a URL of PostgreSQL: it begins otherwise");
    }
    if (lease.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("lease is " + lease + ", not 1 s or more");
    }
  }

  /** Everything at its default. */
  public static PostgresConfig of(String url, Path directory) {
    return new PostgresConfig(url, LEASE, LedgerConfig.in(directory));
  }

  /** Whether {@code store} names a database, and not a directory. */
  public static boolean isUrl(String store) {
    return store.startsWith("jdbc:postgresql:");
  }

  /** Without its query, in which the password is, and without what stands before the host. */
  public static String withoutPassword(String url) {
    int query = url.indexOf('?');
    var shown = query < 0 ? url : url.substring(0, query);
    int slashes = shown.indexOf("//");
    int at = shown.lastIndexOf('@');
    return slashes >= 0 && at > slashes
        ? shown.substring(0, slashes + 2) + shown.substring(at + 1)
        : shown;
  }

  BodyText bodyText() {
    return local.bodyText();
  }

  boolean bodies() {
    return local.bodies();
  }

  Duration retention() {
    return local.retention();
  }

  long maxBytes() {
    return local.maxBytes();
  }
}
