package dev.mainstay.call.api;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports an exception that should not be, without its message, which may quote a prompt. */
public final class UnexpectedError {
  private static final Logger LOG = LoggerFactory.getLogger(UnexpectedError.class);
  private static final int FRAMES = 6;

  private UnexpectedError() {}

  /** Its class and the first of its stack. */
  public static String where(Throwable e) {
    return e.getClass().getName()
        + Arrays.stream(e.getStackTrace())
            .limit(FRAMES)
            .map(frame -> " at " + frame)
            .collect(Collectors.joining());
  }

  /**
   * Takes every step, whatever another one throws; that is logged.
   *
   * @param about what the steps are for, in the log
   */
  public static void runAll(String about, Runnable... steps) {
    for (var step : steps) {
      try {
        step.run();
      } catch (Throwable thrown) {
        log(about, thrown);
      }
    }
  }

  /**
   * Logs {@code thrown}.
   *
   * @param about what was done, in the log
   */
  static void log(String about, Throwable thrown) {
    LOG.error("{}: {}", about, where(thrown));
  }
}
