package dev.mainstay.agent.journal;

import org.jspecify.annotations.Nullable;

/** A tool call of a run, as its journal tells it. Only {@link ToolSteps} changes it. */
public final class ToolStep {
  private final JournalEntry.StepPlanned planned;
  int attempts;
  boolean open;
  boolean askedApproval;
  @Nullable Boolean approved;
  @Nullable String doubt;
  JournalEntry.@Nullable StepFailed failure;
  JournalEntry.@Nullable StepEnded ended;
  JournalEntry.@Nullable ChildStarted child;
  int keptLength;
  boolean skipped;

  ToolStep(JournalEntry.StepPlanned planned) {
    this.planned = planned;
  }

  public JournalEntry.StepPlanned planned() {
    return planned;
  }

  /** Attempts that began. */
  public int attempts() {
    return attempts;
  }

  /** Whether an attempt began of which nothing more is known. */
  public boolean isOpen() {
    return open;
  }

  /** Whether a person was asked to approve it. */
  public boolean askedApproval() {
    return askedApproval;
  }

  /** What a person decided, or null. */
  public @Nullable Boolean approved() {
    return approved;
  }

  /** Why its effect is in doubt, or null. */
  public @Nullable String doubt() {
    return doubt;
  }

  /** The failure of its last attempt, or null. */
  public JournalEntry.@Nullable StepFailed failure() {
    return failure;
  }

  /** The run that carries it out, or null. */
  public JournalEntry.@Nullable ChildStarted child() {
    return child;
  }

  /** Whether it was not carried out because a step that it needs did not succeed. */
  public boolean isSkipped() {
    return skipped;
  }

  /** UTF-16 units of a result that the model sees an excerpt of; 0 where it sees it whole. */
  public int keptLength() {
    return keptLength;
  }

  /** What the model is told of it; "" before it has ended. */
  String result() {
    return ended == null ? "" : ended.result();
  }

  /** Whether only a person, or the end of another run, can carry it on. */
  public boolean waits() {
    return ended == null && (child != null || doubt != null || (askedApproval && approved == null));
  }

  /** How it ended, or null. */
  public JournalEntry.@Nullable StepEnded ended() {
    return ended;
  }
}
