package dev.mainstay.wire.stream;

/** What one event of a stream brings; of several things the weightiest. */
public enum Part {
  /** Comments, pings, events that nobody knows. */
  NOTHING,
  /** Ids, roles, the opening of a block: held until something follows. */
  PREAMBLE,
  REASONING,
  /** Text, a refusal in words, audio, an image: what the client asked for. */
  CONTENT,
  TOOL_CALL,
  /** Token counts and nothing else. */
  USAGE,
  /** Why the answer ends, without anything else of it. */
  FINISH,
  /** The protocol's own ending. */
  ENDING,
  /** The provider says that it failed. */
  ERROR,
  /** An event that cannot be read. */
  MALFORMED;

  /** Whether it reaching the client is the commit point. */
  public boolean commits() {
    return this == REASONING || this == CONTENT || this == TOOL_CALL;
  }
}
