package dev.mainstay.wire.json;

import java.util.List;

/** The bytes from {@code start} up to, not including, {@code end}. */
public record Span(int start, int end) {
  public Span {
    if (start < 0 || end < start) {
      throw new IllegalArgumentException("no span: " + start + " to " + end);
    }
  }

  public int length() {
    return end - start;
  }

  /** Puts {@code with} in the place of {@code span}; an empty span inserts. */
  @SuppressWarnings("ArrayRecordComponent") // made and used up at once
  public record Replacement(Span span, byte[] with) {}

  /**
   * {@code body} with all replacements made, every other byte as it was.
   *
   * @param replacements in the order of their spans, not overlapping
   */
  public static byte[] splice(byte[] body, List<Replacement> replacements) {
    if (replacements.isEmpty()) {
      return body;
    }
    int length = body.length;
    for (var replacement : replacements) {
      length += replacement.with().length - replacement.span().length();
    }
    var out = new byte[length];
    int from = 0;
    int to = 0;
    for (var replacement : replacements) {
      int kept = replacement.span().start() - from;
      if (kept < 0) {
        throw new IllegalArgumentException("replacements overlap or are out of order");
      }
      System.arraycopy(body, from, out, to, kept);
      to += kept;
      System.arraycopy(replacement.with(), 0, out, to, replacement.with().length);
      to += replacement.with().length;
      from = replacement.span().end();
    }
    System.arraycopy(body, from, out, to, body.length - from);
    return out;
  }
}
