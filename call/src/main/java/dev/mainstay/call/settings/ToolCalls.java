package dev.mainstay.call.settings;

/** When the tool calls of a stream are handed over. */
public enum ToolCalls {
  /** Together, once the turn has ended well. */
  HOLD,
  /** As they arrive. */
  STREAM
}
