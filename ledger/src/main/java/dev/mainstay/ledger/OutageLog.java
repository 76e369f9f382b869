package dev.mainstay.ledger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Work that fails again and again while something outside is away. One line of the log says that it
 * began, and one that it ended. Thread-safe.
 */
public final class OutageLog {
  private final Logger log;
  private final String begins;
  private final String ends;
  private volatile @Nullable String now;

  /**
   * @param begins what does not work, as the log and health say it
   * @param ends what works again, as the log says it
   */
  public OutageLog(Logger log, String begins, String ends) {
    this.log = log;
    this.begins = begins;
    this.ends = ends;
  }

  /** The work failed once more. */
  public synchronized void failed(Exception why) {
    if (now == null) {
      log.warn("{}: {}", begins, why.getMessage());
    }
    now = begins + " (" + why.getMessage() + ")";
  }

  /** The work was done. */
  public void healed() {
    if (now != null) {
      end();
    }
  }

  private synchronized void end() {
    if (now != null) {
      now = null;
      log.info("{}", ends);
    }
  }

  /** What does not work and why, in words; null while all is well. */
  public @Nullable String now() {
    return now;
  }
}
