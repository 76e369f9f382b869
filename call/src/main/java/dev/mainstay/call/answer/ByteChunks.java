package dev.mainstay.call.answer;

import java.util.ArrayList;
import java.util.List;

/**
 * Bytes in the pieces in which they came. Nothing is copied until all of it is asked for, and not
 * even then where it is one piece. Belongs to the call's loop.
 */
public final class ByteChunks {
  private static final byte[] NONE = {};

  private final List<byte[]> pieces = new ArrayList<>(1);
  private int size;

  /** Takes {@code piece}, which nobody may change any more. */
  public void add(byte[] piece) {
    if (piece.length > 0) {
      pieces.add(piece);
      size += piece.length;
    }
  }

  /** Lets go of all of it. */
  void clear() {
    pieces.clear();
    size = 0;
  }

  public int size() {
    return size;
  }

  /** All of it in one array, which nobody may change. */
  public byte[] whole() {
    if (pieces.size() > 1) {
      var all = new byte[size];
      int at = 0;
      for (var piece : pieces) {
        System.arraycopy(piece, 0, all, at, piece.length);
        at += piece.length;
      }
      pieces.clear();
      pieces.add(all);
    }
    return pieces.isEmpty() ? NONE : pieces.getFirst();
  }
}
