package dev.mainstay.wire.json;

import java.util.List;

/** The bytes from {@code start} up to, not including, {@code end}. */
public record ByteSpan(int start, int end) {
  public ByteSpan {
    if (start < 0 || end < start) {
      throw new IllegalArgumentException("no span: " + start + " to " + end);
    }
  }

  public int length() {
    return end - start;
  }

  /** Puts {@code with} in the place of {@code span}; an empty span inserts. */
  @SuppressWarnings("ArrayRecordComponent") // made and used up at once
  public record Replacement(ByteSpan span, byte[] with) {}

  /**
   * {@code body} with all replacements made, every other byte as it was.
   *
   * @param replacements in the order of their spans, not overlapping
   */
  public static byte[] splice(byte[] body, List<Replacement> replacements) {
    return new SplicedBytes(body, replacements).bytes();
  }
}
