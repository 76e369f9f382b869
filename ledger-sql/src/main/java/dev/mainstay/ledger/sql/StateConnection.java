package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.OutageLog;
import dev.mainstay.ledger.sql.GroupCommit.Work;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection that {@link GroupCommit} writes over: opened, registered under this process's
 * lease, and opened anew where it broke, with growing pauses between the tries. It also says what
 * is wrong with the store.
 *
 * <p>Belongs to the one thread that writes, but for {@link #trouble}.
 */
final class StateConnection {
  private static final Logger LOG = LoggerFactory.getLogger(StateConnection.class);
  private static final Supplier<long[]> NO_LOCKS = () -> new long[0];
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The lease that every transaction is checked against. */
  interface Fence {
    /** What no fence at all is. */
    Fence NONE =
        new Fence() {
          @Override
          public boolean stands(Db db) {
            return true;
          }

          @Override
          public void register(Db db) {}
        };

    /** Whether this process's registration stands, and will until the transaction ends. */
    boolean stands(Db db) throws SQLException;

    /** Registers this process anew; in a transaction of its own. */
    void register(Db db) throws SQLException;
  }

  private final Database database;
  private final Fence fence;
  private final Work<Boolean> tidy;

  /** Undo what the last connection may have committed before it broke. */
  private final List<Operation<?>> unconfirmed = new ArrayList<>();

  private final OutageLog trouble =
      new OutageLog(LOG, "Mainstay cannot write the state", "Mainstay writes the state again");

  /** What the last trouble was in the database's words. */
  private String why = "";

  private @Nullable Db db;
  private long nextTry;
  private long pauseNanos = SHORTEST_PAUSE_NANOS;

  /**
   * @param tidy deletes a little of what is too old; says whether there is more
   */
  StateConnection(Database database, Fence fence, Work<Boolean> tidy) {
    this.database = database;
    this.fence = fence;
    this.tidy = tidy;
  }

  /**
   * Connects and registers for the first time.
   *
   * @param first done before everything else
   */
  void open(Work<?> first) throws SQLException {
    open(NO_LOCKS, first);
  }

  private void open(Supplier<long[]> locks, Work<?> first) throws SQLException {
    var opened = new Db(database.connect());
    try {
      register(opened, locks, first);
    } catch (SQLException | RuntimeException e) {
      closeQuietly(opened);
      throw e;
    }
    db = opened;
  }

  /** The connection, or null while there is none. */
  @Nullable Db db() {
    return db;
  }

  /** Whether there is a connection; connects where there is none and a pause is over. */
  boolean connected() {
    if (db == null && mayTry()) {
      try {
        open(() -> Operation.locks(unconfirmed), this::undoUnconfirmed);
        unconfirmed.clear();
        healed();
      } catch (SQLException e) {
        failed(database.plain(e));
      } catch (RuntimeException e) {
        failed(e);
      }
    }
    return db != null;
  }

  /** The same without a pause before the first try. */
  boolean connectedAtOnce() {
    nextTry = System.nanoTime();
    return connected();
  }

  /** When the database is tried again, on the clock of {@link System#nanoTime}. */
  long nextTry() {
    return nextTry;
  }

  boolean mayTry() {
    return System.nanoTime() - nextTry >= 0;
  }

  /** Puts the next try off, each time for longer. */
  void pause() {
    nextTry = System.nanoTime() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
  }

  /** What may have been done without word of it is undone before anything else. */
  void undoFirst(Operation<?> undo) {
    unconfirmed.add(undo);
  }

  private boolean undoUnconfirmed(Db with) throws SQLException {
    for (var undo : unconfirmed) {
      undo.run(with);
    }
    return true;
  }

  /** Whether this process's registration stands; false where it has to register again. */
  boolean stands(Db with) throws SQLException {
    return fence.stands(with);
  }

  /** Registers this process where its registration no longer stands. */
  void register(Db with) throws SQLException {
    register(with, NO_LOCKS, db -> true);
  }

  private void register(Db with, Supplier<long[]> locks, Work<?> andThen) throws SQLException {
    database.begin(with, locks);
    try {
      if (!fence.stands(with)) {
        fence.register(with);
      }
      andThen.in(with);
      database.commit(with);
    } catch (SQLException | RuntimeException e) {
      rollBack(with);
      throw e;
    }
  }

  /** The store cannot be used just now: says so, and pauses. */
  void failed(Exception e) {
    troubled(e);
    pause();
  }

  void troubled(Exception e) {
    why = String.valueOf(e.getMessage());
    trouble.failed(e);
  }

  void healed() {
    pauseNanos = SHORTEST_PAUSE_NANOS;
    trouble.healed();
  }

  /** What is wrong with the store, or null; from any thread. */
  @Nullable String trouble() {
    return trouble.now();
  }

  /** Why there is no connection. */
  SQLException away() {
    return new SQLException(why);
  }

  void rollBack(Db current) {
    try {
      database.rollBack(current);
    } catch (SQLException e) {
      LOG.debug("There was no transaction to undo: {}", e.getMessage());
    }
  }

  void disconnect() {
    var current = db;
    db = null;
    if (current != null) {
      closeQuietly(current);
    }
  }

  private static void closeQuietly(Db current) {
    try {
      current.close();
    } catch (SQLException e) {
      LOG.debug("The connection to the store was closed already: {}", e.getMessage());
    }
  }

  void close() throws SQLException {
    var current = db;
    db = null;
    if (current != null) {
      current.close();
    }
  }

  /** Deletes a little of what is too old; false where there is more. */
  boolean tidied() {
    var current = db;
    if (current == null) {
      return true;
    }
    try {
      database.begin(current, NO_LOCKS);
      boolean more = false;
      if (fence.stands(current)) {
        more = tidy.in(current);
        if (trouble.now() != null) {
          database.touch(current);
        }
      }
      database.commit(current);
      healed();
      return !more;
    } catch (SQLException e) {
      var plain = database.plain(e);
      rollBack(current);
      troubled(plain);
      if (database.disconnects(plain)) {
        disconnect();
        pause();
      }
      return true;
    } catch (RuntimeException e) {
      rollBack(current);
      troubled(e);
      return true;
    }
  }
}
