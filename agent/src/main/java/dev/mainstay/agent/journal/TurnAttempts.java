package dev.mainstay.agent.journal;

import org.jspecify.annotations.Nullable;

/** The attempts of the turn that is to be answered next, and what their bounds count. */
public final class TurnAttempts {
  private int number;
  private boolean open;
  private int requests;
  private int restarts;
  private int compactions;
  private JournalEntry.@Nullable TurnFailed failure;

  TurnAttempts() {}

  void started(JournalEntry.TurnStarted start) {
    number = start.attempt();
    open = true;
    if (failure != null && failure.broke()) {
      restarts++;
    }
    failure = null;
  }

  void failed(JournalEntry.TurnFailed failed) {
    open = false;
    failure = failed;
    requests += failed.used().attempts();
    restarts += failed.restarts();
  }

  void compacted() {
    compactions++;
    failure = null;
  }

  void ended() {
    number = 0;
    open = false;
    requests = 0;
    restarts = 0;
    compactions = 0;
    failure = null;
  }

  /** The last attempt's number; 0 before the first. */
  public int number() {
    return number;
  }

  /** Whether an attempt began of which nothing more is known. */
  public boolean isOpen() {
    return open;
  }

  /** Upstream requests of the failed attempts. */
  public int requests() {
    return requests;
  }

  /** Broken streams that were asked again. */
  public int restarts() {
    return restarts;
  }

  /** How often the conversation was shortened for this turn. */
  public int compactions() {
    return compactions;
  }

  /** Why the last attempt failed, or null where none is left to decide about. */
  public JournalEntry.@Nullable TurnFailed failure() {
    return failure;
  }
}
