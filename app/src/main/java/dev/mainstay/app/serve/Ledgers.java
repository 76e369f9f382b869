package dev.mainstay.app.serve;

import dev.mainstay.call.recording.SearchableText;
import dev.mainstay.config.Config;
import dev.mainstay.config.Store;
import dev.mainstay.ledger.BodyText;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.sql.StoreReport;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

/** The one place that knows which ledgers there are. */
public final class Ledgers {
  private Ledgers() {}

  /**
   * Opens the store of a configuration for writing.
   *
   * @throws dev.mainstay.ledger.LedgerException where it cannot be used
   */
  public static Ledger open(Config config, Redactor redactor, BodyText text) {
    var store = config.store();
    var recording = config.recording();
    var directory = directory(store.isShared() ? store.spool() : store.url());
    var ledger =
        new LedgerConfig(
            directory,
            recording.bodies(),
            recording.retention(),
            recording.maxBytes(),
            store.maxKept(),
            LedgerConfig.in(directory).logBytes(),
            redactor,
            text);
    var clock = InstantSource.system();
    return store.isShared()
        ? PostgresLedger.open(new PostgresConfig(store.url(), lease(config), ledger), clock)
        : SqliteLedger.open(ledger, clock);
  }

  /** A process has one heartbeat, for its runs and for all else that it has in hand. */
  static Duration lease(Config config) {
    var ofStore = config.store().lease();
    var ofRuns = config.runs().lease();
    return ofRuns.compareTo(ofStore) < 0 ? ofRuns : ofStore;
  }

  /** Opens the store that {@code url} names, a directory or a database, for reading. */
  public static LedgerReader read(String url) {
    return PostgresConfig.isUrl(url) ? PostgresLedger.read(url) : SqliteLedger.read(Path.of(url));
  }

  /**
   * Looks the store that {@code url} names over.
   *
   * @param spool of a database
   */
  static StoreReport check(String url, String spool) {
    return PostgresConfig.isUrl(url)
        ? PostgresLedger.check(url, directory(spool))
        : SqliteLedger.check(directory(url));
  }

  /** Moves the embedded store in {@code directory} to the database {@code url}. */
  static StoreReport migrate(String directory, String url) {
    try (var source = SqliteLedger.source(directory(directory), InstantSource.system())) {
      return PostgresLedger.fill(url, source, SearchableText.INSTANCE);
    }
  }

  /** Where a store is, as it may be shown. */
  static String shown(Store store) {
    return shown(store.url());
  }

  /** Where the store is that {@code url} names, as it may be shown. */
  static String shown(String url) {
    return PostgresConfig.isUrl(url)
        ? PostgresConfig.withoutPassword(url)
        : directory(url).toString();
  }

  private static Path directory(String path) {
    return Path.of(path).toAbsolutePath().normalize();
  }
}
