package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.Db;
import dev.mainstay.ledger.sql.SqlState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that this process lives, listens to the others, and takes over those whose heartbeat has
 * stopped. On a connection of its own, so that a slow write does not make a process look dead. A
 * second thread fails operations that the database does not answer in time.
 */
final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final int LISTEN_MILLIS = 100;

  /**
   * Beats before this process takes over another one: after an outage of the database all look dead
   * until they have come back.
   */
  private static final int BEATS_FIRST = 3;

  private final PostgresDatabase database;
  private final SqlState state;
  private final long everyNanos;
  private final Thread beating;
  private final Thread watching;
  private int beats;
  private volatile boolean closed;

  Heartbeat(PostgresDatabase database, SqlState state, Duration every) {
    this.database = database;
    this.state = state;
    everyNanos = every.toNanos();
    beating = Thread.ofVirtual().name("mainstay-heartbeat").unstarted(this::run);
    watching = Thread.ofVirtual().name("mainstay-state-patience").unstarted(this::watch);
  }

  void start() {
    beating.start();
    watching.start();
  }

  private void watch() {
    while (!closed) {
      state.expire();
      pause(LISTEN_MILLIS);
    }
  }

  private void run() {
    while (!closed) {
      beats = 0;
      try (var connection = database.open();
          var db = new Db(connection)) {
        db.execute("listen " + PostgresDatabase.CHANNEL);
        beat(db);
      } catch (SQLException | RuntimeException e) {
        LOG.debug("The heartbeat failed; Mainstay tries again: {}", e.getMessage());
        pause(TimeUnit.NANOSECONDS.toMillis(everyNanos));
      }
    }
  }

  private void beat(Db db) throws SQLException {
    var notified = db.connection().unwrap(PGConnection.class);
    long next = System.nanoTime();
    while (!closed) {
      if (System.nanoTime() - next >= 0) {
        next = System.nanoTime() + everyNanos;
        var dead = state.beat(db);
        beats++;
        if (beats > BEATS_FIRST) {
          dead.forEach(this::takeOver);
        }
      }
      var sent = notified.getNotifications(LISTEN_MILLIS);
      if (sent != null) {
        for (var each : sent) {
          state.received(each.getParameter());
        }
      }
    }
  }

  private void takeOver(long dead) {
    state
        .takeOver(dead)
        .thenAccept(
            done -> {
              if (done) {
                LOG.warn("Instance {} has stopped; this instance took over its work", dead);
              }
            });
  }

  private void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      closed = true;
    }
  }

  private static void join(@Nullable Thread thread) throws InterruptedException {
    if (thread != null) {
      thread.join();
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    join(beating);
    join(watching);
  }
}
