package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.Db;
import dev.mainstay.ledger.sql.SqlState;
import java.sql.SQLException;
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

  private final PostgresDatabase database;
  private final SqlState state;
  private final BeatTimes times;
  private final Thread beating;
  private final Thread watching;
  private volatile boolean closed;

  /** When a beat last reached the database; of the beating thread. */
  private long lastBeat = System.nanoTime();

  /**
   * Threads of the platform: what fills the carriers of virtual threads must not make this process
   * look dead.
   */
  Heartbeat(PostgresDatabase database, SqlState state, BeatTimes times) {
    this.database = database;
    this.state = state;
    this.times = times;
    beating = Thread.ofPlatform().daemon().name("mainstay-heartbeat").unstarted(this::run);
    watching = Thread.ofPlatform().daemon().name("mainstay-patience").unstarted(this::watch);
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
      times.interrupted();
      try (var connection = database.open();
          var db = new Db(connection)) {
        db.execute("listen " + PostgresDatabase.CHANNEL);
        beat(db);
      } catch (SQLException | RuntimeException e) {
        LOG.debug("The heartbeat failed; Mainstay tries again: {}", e.getMessage());
        if (System.nanoTime() - lastBeat > times.life().toNanos()) {
          state.missedBeats(e);
        }
        pause(times.every().toMillis());
      }
    }
  }

  private void beat(Db db) throws SQLException {
    var notified = db.connection().unwrap(PGConnection.class);
    long next = System.nanoTime();
    while (!closed) {
      if (System.nanoTime() - next >= 0) {
        next = System.nanoTime() + times.every().toNanos();
        var dead = state.beat(db);
        lastBeat = System.nanoTime();
        if (times.mayTakeOver(System.nanoTime())) {
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
            name ->
                name.ifPresent(
                    who ->
                        LOG.warn(
                            "Instance {} ({}) has stopped; this instance took over its work",
                            dead,
                            who)));
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
