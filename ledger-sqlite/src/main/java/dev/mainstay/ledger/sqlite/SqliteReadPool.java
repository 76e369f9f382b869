package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.FileIdentity;
import dev.mainstay.ledger.LedgerBusyException;
import dev.mainstay.ledger.LedgerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Connections that read {@code calls.db} beside its writer, whom they never hold up: the file has a
 * write-ahead log. At most {@value #MOST} questions are answered at a time, each for at most {@link
 * #LONGEST}. Thread-safe.
 */
final class SqliteReadPool implements AutoCloseable {
  private static final int MOST = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  /** Steps of SQLite's machine between two looks at the clock: some 100 microseconds. */
  private static final int STEPS = 10_000;

  private final Path directory;
  private final Path file;
  private final Semaphore places = new Semaphore(MOST);
  private final Deque<Reading> idle = new ArrayDeque<>();
  private boolean closed;

  SqliteReadPool(Path directory) {
    this.directory = directory;
    file = Store.database(directory);
    try {
      idle.add(open());
    } catch (SQLException | IOException e) {
      throw unreadable(e);
    }
  }

  /** What is asked of the database. */
  interface Question<T> {
    T ask(Connection db) throws SQLException, IOException;
  }

  private record Reading(Connection db, FileIdentity identity, Deadline deadline)
      implements AutoCloseable {
    @Override
    public void close() throws SQLException {
      db.close();
    }
  }

  /** Ends the question under way once its time is over. */
  private static final class Deadline extends ProgressHandler {
    private volatile long at;

    void start() {
      at = System.nanoTime() + LONGEST.toNanos();
    }

    boolean over() {
      return System.nanoTime() - at > 0;
    }

    @Override
    protected int progress() {
      return over() ? 1 : 0;
    }
  }

  /**
   * The answer to {@code question}.
   *
   * @throws LedgerBusyException where too many are asked, or it takes too long
   */
  <T> T ask(Question<T> question) {
    try {
      if (!places.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new LedgerBusyException("the ledger is read by too many at once: ask again shortly");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerBusyException("interrupted while others read the ledger", e);
    }
    Reading reading = null;
    try {
      reading = take();
      reading.deadline().start();
      return question.ask(reading.db());
    } catch (SQLException e) {
      if (reading != null && isInterrupt(e)) {
        throw new LedgerBusyException(
            "the question took longer than %d s: ask for a shorter time or fewer calls"
                .formatted(LONGEST.toSeconds()),
            e);
      }
      throw unreadable(e);
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      giveBack(reading);
      places.release();
    }
  }

  private static boolean isInterrupt(SQLException failure) {
    return failure instanceof SQLiteException sqlite
        && SQLiteErrorCode.getErrorCode(sqlite.getErrorCode() & 0xff)
            == SQLiteErrorCode.SQLITE_INTERRUPT;
  }

  private static LedgerException unreadable(Exception e) {
    return new LedgerException("the ledger cannot be read: " + e.getMessage(), e);
  }

  /** The file may be another one than it was: one that was damaged or removed is begun anew. */
  private Reading take() throws SQLException, IOException {
    for (var kept = next(); kept != null; kept = next()) {
      if (kept.identity().now() == FileIdentity.Now.SAME) {
        return kept;
      }
      kept.close();
    }
    return open();
  }

  private @Nullable Reading next() {
    synchronized (idle) {
      if (closed) {
        throw new LedgerException("the ledger is closed");
      }
      return idle.poll();
    }
  }

  private void giveBack(@Nullable Reading reading) {
    if (reading == null) {
      return;
    }
    synchronized (idle) {
      if (!closed) {
        idle.push(reading);
        return;
      }
    }
    try {
      reading.close();
    } catch (SQLException e) {
      throw new LedgerException("the ledger cannot be closed: " + e.getMessage(), e);
    }
  }

  private Reading open() throws SQLException, IOException {
    if (!Files.exists(file)) {
      throw new LedgerException(
          "no ledger in %s: nothing was recorded there yet".formatted(directory));
    }
    var config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout(5000);
    var opened = config.createConnection("jdbc:sqlite:" + file);
    try {
      if (Migrations.version(opened) == 0) {
        throw new LedgerException("no ledger in %s: %s is empty".formatted(directory, file));
      }
      Migrations.CALLS.check(opened);
      var deadline = new Deadline();
      deadline.start();
      ProgressHandler.setHandler(opened, STEPS, deadline);
      return new Reading(opened, FileIdentity.of(file), deadline);
    } catch (SQLException | IOException | RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
      try {
        for (var each : idle) {
          each.close();
        }
      } catch (SQLException e) {
        throw new LedgerException("the ledger cannot be closed: " + e.getMessage(), e);
      } finally {
        idle.clear();
      }
    }
  }
}
