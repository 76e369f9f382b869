package dev.mainstay.agent.journal;

/** How often the model was told that its answer will not do. Only {@link RunState} changes it. */
public final class AnswerNudges {
  int poor;
  int misfits;
  boolean last;

  AnswerNudges() {}

  /** The model has answered with something to go on with. */
  void usable() {
    poor = 0;
  }

  /** Answers in a row that say nothing, or never end. */
  public int poor() {
    return poor;
  }

  /** Answers that did not fit the agent's schema. */
  public int misfits() {
    return misfits;
  }

  /** Whether the model was told that its next answer is the last. */
  public boolean isLast() {
    return last;
  }
}
