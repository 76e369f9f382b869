package dev.mainstay.simulator;

/**
 * A place in an answer at which something goes wrong.
 *
 * @param deltas how many deltas (events that carry content) have been sent; 0 is after the preamble
 *     (role chunk, {@code message_start}). An answer that is not streamed counts as two deltas: 1
 *     is in its middle
 * @param bytes how many bytes of the body have been sent, wherever that is; below 0: {@code deltas}
 *     counts
 */
public record FaultPoint(int deltas, int bytes) {
  /** Before the status line. */
  public static final FaultPoint BEFORE_HEADERS = new FaultPoint(-2, -1);

  /** After the headers and before the first event. */
  public static final FaultPoint AFTER_HEADERS = new FaultPoint(-1, -1);

  /** Checks the range. */
  public FaultPoint {
    if (deltas < -2) throw new IllegalArgumentException("deltas must not be negative");
  }

  /** After so many deltas. */
  public static FaultPoint after(int deltas) {
    if (deltas < 0) throw new IllegalArgumentException("deltas must not be negative");
    return new FaultPoint(deltas, -1);
  }

  /** After so many bytes of the body: inside an event, a character, or between two of them. */
  public static FaultPoint atByte(int bytes) {
    if (bytes < 0) throw new IllegalArgumentException("byte must not be negative");
    return new FaultPoint(-1, bytes);
  }

  boolean countsBytes() {
    return bytes >= 0;
  }

  @Override
  public String toString() {
    if (countsBytes()) return "after " + bytes + (bytes == 1 ? " byte" : " bytes");
    return switch (deltas) {
      case -2 -> "before headers";
      case -1 -> "after headers";
      default -> "after " + deltas + (deltas == 1 ? " delta" : " deltas");
    };
  }
}
