package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.BodyText;
import dev.mainstay.ledger.FolderFailure;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.log.CallLog;
import dev.mainstay.ledger.sql.StoreReport;
import dev.mainstay.ledger.sql.StoreSource;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;

/**
 * The ledger of any number of gateways. Calls go through a log on this machine's disk, in which
 * they wait while the database is away.
 */
public final class PostgresLedger implements Ledger {
  private final SpoolDirectory spool;
  private final PostgresState state;
  private final PostgresCalls calls;
  private final CallLog log;
  private final PostgresReader reader;
  private boolean closed;

  private PostgresLedger(
      SpoolDirectory spool,
      PostgresState state,
      PostgresCalls calls,
      CallLog log,
      PostgresReader reader) {
    this.spool = spool;
    this.state = state;
    this.calls = calls;
    this.log = log;
    this.reader = reader;
  }

  /**
   * Opens the ledger, and makes its tables where there are none.
   *
   * @throws LedgerException where the database refuses this process, or the log's directory cannot
   *     be used. A database that is away is no reason: calls wait in the log.
   */
  public static Ledger open(PostgresConfig config, InstantSource clock) {
    var local = config.local();
    try {
      var spool = SpoolDirectory.firstFree(local.directory());
      try {
        return open(config, spool, clock);
      } catch (IOException | RuntimeException e) {
        spool.close();
        throw e;
      }
    } catch (IOException e) {
      throw new LedgerException(
          "the spool in %s cannot be used: %s"
              .formatted(
                  local.directory(),
                  FolderFailure.explain(
                      local.directory(), CallLog.fileBytes(local.logBytes()), "store.spool", e)),
          e);
    }
  }

  private static Ledger open(PostgresConfig config, SpoolDirectory spool, InstantSource clock)
      throws IOException {
    var local = config.local();
    var state = PostgresState.open(config.url(), config.lease(), clock, local.keptBytes());
    var calls = new PostgresCalls(state.database(), config);
    try {
      var log = CallLog.open(spool.path(), local.logBytes(), local.redactor(), calls, clock);
      return new PostgresLedger(
          spool, state, calls, log, new PostgresReader(config.url(), state.state()::trouble));
    } catch (IOException | RuntimeException e) {
      state.close();
      throw e;
    }
  }

  /**
   * Looks a database over, while gateways write it or none does; changes nothing.
   *
   * @param spool where the calls of this machine's gateways wait while the database is away
   */
  public static StoreReport check(String url, Path spool) {
    return PostgresCheck.run(url, spool);
  }

  /**
   * Fills an empty database with all that {@code source} holds, or not at all.
   *
   * @param text what of the bodies can be searched there
   * @return what was brought over
   * @throws LedgerException where the database is not empty, or cannot be used
   */
  public static StoreReport fill(String url, StoreSource source, BodyText text) {
    return PostgresImport.run(source, url, text);
  }

  /** Opens a ledger for reading only. */
  public static LedgerReader read(String url) {
    try (var connection = new PostgresDatabase(url, PostgresState.PATIENCE).open()) {
      if (Migrations.version(connection) < Migrations.newest()) {
        throw new LedgerException(
            "the database %s holds no ledger of this version: start `mainstay serve` on it once"
                .formatted(PostgresConfig.withoutPassword(url)));
      }
    } catch (SQLException e) {
      throw PostgresState.cannotBeOpened(url, e);
    }
    return new PostgresReader(url, () -> null);
  }

  @Override
  public Recorder recorder() {
    return log;
  }

  @Override
  public LedgerReader reader() {
    return reader;
  }

  @Override
  public DurableState state() {
    return state.state();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (spool;
        state;
        calls;
        reader) {
      log.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerException("interrupted while the ledger was being closed", e);
    } catch (IOException e) {
      throw new LedgerException("the spool cannot be closed: " + e.getMessage(), e);
    }
  }
}
