package dev.mainstay.agent.tool;

import dev.mainstay.wire.json.Tree;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** What a tool says, as text that is safe to keep, to show and to send to a model. */
public final class ToolText {
  /** Characters of a result that the model sees; it pages through the rest. */
  public static final int MOST_SHOWN = 12_000;

  /** Ends a result that was longer than Mainstay keeps. */
  public static final String CUT =
      "\n[Mainstay: the result was cut off here, after " + ResultMemory.MOST_RESULT + " bytes.]";

  private ToolText() {}

  /** {@code bytes} as text: invalid UTF-8 and control characters become U+FFFD. */
  public static String of(ByteArrayOutputStream bytes) {
    return clean(bytes.toString(StandardCharsets.UTF_8));
  }

  /** {@code text} as JSON where it is JSON, or else as a JSON string. */
  public static JsonNode json(String text) {
    try {
      return Tree.read(text);
    } catch (JacksonException e) {
      return StringNode.valueOf(text);
    }
  }

  /** {@code text} without control characters and halves of characters. */
  public static String clean(String text) {
    int at = 0;
    while (at < text.length() && isHarmless(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return text;
    }
    var clean = new StringBuilder(text.length()).append(text, 0, at);
    for (int next = at; next < text.length(); ) {
      int point = text.codePointAt(next);
      next += Character.charCount(point);
      boolean harmless = Character.isSupplementaryCodePoint(point) || isHarmless((char) point);
      clean.appendCodePoint(harmless ? point : 0xFFFD);
    }
    return clean.toString();
  }

  private static boolean isHarmless(char each) {
    return each == '\n'
        || each == '\r'
        || each == '\t'
        || !(Character.isISOControl(each) || Character.isSurrogate(each));
  }

  /**
   * The part of {@code text} between two offsets, in UTF-16 units. A character is not cut in half.
   */
  public static String slice(String text, int from, int to) {
    int start = Math.clamp(from, 0, text.length());
    int end = Math.clamp(to, start, text.length());
    if (start > 0 && start < text.length() && Character.isLowSurrogate(text.charAt(start))) {
      start++;
    }
    if (end > start && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(Math.min(start, end), end);
  }
}
