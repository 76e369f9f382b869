package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.Instances;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's row in {@code instances}. A row's number is its fencing token: what the process
 * has in hand carries it. Whoever takes the process over deletes the row, in one transaction with
 * the change of hands; and every transaction that writes begins by locking its own row against
 * that. So a process either writes before it is taken over, or finds its row gone and writes
 * nothing.
 */
final class Registration implements Instances, StateConnection.Fence {
  private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

  private final Database database;
  private final String name;
  private final long lifeMicros;
  private volatile long token;
  private volatile Place place = new Place(0, 1);

  /**
   * @param name for people: where the process runs
   * @param life how long after its last heartbeat a process counts as dead
   */
  Registration(Database database, String name, Duration life) {
    this.database = database;
    this.name = name;
    lifeMicros = life.toNanos() / 1000;
  }

  @Override
  public long token() {
    return token;
  }

  @Override
  public Place place() {
    return place;
  }

  /** The lock of this process's claims: taking one back waits for the claim's transaction. */
  String claims() {
    return "claims " + token;
  }

  @Override
  public boolean stands(Db db) throws SQLException {
    return token != 0
        && db.number("select 1 from instances where token = ?" + database.keyShare(), token) == 1;
  }

  @Override
  public void register(Db db) throws SQLException {
    long before = token;
    token =
        db.number(
            "insert into instances (name, expires_at) values (?, "
                + database.clock()
                + " + ?) returning token",
            name,
            lifeMicros);
    if (before != 0) {
      LOG.warn(
          "This process did not reach the store for longer than its lease, and another instance"
              + " took over its work. It continues as instance {}",
          token);
    }
  }

  /** Says that this process lives; false where another one took it over. On any connection. */
  boolean beat(Db db) throws SQLException {
    long mine = token;
    int there =
        db.update(
            "update instances set expires_at = " + database.clock() + " + ? where token = ?",
            lifeMicros,
            mine);
    var alive =
        db.all(
            "select token from instances where expires_at >= "
                + database.clock()
                + " order by token",
            row -> row.getLong(1));
    int index = alive.indexOf(mine);
    if (index >= 0) {
      place = new Place(index, alive.size());
    }
    return there > 0;
  }

  /** Instances whose heartbeat has stopped. */
  List<Long> dead(Db db) throws SQLException {
    return db.all(
        "select token from instances where expires_at < " + database.clock() + " order by token",
        row -> row.getLong(1));
  }

  /** All other instances, dead or alive. */
  List<Long> others(Db db) throws SQLException {
    return db.all("select token from instances where token <> ?", row -> row.getLong(1), token);
  }

  /**
   * Deletes the row of a dead instance.
   *
   * @return its name; null where it lives again or another one was quicker
   */
  @Nullable String remove(Db db, long dead) throws SQLException {
    return db.first(
        "delete from instances where token in (select token from instances where token = ? and"
            + " expires_at < "
            + database.clock()
            + database.skipLocked()
            + ") returning name",
        row -> row.getString(1),
        dead);
  }
}
