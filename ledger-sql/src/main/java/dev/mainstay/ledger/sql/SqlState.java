package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.OutageLog;
import dev.mainstay.ledger.run.RunReports;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.AuditLog;
import dev.mainstay.ledger.state.Budgets;
import dev.mainstay.ledger.state.Claims;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.Evaluations;
import dev.mainstay.ledger.state.FailureCases;
import dev.mainstay.ledger.state.Instances;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.ledger.state.ProviderObjects;
import dev.mainstay.ledger.state.SignIns;
import dev.mainstay.ledger.state.Signals;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state in a database. */
public final class SqlState implements DurableState {
  /** An instance has left what it had in hand, or was taken over. */
  private static final String LEFT_BEHIND = "left_behind";

  private static final Logger LOG = LoggerFactory.getLogger(SqlState.class);

  private final OutageLog heartbeat =
      new OutageLog(
          LOG,
          "Mainstay cannot send its heartbeat, and other instances take over its work",
          "Mainstay sends its heartbeat again");
  private final GroupCommit commits;
  private final Registration me;
  private final KeptBytesLimit room;
  private final SqlClaims claims;
  private final SqlBudgets budgets;
  private final SqlAlerts alerts;
  private final SqlKeptCalls keptCalls;
  private final SqlSignals signals;
  private final SqlRuns runs;
  private final SqlRunReports reports;
  private final SqlAuditLog audit;
  private final SqlEvaluations evaluations;
  private final SqlFailureCases cases;
  private final Retention retention;
  private final SqlProviderObjects objects;
  private final SqlSignIns signIns;
  private boolean closed;

  /**
   * @param name of this process, for people
   * @param life how long after its last heartbeat a process counts as dead
   * @param clock what is deleted is too old by it
   * @param maxBytes of what is kept to be given or made again
   */
  public SqlState(
      Database database, String name, Duration life, InstantSource clock, long maxBytes) {
    me = new Registration(database, name, life);
    commits = new GroupCommit(database, me, db -> tidy(db, clock));
    room = new KeptBytesLimit(maxBytes, database);
    claims = new SqlClaims(commits, room, me);
    budgets = new SqlBudgets(commits, me);
    alerts = new SqlAlerts(commits, me, database);
    keptCalls = new SqlKeptCalls(commits, room, me, database);
    signals = new SqlSignals(commits, me, database);
    runs = new SqlRuns(commits, me, signals, database);
    reports = new SqlRunReports(commits);
    audit = new SqlAuditLog(commits);
    evaluations = new SqlEvaluations(commits);
    cases = new SqlFailureCases(commits);
    retention = new Retention(database, runs::kept);
    objects = new SqlProviderObjects(commits);
    signIns = new SqlSignIns(commits);
    signals.on(LEFT_BEHIND, text -> leftBehind());
  }

  /** Connects, registers and works. */
  public void start() throws SQLException {
    commits.start(db -> true);
  }

  /**
   * Connects, registers, takes over all that other processes had in hand, and works; for a store
   * that no other process can have open.
   */
  public void startAlone() throws SQLException {
    commits.start(
        db -> {
          takeOver(db, 0);
          for (var other : me.others(db)) {
            takeOver(db, other);
            db.update("delete from instances where token = ?", other);
          }
          return true;
        });
  }

  /** Works although the database is away; it connects when the database is there. */
  public void startWithout(SQLException why) {
    commits.startWithout(why);
  }

  /**
   * Says that this process lives, and learns who else does and what those that do not have left. On
   * any connection.
   *
   * @return instances whose heartbeat has stopped
   */
  public List<Long> beat(Db db) throws SQLException {
    if (!me.beat(db)) {
      // Any write registers this process again where another one took it over.
      commits.write(same -> true);
    }
    keptCalls.lookForLeftBehind(db);
    heartbeat.healed();
    return me.dead(db);
  }

  /** No heartbeat has reached the store for so long that this process counts as dead. */
  public void missedBeats(Exception why) {
    if (commits.trouble() == null) {
      heartbeat.failed(why);
    }
  }

  /**
   * Takes over what a dead process had in hand, and says so to all processes, this one among them.
   *
   * @return the name of the dead process; empty where another one was quicker, or it lives
   */
  public CompletionStage<Optional<String>> takeOver(long dead) {
    return commits
        .write(
            db -> {
              var name = dead == me.token() ? null : me.remove(db, dead);
              if (name != null) {
                takeOver(db, dead);
                signals.send(db, LEFT_BEHIND, "");
              }
              return Optional.ofNullable(name);
            })
        .whenComplete(
            (name, failed) -> {
              if (failed == null && name.isPresent()) {
                leftBehind();
              }
            });
  }

  /** What waits for a holder is looked for now, and not at the next regular time. */
  private void leftBehind() {
    keptCalls.leftBehind();
    alerts.leftBehind();
    runs.leftBehind();
  }

  private static void takeOver(Db db, long token) throws SQLException {
    SqlClaims.takeOver(db, token);
    SqlBudgets.takeOver(db, token);
    SqlKeptCalls.takeOver(db, token);
    SqlAlerts.takeOver(db, token);
    SqlRuns.takeOver(db, token);
  }

  /** Gives back all that this process has in hand, before it ends in order. */
  public void leave() {
    commits.write(
        db -> {
          takeOver(db, me.token());
          signals.send(db, LEFT_BEHIND, "");
          return db.update("delete from instances where token = ?", me.token());
        });
  }

  /** Fails operations that have waited too long. */
  public void expire() {
    commits.expire();
  }

  /** A text that another process sent has arrived. */
  public void received(String text) {
    signals.received(text);
  }

  private boolean tidy(Db db, InstantSource clock) throws SQLException {
    keptCalls.lookForLeftBehind(db);
    boolean more = retention.delete(db, clock.instant());
    more |= objects.tidy(db, clock.instant());
    return room.tidy(db) || more;
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
  public RunStore runs() {
    return runs;
  }

  @Override
  public RunReports runReports() {
    return reports;
  }

  @Override
  public AuditLog audit() {
    return audit;
  }

  @Override
  public Evaluations evaluations() {
    return evaluations;
  }

  @Override
  public FailureCases failureCases() {
    return cases;
  }

  @Override
  public ProviderObjects providerObjects() {
    return objects;
  }

  @Override
  public SignIns signIns() {
    return signIns;
  }

  @Override
  public Instances instances() {
    return me;
  }

  @Override
  public Signals signals() {
    return signals;
  }

  @Override
  public @Nullable String trouble() {
    var reason = commits.trouble();
    return reason == null ? heartbeat.now() : reason;
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
    try {
      commits.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerException("interrupted while the state was being closed", e);
    } catch (SQLException e) {
      throw new LedgerException("the state cannot be closed: " + e.getMessage(), e);
    }
  }
}
