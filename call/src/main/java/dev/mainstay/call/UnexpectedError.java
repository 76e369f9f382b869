package dev.mainstay.call;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Tells of an exception that nobody foresaw, without its message: that may quote a prompt. */
final class UnexpectedError {
  private static final int FRAMES = 6;

  private UnexpectedError() {}

  /** Its class and the first of its stack. */
  static String where(RuntimeException e) {
    return e.getClass().getName()
        + Arrays.stream(e.getStackTrace())
            .limit(FRAMES)
            .map(frame -> " at " + frame)
            .collect(Collectors.joining());
  }
}
