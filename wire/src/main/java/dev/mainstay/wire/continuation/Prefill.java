package dev.mainstay.wire.continuation;

/** How a target takes up an answer that is begun for it. */
public enum Prefill {
  /** Not at all; an assistant message at the end is refused, or is a turn that is over. */
  NONE,
  /** An assistant message at the end (Gemini: a model turn) is the answer's beginning. */
  LAST_MESSAGE,
  /** Such a message is one where it says {@code "prefix": true}. */
  PREFIX_FLAG,
  /** Such a message is one where it says {@code "partial": true}. */
  PARTIAL_FLAG,
  /**
   * Such a message is one where the request says {@code "continue_final_message": true} and {@code
   * "add_generation_prompt": false}.
   */
  CONTINUE_FLAG
}
