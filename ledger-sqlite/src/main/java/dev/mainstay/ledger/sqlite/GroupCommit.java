package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.LedgerException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that touches {@code state.db}. What is asked for while a commit waits for the disk
 * goes into the next one together, so that the disk's latency is paid once for all of them; who
 * asked hears of it after the commit. One operation sees what those before it did.
 */
final class GroupCommit {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  /** Operations in one transaction, so that no answer waits long behind a burst. */
  private static final int MOST_AT_ONCE = 256;

  private static final long TIDY_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Something to be done in a transaction. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    T in(Db db) throws SQLException;
  }

  private static final class Task<T extends @Nullable Object> {
    final Work<T> work;
    final CompletableFuture<T> future = new CompletableFuture<>();
    private @Nullable T result;

    Task(Work<T> work) {
      this.work = work;
    }

    void run(Db db) throws SQLException {
      result = work.in(db);
    }

    @SuppressWarnings("NullAway") // null only where the work returned it
    void succeeded() {
      future.complete(result);
    }
  }

  private final Db db;
  private final Work<Boolean> tidy;
  private final Thread thread;
  private final BlockingQueue<Task<?>> queue = new LinkedBlockingQueue<>();
  private final Task<?> last = new Task<>(db -> true);
  private final long tidyEveryNanos;
  private final LongAdder failed = new LongAdder();
  private volatile @Nullable String trouble;
  private volatile boolean closed;

  /**
   * @param tidy deletes a little of what is too old; says whether there is more
   */
  GroupCommit(Db db, Work<Boolean> tidy) {
    this(db, tidy, TIDY_EVERY_NANOS);
  }

  GroupCommit(Db db, Work<Boolean> tidy, long tidyEveryNanos) {
    this.db = db;
    this.tidy = tidy;
    this.tidyEveryNanos = tidyEveryNanos;
    thread = Thread.ofPlatform().name("mainstay-state").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  <T extends @Nullable Object> CompletionStage<T> submit(Work<T> work) {
    var task = new Task<>(work);
    if (closed) {
      task.future.completeExceptionally(new LedgerException("the store is closed"));
    } else {
      queue.add(task);
    }
    return task.future;
  }

  @Nullable String trouble() {
    return trouble;
  }

  /** Operations that failed. */
  long failed() {
    return failed.sum();
  }

  private void run() {
    var batch = new ArrayList<Task<?>>(MOST_AT_ONCE);
    // Before anything else: what a process left long ago is not to be found again.
    long nextTidy = System.nanoTime() + (tidied() ? tidyEveryNanos : 0);
    while (true) {
      try {
        var first = queue.poll(nextTidy - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (first != null) {
          batch.add(first);
          queue.drainTo(batch, MOST_AT_ONCE - 1);
          commit(batch);
          if (batch.contains(last)) {
            return;
          }
          batch.clear();
        }
        if (System.nanoTime() - nextTidy >= 0) {
          nextTidy = System.nanoTime() + (tidied() ? tidyEveryNanos : 0);
        }
      } catch (InterruptedException e) {
        LOG.warn("The thread that writes the state was interrupted, and goes on");
      }
    }
  }

  private void commit(List<Task<?>> batch) {
    long before = db.changed();
    try {
      db.execute("begin immediate");
      for (var task : batch) {
        task.run(db);
      }
      db.execute("commit");
    } catch (SQLException | RuntimeException e) {
      rollBack();
      if (batch.size() > 1) {
        // One of them alone may be to blame: each by itself.
        batch.forEach(task -> commit(List.of(task)));
      } else {
        failed.increment();
        troubled(e);
        batch
            .getFirst()
            .future
            .completeExceptionally(
                new LedgerException("the state cannot be written: " + e.getMessage(), e));
      }
      return;
    }
    // What only reads goes well on a full disk too.
    if (db.changed() > before) {
      healed();
    }
    batch.forEach(Task::succeeded);
  }

  private void healed() {
    if (trouble != null) {
      trouble = null;
      LOG.info("The state is being written again");
    }
  }

  private void troubled(Exception e) {
    if (trouble == null) {
      LOG.warn("The state cannot be written: {}", e.getMessage());
    }
    trouble = "the state cannot be written (" + e.getMessage() + ")";
  }

  /** SQLite has rolled back by itself where the disk is full. */
  private void rollBack() {
    try {
      db.execute("rollback");
    } catch (SQLException e) {
      // No transaction is active any more, which is what was wanted.
    }
  }

  private boolean tidied() {
    try {
      db.execute("begin immediate");
      boolean more = tidy.in(db);
      boolean tried = trouble != null;
      if (tried) {
        // Changes nothing, and has to be written all the same.
        db.execute("pragma user_version = " + version());
      }
      db.execute("commit");
      if (tried) {
        healed();
      }
      return !more;
    } catch (SQLException | RuntimeException e) {
      rollBack();
      troubled(e);
      return true;
    }
  }

  private int version() throws SQLException {
    var version = db.first("pragma user_version", row -> row.getInt(1));
    return version == null ? 0 : version;
  }

  /** Finishes what was asked for before; the database is the caller's to close. */
  void end() throws InterruptedException {
    closed = true;
    queue.add(last);
    thread.join();
    for (var task : queue) {
      task.future.completeExceptionally(new LedgerException("the store is closed"));
    }
  }
}
