package dev.mainstay.ledger.sqlite;

import java.util.Arrays;

/**
 * Hash to offset in the current file: a table of fixed size in which a newer entry takes an older
 * one's place, so that memory is bounded (1 MiB) and a miss only costs a second copy.
 */
final class BodyOffsets {
  private static final int SLOTS = 1 << 16;
  private final long[] hashes = new long[SLOTS];
  private final int[] offsets = new int[SLOTS];

  BodyOffsets() {
    clear();
  }

  long find(long hash) {
    int slot = slot(hash);
    return hashes[slot] == hash ? offsets[slot] : -1;
  }

  void put(long hash, long offset) {
    int slot = slot(hash);
    hashes[slot] = hash;
    offsets[slot] = (int) offset;
  }

  void clear() {
    Arrays.fill(offsets, -1);
  }

  private static int slot(long hash) {
    return (int) (hash >>> 48);
  }
}
