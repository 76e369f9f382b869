package dev.mainstay.simulator;

import java.time.Duration;
import java.util.Map;

/** One thing done on a connection while answering. */
sealed interface Action {
  /** The status line and headers. */
  record Head(int status, Map<String, String> headers) implements Action {}

  /** Bytes of the body, within HTTP's framing. */
  record Send(byte[] bytes) implements Action {}

  /** Bytes below HTTP's framing. */
  record Raw(byte[] bytes) implements Action {}

  /** Nothing for a time. */
  record Pause(Duration lasting) implements Action {}

  /** Nothing for ever: only the client can end it. */
  record Hang() implements Action {}

  /** The end of the body, as HTTP ends it. */
  record Finish() implements Action {}

  /** The connection closes. */
  record Abort() implements Action {}

  /** The connection is reset. */
  record Reset() implements Action {}
}
