package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.SqlState;
import dev.mainstay.ledger.state.DurableState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;

/** This process's part of the state, and the heartbeat that keeps it. */
final class PostgresState implements AutoCloseable {
  /** How long a call waits for the database before it goes on without it. */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private final PostgresDatabase database;
  private final SqlState state;
  private final Heartbeat heartbeat;

  private PostgresState(PostgresDatabase database, SqlState state, Heartbeat heartbeat) {
    this.database = database;
    this.state = state;
    this.heartbeat = heartbeat;
  }

  /**
   * @param lease a process that dies is taken over within this time
   * @throws LedgerException where the database refuses this process; where it only cannot be
   *     reached, the state opens and connects later
   */
  static PostgresState open(String url, Duration lease, InstantSource clock, long maxBytes) {
    return open(new PostgresDatabase(url, PATIENCE), lease, clock, maxBytes);
  }

  static PostgresState open(
      PostgresDatabase database, Duration lease, InstantSource clock, long maxBytes) {
    var times = new BeatTimes(lease);
    var state = new SqlState(database, name(), times.life(), clock, maxBytes);
    try {
      state.start();
    } catch (SQLException e) {
      if (Refusal.isFinal(e)) {
        throw cannotBeOpened(database.url(), e);
      }
      state.startWithout(e);
    } catch (LedgerException e) {
      throw cannotBeOpened(database.url(), e);
    }
    var heartbeat = new Heartbeat(database, state, times);
    heartbeat.start();
    return new PostgresState(database, state, heartbeat);
  }

  static LedgerException cannotBeOpened(String url, Exception why) {
    return new LedgerException(
        "the store %s cannot be opened: %s"
            .formatted(PostgresConfig.withoutPassword(url), why.getMessage()),
        why);
  }

  private static String name() {
    var process = "process " + ProcessHandle.current().pid();
    try {
      return process + " on " + InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return process;
    }
  }

  PostgresDatabase database() {
    return database;
  }

  DurableState state() {
    return state;
  }

  @Override
  public void close() {
    try {
      heartbeat.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    state.leave();
    state.close();
  }
}
