package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.Trouble;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a process that writes the state. Operations that arrive while a commit waits
 * for the disk go into the next one together, so that the disk's latency is paid once for all of
 * them; each caller hears of its own after the commit. One operation sees what those before it did.
 *
 * <p>Every transaction begins with a fence: the check that this process's lease still stands. Where
 * it does not, nothing is written, the process registers again, and the operations run under the
 * new token.
 *
 * <p>An operation fails when its {@linkplain Database#patience() patience} is over. One that {@link
 * #mustArrive must arrive} is tried until the database has taken it.
 */
final class GroupCommit {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  /** Operations in one transaction, so that no answer waits long behind a burst. */
  private static final int MOST_AT_ONCE = 256;

  private static final long[] NO_LOCKS = {};
  private static final long TIDY_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A store that is slow now and then is one trouble. */
  private static final long IN_TIME_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Something to be done in a transaction. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    T in(Db db) throws SQLException;
  }

  /** Takes back what was done in a transaction, if it was committed. */
  @FunctionalInterface
  interface Undo<T extends @Nullable Object> {
    void in(Db db, T done) throws SQLException;
  }

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
  private final Thread thread;
  private final BlockingQueue<Operation<?>> queue = new LinkedBlockingQueue<>();

  /** Operations that must arrive, and wait for the database to come back. */
  private final Deque<Operation<?>> waiting = new ArrayDeque<>();

  /** Undo what the last connection may have committed before it broke. */
  private final List<Operation<?>> unconfirmed = new ArrayList<>();

  private final WaitingBytes waitingBytes;
  private final Operation<?> last = Operation.question(db -> true);
  private final long tidyEveryNanos;
  private final LongAdder failed = new LongAdder();
  private volatile List<Operation<?>> underWay = List.of();
  private final Trouble trouble =
      new Trouble(LOG, "Mainstay cannot write the state", "Mainstay writes the state again");

  /** Answers come, and come too late. */
  private final Trouble slowness =
      new Trouble(LOG, "The store is slow", "The store answers in time again");

  private volatile long lastExpired;

  /** What the last trouble was in the database's words. */
  private String why = "";

  private volatile boolean closed;
  private @Nullable Db db;
  private long nextTry;
  private long pauseNanos = SHORTEST_PAUSE_NANOS;

  /**
   * @param tidy deletes a little of what is too old; says whether there is more
   */
  GroupCommit(Database database, Fence fence, Work<Boolean> tidy) {
    this(database, fence, tidy, TIDY_EVERY_NANOS);
  }

  GroupCommit(Database database, Fence fence, Work<Boolean> tidy, long tidyEveryNanos) {
    this.database = database;
    this.fence = fence;
    this.tidy = tidy;
    this.tidyEveryNanos = tidyEveryNanos;
    waitingBytes = new WaitingBytes(database.waitingBytes());
    thread = Thread.ofPlatform().name("mainstay-state").daemon().unstarted(this::run);
  }

  /**
   * Connects and registers, so that a store that cannot be used is seen at once; then works.
   *
   * @param first done before everything else
   */
  void start(Work<?> first) throws SQLException {
    var connected = new Db(database.connect());
    try {
      register(connected, NO_LOCKS, first);
    } catch (SQLException | RuntimeException e) {
      connected.close();
      throw e;
    }
    db = connected;
    thread.start();
  }

  /** Starts although the database is away; it is connected to as soon as it is there. */
  void startWithout(SQLException why) {
    troubled(why);
    thread.start();
  }

  /** Asks; changes nothing. */
  <T extends @Nullable Object> CompletionStage<T> read(Work<T> work) {
    return submit(Operation.question(work));
  }

  /**
   * Changes something.
   *
   * @param locks names of what it changes
   */
  <T extends @Nullable Object> CompletionStage<T> write(Work<T> work, String... locks) {
    return submit(Operation.change(work, null, locks));
  }

  /**
   * Changes something, and undoes it where its caller heard that it failed and it was done all the
   * same: the answer came too late, or the connection broke in the commit. After a broken
   * connection that comes before any other operation.
   */
  <T extends @Nullable Object> CompletionStage<T> write(
      Work<T> work, Undo<T> undo, String... locks) {
    return submit(Operation.change(work, undo, locks));
  }

  /**
   * Changes something that must not be lost while the database is away.
   *
   * @param bytes that it holds in memory
   */
  <T extends @Nullable Object> CompletionStage<T> mustArrive(
      Work<T> work, long bytes, String... locks) {
    return submit(Operation.end(work, bytes, locks));
  }

  private <T extends @Nullable Object> CompletionStage<T> submit(Operation<T> operation) {
    if (closed) {
      operation.failed(new LedgerException("the store is closed"));
    } else {
      queue.add(operation);
      if (closed && queue.remove(operation)) {
        // It was closed meanwhile, and its thread may have ended.
        operation.failed(new LedgerException("the store is closed"));
      }
    }
    return operation.stage();
  }

  @Nullable String trouble() {
    var reason = trouble.now();
    return reason == null ? slowness.now() : reason;
  }

  /** Whether nothing more is taken. */
  boolean isClosed() {
    return closed;
  }

  /** Operations that failed. */
  long failed() {
    return failed.sum();
  }

  /** Operations that wait for the database to come back. */
  long waiting() {
    return waitingBytes.count();
  }

  /** Fails what has waited longer than the database's patience; from any thread. */
  void expire() {
    var patience = database.patience();
    if (patience != null) {
      expire(queue, patience);
      expire(underWay, patience);
      if (System.nanoTime() - lastExpired > IN_TIME_AGAIN_NANOS) {
        slowness.healed();
      }
    }
  }

  private void expire(Iterable<Operation<?>> operations, Duration patience) {
    for (var operation : operations) {
      if (operation.expired(patience)) {
        failed.increment();
        var late =
            new LedgerException(
                "the store has not answered for %d ms".formatted(patience.toMillis()));
        lastExpired = System.nanoTime();
        slowness.failed(late);
        operation.failed(late);
      }
    }
  }

  private void run() {
    var batch = new ArrayList<Operation<?>>(MOST_AT_ONCE);
    // Before anything else: what a process left long ago is not to be found again.
    long nextTidy = System.nanoTime() + (tidied() ? tidyEveryNanos : 0);
    while (true) {
      try {
        var first = queue.poll(untilNext(nextTidy), TimeUnit.NANOSECONDS);
        if (first != null) {
          batch.add(first);
          queue.drainTo(batch, MOST_AT_ONCE - 1);
        }
        boolean end = batch.contains(last);
        work(batch);
        batch.clear();
        if (end) {
          return;
        }
        if (System.nanoTime() - nextTidy >= 0) {
          nextTidy = System.nanoTime() + (tidied() ? tidyEveryNanos : 0);
        }
      } catch (InterruptedException e) {
        LOG.warn("The thread that writes the state was interrupted and continues");
      }
    }
  }

  private long untilNext(long nextTidy) {
    long now = System.nanoTime();
    long left = nextTidy - now;
    return waiting.isEmpty() && db != null ? left : Math.min(left, nextTry - now);
  }

  private void work(List<Operation<?>> batch) {
    batch.removeIf(Operation::isOver);
    if (!connected()) {
      batch.forEach(operation -> putOff(operation, new SQLException(why)));
      return;
    }
    if (!waiting.isEmpty() && System.nanoTime() - nextTry >= 0) {
      // Those that came first go first: an operation after them may ask for what they did.
      var before = new ArrayList<Operation<?>>();
      while (!waiting.isEmpty() && before.size() < MOST_AT_ONCE) {
        var next = waiting.removeFirst();
        waitingBytes.left(next.bytes());
        before.add(next);
      }
      commit(before);
    }
    if (!batch.isEmpty()) {
      commit(batch);
    }
  }

  private boolean connected() {
    if (db == null && System.nanoTime() - nextTry >= 0) {
      try {
        var connected = new Db(database.connect());
        register(connected, Operation.locks(unconfirmed), this::undoUnconfirmed);
        unconfirmed.clear();
        db = connected;
        healed();
      } catch (SQLException e) {
        troubled(database.plain(e));
        pause();
      } catch (RuntimeException e) {
        troubled(e);
        pause();
      }
    }
    return db != null;
  }

  private void pause() {
    nextTry = System.nanoTime() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
  }

  private boolean undoUnconfirmed(Db with) throws SQLException {
    for (var undo : unconfirmed) {
      undo.run(with);
    }
    return true;
  }

  private void register(Db with, long[] locks, Work<?> andThen) throws SQLException {
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

  private void commit(List<Operation<?>> batch) {
    underWay = List.copyOf(batch);
    try {
      tryCommit(batch, true);
    } finally {
      underWay = List.of();
    }
  }

  private void tryCommit(List<Operation<?>> batch, boolean again) {
    var current = db;
    if (current == null) {
      batch.forEach(operation -> putOff(operation, new SQLException(why)));
      return;
    }
    long before = current.changed();
    boolean committing = false;
    try {
      database.begin(current, Operation.locks(batch));
      if (batch.stream().anyMatch(Operation::changes) && !fence.stands(current)) {
        database.rollBack(current);
        register(current, NO_LOCKS, db -> true);
        if (again) {
          tryCommit(batch, false);
        } else {
          batch.forEach(operation -> putOff(operation, new SQLException("the lease was lost")));
        }
        return;
      }
      for (var operation : batch) {
        operation.run(current);
      }
      committing = true;
      database.commit(current);
    } catch (SQLException e) {
      var plain = database.plain(e);
      if (!database.disconnects(plain)) {
        failed(batch, current, plain);
      } else if (committing) {
        lostReply(batch, current, plain);
      } else {
        disconnected(batch, current, plain, again);
      }
      return;
    } catch (RuntimeException e) {
      failed(batch, current, new SQLException(e.getMessage(), e));
      return;
    }
    // What only reads goes well on a full disk too.
    if (current.changed() > before) {
      healed();
    }
    for (var operation : batch) {
      undoIfTooLate(operation);
    }
  }

  private void undoIfTooLate(Operation<?> operation) {
    var undo = operation.succeeded();
    if (undo != null) {
      submit(undo);
    }
  }

  private void failed(List<Operation<?>> batch, Db current, SQLException failure) {
    rollBack(current);
    if (batch.size() > 1) {
      // One of them alone may be to blame: each by itself.
      batch.forEach(operation -> tryCommit(List.of(operation), true));
      return;
    }
    troubled(failure);
    putOff(batch.getFirst(), failure);
  }

  /**
   * The connection broke before the commit, so that nothing was done. Where a new one can be had at
   * once, as after a restart of the database, no caller hears of it.
   */
  private void disconnected(
      List<Operation<?>> batch, Db current, SQLException failure, boolean again) {
    disconnect(current);
    nextTry = System.nanoTime();
    if (again && connected()) {
      tryCommit(batch.stream().filter(operation -> !operation.isOver()).toList(), false);
      return;
    }
    if (!again) {
      troubled(failure);
      pause();
    }
    batch.forEach(operation -> putOff(operation, failure));
  }

  /** Whether the commit came through, the connection did not live to say. */
  private void lostReply(List<Operation<?>> batch, Db current, SQLException failure) {
    disconnect(current);
    troubled(failure);
    pause();
    for (var operation : batch) {
      putOff(operation, failure);
      var undo = operation.undo();
      if (undo != null) {
        unconfirmed.add(undo);
      }
    }
  }

  /** Keeps an operation for later where it must arrive and may; fails it where it need not. */
  private void putOff(Operation<?> operation, SQLException why) {
    boolean later = operation.mustArrive() && database.mayPass(why) && !closed;
    if (later && waitingBytes.joins(operation.bytes())) {
      waiting.addLast(operation);
      if (db != null) {
        pause();
      }
    } else {
      failed.increment();
      operation.failed(
          new LedgerException("the state cannot be written: " + why.getMessage(), why));
    }
  }

  private void disconnect(Db current) {
    db = null;
    try {
      current.close();
    } catch (SQLException e) {
      LOG.debug("The connection to the store was closed already: {}", e.getMessage());
    }
  }

  private void healed() {
    pauseNanos = SHORTEST_PAUSE_NANOS;
    trouble.healed();
  }

  private void troubled(Exception e) {
    why = String.valueOf(e.getMessage());
    trouble.failed(e);
  }

  private void rollBack(Db current) {
    try {
      database.rollBack(current);
    } catch (SQLException e) {
      LOG.debug("There was no transaction to undo: {}", e.getMessage());
    }
  }

  private boolean tidied() {
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
        disconnect(current);
        pause();
      }
      return true;
    } catch (RuntimeException e) {
      rollBack(current);
      troubled(e);
      return true;
    }
  }

  /** Finishes what was asked for before, and closes the connection. */
  void end() throws InterruptedException, SQLException {
    closed = true;
    queue.add(last);
    thread.join();
    for (var operation : queue) {
      operation.failed(new LedgerException("the store is closed"));
    }
    for (var operation : waiting) {
      operation.failed(new LedgerException("the store is closed"));
    }
    var current = db;
    if (current != null) {
      current.close();
    }
  }
}
