package dev.mainstay.ledger.postgres;

import java.time.Duration;

/**
 * When a process says that it lives, when it counts as dead, and when it may take over others. Of
 * one thread.
 *
 * <p>A beat comes each twentieth of the lease, and a process counts as dead when six tenths of the
 * lease have passed since its last one. Another process sees that with its own next beat. So what a
 * dead process had in hand is taken over 0.55 to 0.65 of the lease after its death, and a third of
 * the lease is left for a slow database and for who carries the work on.
 */
final class BeatTimes {
  /**
   * Regular beats before this process takes over others: when the database was away or slow, or
   * this process was paused, all look dead until they have come back.
   */
  static final int REGULAR_FIRST = 4;

  private final Duration every;
  private final Duration life;
  private long last;
  private int regular;

  /**
   * @param lease within which a process that dies is taken over
   */
  BeatTimes(Duration lease) {
    every = lease.dividedBy(20);
    life = lease.multipliedBy(6).dividedBy(10);
  }

  /** From one beat to the next. */
  Duration every() {
    return every;
  }

  /** From the last beat until the process counts as dead. */
  Duration life() {
    return life;
  }

  /** The connection broke: beats are counted anew. */
  void interrupted() {
    regular = 0;
  }

  /**
   * A beat has reached the database; whether this process has beaten regularly for long enough to
   * tell the dead from those that the database or a pause held up as well.
   *
   * @param now by {@link System#nanoTime}
   */
  boolean mayTakeOver(long now) {
    if (regular > 0 && now - last > life.toNanos() / 2) {
      regular = 0;
    }
    last = now;
    regular++;
    return regular >= REGULAR_FIRST;
  }
}
