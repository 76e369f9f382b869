package dev.mainstay.wire.continuation;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a model is told that has to go on with an answer which was cut off. */
final class ContinuationInstruction {
  /** A longer schema is not repeated in the instruction. In characters. */
  private static final int MAX_SCHEMA = 8192;

  /** The instruction asks for so many characters again, or a few more up to a word's start. */
  private static final int ANCHOR = 32;

  private static final int MAX_ANCHOR = 160;

  private ContinuationInstruction() {}

  /**
   * @param said what was delivered of the answer
   * @param json whether the whole must be one JSON value
   * @param schema what that must fit, or null
   */
  static String of(String said, boolean json, @Nullable JsonNode schema) {
    var words = new StringBuilder(512);
    words.append(
        "Your last message was cut off. Write the rest of it and nothing else: no greeting, no"
            + " comment, no new start, no code fence around it. So that the two parts can be"
            + " joined, begin with the last characters of that message exactly as they stand"
            + " between the lines below, without the lines, and go straight on from there.");
    if (json) {
      words.append(" The whole message is one JSON value: go on inside it and close it.");
      if (schema != null) {
        String written = schema.toString();
        if (written.length() <= MAX_SCHEMA) {
          words.append(" It must fit this JSON Schema: ").append(written);
        }
      }
    }
    return words.append("\n---\n").append(anchor(said)).append("\n---").toString();
  }

  /** The text's end: enough to be found again, from a word's start where one is near. */
  static String anchor(String said) {
    int from = Math.max(0, said.length() - ANCHOR);
    int furthest = Math.max(0, said.length() - MAX_ANCHOR);
    while (from > furthest && !found(said, from)) {
      from--;
    }
    if (from > 0 && Character.isLowSurrogate(said.charAt(from))) {
      from--;
    }
    return said.substring(from);
  }

  private static boolean found(String said, int from) {
    return Character.isWhitespace(said.charAt(from - 1))
        && !Character.isWhitespace(said.charAt(from))
        && said.indexOf(said.substring(from)) == from;
  }
}
