package dev.mainstay.core.guard;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Notices that an agent goes round in circles: the same one to five (action, arguments, result)
 * over and over. A repeated action whose result differs is progress and is left alone. One instance
 * per run; not thread-safe; holds 32 bytes for each of the last few steps.
 */
public final class LoopGuard {
  /** The longest cycle looked for. */
  public static final int MAX_LENGTH = 5;

  /**
   * A cycle.
   *
   * @param length how many steps it has
   * @param repeats how often it was gone through
   */
  public record Loop(int length, int repeats) {}

  private final int repeats;
  private final byte[][] recent;
  private long seen;

  /**
   * @param repeats how often a cycle may not be gone through; at least 2, default 3
   */
  public LoopGuard(int repeats) {
    if (repeats < 2) {
      throw new IllegalArgumentException("repeats: " + repeats + " is less than 2");
    }
    this.repeats = repeats;
    recent = new byte[MAX_LENGTH * repeats][];
  }

  /** A cycle is one that was gone through three times. */
  public LoopGuard() {
    this(3);
  }

  /**
   * A step was taken.
   *
   * @param resultDigest any digest of its result
   * @return the shortest cycle that it completes, or null
   */
  public @Nullable Loop step(String action, String arguments, String resultDigest) {
    recent[(int) (seen % recent.length)] = digest(action, arguments, resultDigest);
    seen++;
    for (int length = 1; length <= MAX_LENGTH; length++) {
      if (cycles(length)) {
        return new Loop(length, repeats);
      }
    }
    return null;
  }

  private boolean cycles(int length) {
    int steps = length * repeats;
    if (seen < steps) {
      return false;
    }
    for (int back = 0; back < steps - length; back++) {
      if (!Arrays.equals(at(back), at(back + length))) {
        return false;
      }
    }
    return true;
  }

  private byte[] at(int back) {
    return recent[(int) ((seen - 1 - back) % recent.length)];
  }

  private static byte[] digest(String... parts) {
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      for (var part : parts) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        int n = bytes.length;
        // The length first, so that no two lists of parts run together alike.
        sha.update(new byte[] {(byte) (n >> 24), (byte) (n >> 16), (byte) (n >> 8), (byte) n});
        sha.update(bytes);
      }
      return sha.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
