package dev.mainstay.library;

import java.util.List;

/**
 * The history of a call that ended in a failure, attached to the original exception as a suppressed
 * one, so that every stack trace shows it. Read it with {@link Mainstay#historyOf}.
 */
public final class AttemptHistory extends RuntimeException {
  private final transient Object owner;
  private transient volatile List<HistoryEntry> attempts;

  private AttemptHistory(Object owner, List<HistoryEntry> attempts) {
    super(null, null, false, false);
    this.owner = owner;
    this.attempts = attempts;
  }

  /**
   * Attaches {@code attempts} to {@code thrown}. An exception that is thrown again and again (some
   * clients keep one instance) keeps one history for each wrapped call, the newest.
   */
  static void attach(Throwable thrown, Object owner, List<HistoryEntry> attempts) {
    for (var suppressed : thrown.getSuppressed()) {
      if (suppressed instanceof AttemptHistory history && history.owner == owner) {
        history.attempts = attempts;
        return;
      }
    }
    thrown.addSuppressed(new AttemptHistory(owner, attempts));
  }

  /** Oldest first. */
  public List<HistoryEntry> attempts() {
    List<HistoryEntry> all = attempts;
    return all == null ? List.of() : all; // null after serialization
  }

  /** One line an attempt. The message stays empty, so that nobody classifies by it. */
  @Override
  public String toString() {
    var text = new StringBuilder("the attempts of this call:");
    for (var attempted : attempts()) {
      text.append("\n    ").append(attempted);
    }
    return text.toString();
  }
}
