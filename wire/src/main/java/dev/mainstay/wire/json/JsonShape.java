package dev.mainstay.wire.json;

import java.util.Arrays;

/**
 * What two JSON values have in common that say the same but for some texts and numbers. The events
 * of a stream are alike: one was read, and the next hundred differ from it in a few values that
 * make no difference, or of which only the length is asked. So the one that was read is kept with
 * its <i>gaps</i>, the places of those values; and whatever equals it outside of them, and has in
 * each a value of the same kind, is JSON as it is and says what it said.
 *
 * <p>That is sure, not likely: outside of the gaps the bytes are compared, all of them, and inside
 * the value is checked by {@link JsonWalk} as any other. What does not fit costs a comparison.
 *
 * <p>Not thread-safe.
 */
public final class JsonShape {
  /** Longer values are read each time, rather than kept in memory for as long as a stream lasts. */
  private static final int LONGEST = 2048;

  private static final int MOST_GAPS = 6;

  /** In {@link #gaps}: begin, end, kind. */
  private static final int ROOM = 3;

  private static final int COUNTED = 0;
  private static final int TEXT = 1;
  private static final int NUMBER = 2;

  private final int[] gaps = new int[MOST_GAPS * ROOM];
  private int count;
  private byte[] like = {};
  private boolean learned;

  /** Forgets what it knows: another value is going to be read. */
  public void begin() {
    count = 0;
    learned = false;
  }

  /** The text that comes next is a gap, unless it is empty; its length, or -1 where it is none. */
  public int counted(JsonWalk walk) {
    int start = walk.start();
    int length = walk.stringLength();
    if (length > 0) {
      gap(start, walk.stop(), COUNTED);
    }
    return length;
  }

  /** The value that comes next is a gap if it is a text or a number, of which nothing is asked. */
  public void free(JsonWalk walk) {
    switch (walk.kind()) {
      case STRING -> gap(walk.start(), walk.stop(), TEXT);
      case NUMBER -> gap(walk.start(), walk.stop(), NUMBER);
      default -> walk.skip();
    }
  }

  private void gap(int start, int end, int kind) {
    if (count < MOST_GAPS) {
      gaps[count * ROOM] = start;
      gaps[count * ROOM + 1] = end;
      gaps[count * ROOM + 2] = kind;
    }
    count++;
  }

  /** What was read since {@link #begin} is these bytes, which were JSON. */
  public void learn(byte[] bytes, int offset, int length) {
    learned = count <= MOST_GAPS && length <= LONGEST;
    if (learned) {
      like = Arrays.copyOfRange(bytes, offset, offset + length);
    }
  }

  /**
   * Whether these bytes say what was learned: the chars in the counted gaps, or -1 where they do
   * not, or nobody knows.
   */
  public int fit(byte[] bytes, int offset, int length) {
    if (!learned) {
      return -1;
    }
    int end = offset + length;
    int at = offset;
    int common = 0;
    int chars = 0;
    for (int i = 0; i < count; i++) {
      int start = gaps[i * ROOM];
      int next = at + start - common;
      if (next >= end || !Arrays.equals(like, common, start, bytes, at, next)) {
        return -1;
      }
      var walk = new JsonWalk(bytes, next, end - next);
      int kind = gaps[i * ROOM + 2];
      int after = walk.gap(kind == NUMBER);
      if (after < 0 || (kind == COUNTED && walk.gapLength() == 0)) {
        return -1;
      }
      chars += kind == COUNTED ? walk.gapLength() : 0;
      at = after;
      common = gaps[i * ROOM + 1];
    }
    return Arrays.equals(like, common, like.length, bytes, at, end) ? chars : -1;
  }
}
