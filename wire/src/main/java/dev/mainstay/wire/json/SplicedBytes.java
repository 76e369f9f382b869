package dev.mainstay.wire.json;

import dev.mainstay.wire.json.ByteSpan.Replacement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes with some of them replaced, every other one as it was. They are copied into one piece only
 * where somebody asks for that: a long prompt with another model's name is sent in its pieces.
 *
 * <p>Not for several threads at once.
 */
public final class SplicedBytes {
  private final byte[] original;
  private final List<Replacement> replacements;
  private final int length;
  private byte @Nullable [] joined;

  /**
   * @param original not to be changed any more
   * @param replacements in the order of their spans, not overlapping; an empty span inserts
   * @throws IllegalArgumentException where they overlap, are out of order or lie outside
   */
  public SplicedBytes(byte[] original, List<Replacement> replacements) {
    this.original = original;
    this.replacements = List.copyOf(replacements);
    int size = original.length;
    int from = 0;
    for (var replacement : replacements) {
      if (replacement.span().start() < from || replacement.span().end() > original.length) {
        throw new IllegalArgumentException("replacements overlap, are out of order or outside");
      }
      from = replacement.span().end();
      size += replacement.with().length - replacement.span().length();
    }
    length = size;
    joined = replacements.isEmpty() ? original : null;
  }

  /** How many bytes there are with the replacements made. */
  public int length() {
    return length;
  }

  /** All of them as one array, the original itself where nothing is replaced; not to be changed. */
  public byte[] bytes() {
    if (joined == null) {
      var out = new byte[length];
      var at = new int[1];
      pieces(
          (piece, from, to) -> {
            System.arraycopy(piece, from, out, at[0], to - from);
            at[0] += to - from;
          });
      joined = out;
    }
    return joined;
  }

  /** Gives {@code each} the pieces, in order; none is empty. */
  public void pieces(Piece each) {
    int from = 0;
    for (var replacement : replacements) {
      give(each, original, from, replacement.span().start());
      give(each, replacement.with(), 0, replacement.with().length);
      from = replacement.span().end();
    }
    give(each, original, from, original.length);
  }

  private static void give(Piece each, byte[] piece, int from, int to) {
    if (from < to) {
      each.take(piece, from, to);
    }
  }

  /** Takes one piece: the bytes of an array from {@code from} up to, not including, {@code to}. */
  @FunctionalInterface
  public interface Piece {
    /** The array is not to be changed. */
    void take(byte[] piece, int from, int to);
  }
}
