package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.Budgets;
import dev.mainstay.ledger.state.Claims;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.KeptCalls;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** {@code state.db}, beside the ledger's own file and under its lock. */
final class SqliteState implements DurableState {
  private final Db db;
  private final GroupCommit commits;
  private final KeptBytesLimit room;
  private final SqliteClaims claims;
  private final SqliteBudgets budgets;
  private final SqliteAlerts alerts;
  private final SqliteKeptCalls keptCalls;
  private boolean closed;

  private SqliteState(Db db, InstantSource clock, long maxBytes) {
    this.db = db;
    commits = new GroupCommit(db, same -> tidy(same, clock));
    room = new KeptBytesLimit(maxBytes);
    claims = new SqliteClaims(commits, room);
    budgets = new SqliteBudgets(commits);
    alerts = new SqliteAlerts(commits);
    keptCalls = new SqliteKeptCalls(commits, room);
  }

  /**
   * @param maxBytes of what is kept to be given or made again
   */
  static SqliteState open(Path directory, InstantSource clock, long maxBytes) throws SQLException {
    var connection = Db.connection(directory.resolve("state.db"));
    try {
      var db = new Db(connection);
      db.execute("pragma auto_vacuum = incremental");
      db.execute("pragma journal_mode = wal");
      // On disk when the commit returns, whatever happens to the machine then:
      // https://www.sqlite.org/pragma.html#pragma_synchronous
      db.execute("pragma synchronous = full");
      db.execute("pragma busy_timeout = 5000");
      db.execute("pragma journal_size_limit = 16777216");
      Migrations.STATE.apply(connection);
      SqliteClaims.releaseUnanswered(db);
      SqliteBudgets.settleUnsettled(db);
      var state = new SqliteState(db, clock, maxBytes);
      state.commits.start();
      return state;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private boolean tidy(Db same, InstantSource clock) throws SQLException {
    budgets.tidy(same, clock.instant());
    alerts.tidy(same, clock.instant());
    boolean moreCalls = keptCalls.tidy(same, clock.instant());
    boolean moreClaims = claims.tidy(same, clock.instant());
    return room.tidy(same) || moreCalls || moreClaims;
  }

  @Override
  public Claims claims() {
    return claims;
  }

  @Override
  public Budgets budgets() {
    return budgets;
  }

  @Override
  public AlertLog alerts() {
    return alerts;
  }

  @Override
  public KeptCalls keptCalls() {
    return keptCalls;
  }

  @Override
  public @Nullable String trouble() {
    return commits.trouble();
  }

  @Override
  public Kept kept() {
    return room.kept();
  }

  @Override
  public long failed() {
    return commits.failed();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (db) {
      commits.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerException("interrupted while the state was being closed", e);
    } catch (SQLException e) {
      throw new LedgerException("the state cannot be closed: " + e.getMessage(), e);
    }
  }
}
