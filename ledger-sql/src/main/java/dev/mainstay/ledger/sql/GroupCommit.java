package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.OutageLog;
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
 * <p>Every transaction begins with a {@linkplain StateConnection.Fence fence}: the check that this
 * process's lease still stands. Where it does not, nothing is written, the process registers again,
 * and the operations run under the new token.
 *
 * <p>An operation fails when its {@linkplain Database#patience() patience} is over. One that {@link
 * #mustArrive must arrive} is tried until the database has taken it.
 */
final class GroupCommit {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  /** Operations in one transaction, so that no answer waits long behind a burst. */
  private static final int MOST_AT_ONCE = 256;

  private static final long TIDY_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

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

  private final Database database;
  private final StateConnection connection;
  private final Thread thread;
  private final BlockingQueue<Operation<?>> queue = new LinkedBlockingQueue<>();

  /** Operations that must arrive, and wait for the database to come back. */
  private final Deque<Operation<?>> waiting = new ArrayDeque<>();

  private final WaitingBytes waitingBytes;
  private final Operation<?> last = Operation.question(db -> true);
  private final long tidyEveryNanos;
  private final LongAdder failed = new LongAdder();
  private volatile List<Operation<?>> underWay = List.of();

  /** Answers come, and come too late. */
  private final OutageLog slowness =
      new OutageLog(LOG, "The store is slow", "The store answers in time again");

  private volatile long lastExpired;

  /** Whether a transaction was committed since then. */
  private volatile boolean answeredSince;

  private volatile boolean closed;

  /**
   * @param tidy deletes a little of what is too old; says whether there is more
   */
  GroupCommit(Database database, StateConnection.Fence fence, Work<Boolean> tidy) {
    this(database, fence, tidy, TIDY_EVERY_NANOS);
  }

  GroupCommit(
      Database database, StateConnection.Fence fence, Work<Boolean> tidy, long tidyEveryNanos) {
    this.database = database;
    connection = new StateConnection(database, fence, tidy);
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
    connection.open(first);
    thread.start();
  }

  /** Starts although the database is away; it is connected to as soon as it is there. */
  void startWithout(SQLException why) {
    connection.troubled(why);
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
    var reason = connection.trouble();
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
      if (answeredSince && System.nanoTime() - lastExpired > IN_TIME_AGAIN_NANOS) {
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
        answeredSince = false;
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
    return waiting.isEmpty() && connection.db() != null
        ? left
        : Math.min(left, connection.nextTry() - now);
  }

  private boolean tidied() {
    boolean done = connection.tidied();
    if (connection.trouble() == null) {
      answeredSince = true;
    }
    return done;
  }

  private void work(List<Operation<?>> batch) {
    batch.removeIf(Operation::isOver);
    if (!connection.connected()) {
      batch.forEach(operation -> putOff(operation, connection.away()));
      return;
    }
    if (!waiting.isEmpty() && connection.mayTry()) {
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

  private void commit(List<Operation<?>> batch) {
    underWay = List.copyOf(batch);
    try {
      tryCommit(batch, true);
    } finally {
      underWay = List.of();
    }
  }

  private void tryCommit(List<Operation<?>> batch, boolean again) {
    var current = connection.db();
    if (current == null) {
      batch.forEach(operation -> putOff(operation, connection.away()));
      return;
    }
    long before = current.changed();
    boolean committing = false;
    try {
      database.begin(current, () -> Operation.locks(batch));
      if (batch.stream().anyMatch(Operation::changes) && !connection.stands(current)) {
        database.rollBack(current);
        connection.register(current);
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
        lostReply(batch, plain);
      } else {
        disconnected(batch, plain, again);
      }
      return;
    } catch (RuntimeException e) {
      failed(batch, current, new SQLException(e.getMessage(), e));
      return;
    }
    answeredSince = true;
    // What only reads goes well on a full disk too.
    if (current.changed() > before) {
      connection.healed();
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
    connection.rollBack(current);
    if (batch.size() > 1) {
      // One of them alone may be to blame: each by itself.
      batch.forEach(operation -> tryCommit(List.of(operation), true));
      return;
    }
    var operation = batch.getFirst();
    if (database.contended(failure) && !operation.mustArrive() && !operation.isOver()) {
      // The database works; its caller has patience left.
      tryCommit(batch, true);
      return;
    }
    connection.troubled(failure);
    putOff(operation, failure);
  }

  /**
   * The connection broke before the commit, so that nothing was done. Where a new one can be had at
   * once, as after a restart of the database, no caller hears of it.
   */
  private void disconnected(List<Operation<?>> batch, SQLException failure, boolean again) {
    connection.disconnect();
    if (again && connection.connectedAtOnce()) {
      tryCommit(batch.stream().filter(operation -> !operation.isOver()).toList(), false);
      return;
    }
    if (!again) {
      connection.failed(failure);
    }
    batch.forEach(operation -> putOff(operation, failure));
  }

  /** Whether the commit came through, the connection did not live to say. */
  private void lostReply(List<Operation<?>> batch, SQLException failure) {
    connection.disconnect();
    connection.failed(failure);
    for (var operation : batch) {
      putOff(operation, failure);
      var undo = operation.undo();
      if (undo != null) {
        connection.undoFirst(undo);
      }
    }
  }

  /** Keeps an operation for later where it must arrive and may; fails it where it need not. */
  private void putOff(Operation<?> operation, SQLException why) {
    boolean later = operation.mustArrive() && database.mayPass(why) && !closed;
    if (later && waitingBytes.joins(operation.bytes())) {
      waiting.addLast(operation);
      if (connection.db() != null) {
        connection.pause();
      }
    } else {
      failed.increment();
      operation.failed(
          new LedgerException("the state cannot be written: " + why.getMessage(), why));
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
    connection.close();
  }
}
