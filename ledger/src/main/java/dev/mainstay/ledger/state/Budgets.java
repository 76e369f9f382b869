package dev.mainstay.ledger.state;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What may be spent and what was. A call reserves the most it can cost before it begins, and more
 * before it does more, and settles what it did cost when it has ended, so that any number of calls
 * at once, in any number of processes, never overspend. What a call reserved that its process did
 * not live to settle counts as spent: its provider may have been paid. Threads and failures as in
 * {@link DurableState}. All money is in nano-dollars.
 */
public interface Budgets {

  /**
   * What an account may spend in a period.
   *
   * @param account whose: of a client, or of a run
   * @param period when the period began, in seconds since 1970; 0 where there is one alone
   * @param nanos the most, 0 or more
   */
  record Allowance(String account, long period, long nanos) {
    public Allowance {
      if (nanos < 0) {
        throw new IllegalArgumentException("an allowance is negative: " + nanos);
      }
    }
  }

  /** What became of a reservation. */
  sealed interface Reservation {
    /** All allowances have room for it, and this is on disk. */
    record Granted() implements Reservation {}

    /**
     * One has no room; nothing was reserved of any.
     *
     * @param of the first without room
     * @param spent in its period
     * @param reserved by calls that have not ended
     */
    record Refused(Allowance of, long spent, long reserved) implements Reservation {}
  }

  /** What an account spent in a period. */
  record Account(String account, long period, long spent, long reserved) {}

  /**
   * Reserves {@code nanos} of every allowance, or of none; beside what {@code call} has reserved
   * before.
   *
   * @param now the time of day; accounts not used for 62 days are forgotten
   */
  CompletionStage<Reservation> reserve(
      String call, List<Allowance> allowances, long nanos, Instant now);

  /** Replaces what {@code call} reserved by what it cost; false where it had reserved nothing. */
  CompletionStage<Boolean> settle(String call, long nanos);

  /** All accounts and periods that are known, the newest period first. */
  CompletionStage<List<Account>> accounts();
}
