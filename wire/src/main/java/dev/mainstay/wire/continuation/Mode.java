package dev.mainstay.wire.continuation;

/** How a target is asked for the rest of an answer. */
public enum Mode {
  /** The delivered text stands as the beginning of the answer itself, and the target goes on. */
  PREFILL,
  /** The delivered text stands as an answer, and a user message after it asks for the rest. */
  INSTRUCTION,
  /**
   * The same request again. The new answer must begin with the delivered text, character by
   * character, so that whatever is then delivered is one answer of one attempt.
   */
  RESTART
}
