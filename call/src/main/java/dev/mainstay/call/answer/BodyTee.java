package dev.mainstay.call.answer;

import dev.mainstay.http.MemoryBudget;
import java.util.Arrays;

/**
 * Keeps what passes of a body, up to 4 MiB or as long as there is memory for it; beyond that what
 * is kept ends.
 */
public final class BodyTee {
  /** Enough for the longest answers of today's models, 4 MiB. */
  private static final int MOST = 4 << 20;

  private final ByteChunks kept = new ByteChunks();
  private final MemoryBudget.Reservation memory;
  private final boolean on;
  private boolean cut;

  public BodyTee(boolean on, MemoryBudget.Reservation memory) {
    this.memory = memory;
    this.on = on;
  }

  /** Keeps {@code piece}, which nobody may change any more. */
  public void keep(byte[] piece) {
    if (!on || cut) {
      return;
    }
    var within = first(piece, MOST - kept.size());
    cut = within.length < piece.length;
    if (memory.grow(within.length)) {
      kept.add(within);
    } else {
      cut = true;
    }
  }

  /** As much of the beginning of {@code body} as is kept of any. */
  public static byte[] first(byte[] body) {
    return first(body, MOST);
  }

  private static byte[] first(byte[] bytes, int length) {
    return bytes.length <= length ? bytes : Arrays.copyOf(bytes, length);
  }

  /** What is kept; not to be changed. */
  public byte[] bytes() {
    return kept.whole();
  }

  /** Whether what is kept ends before what passed does. */
  public boolean cut() {
    return cut;
  }

  public boolean isEmpty() {
    return kept.size() == 0;
  }
}
