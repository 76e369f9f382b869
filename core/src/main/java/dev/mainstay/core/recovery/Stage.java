package dev.mainstay.core.recovery;

/**
 * What of the call's answer the client has received when an attempt ends, over all attempts of the
 * call. A call whose answer is handed over whole is at {@link #NOTHING} until it is answered.
 */
public enum Stage {
  /** Before the commit point. */
  NOTHING,
  /** Before the commit point, and the attempt had begun tool calls, which were held back. */
  HELD_TOOL_CALL,
  /** Reasoning, and nothing else. */
  REASONING,
  /** Text, whether or not tool calls are held back after it. */
  TEXT,
  /** A tool call, whole or in part: nothing can be sent again. */
  DELIVERED_TOOL_CALL;

  /** Whether the commit point has been passed. */
  public boolean committed() {
    return this.compareTo(REASONING) >= 0;
  }
}
