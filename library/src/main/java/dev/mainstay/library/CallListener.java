package dev.mainstay.library;

import java.time.Duration;
import java.util.List;

/**
 * Told of what happens to wrapped calls, on the thread where it happens: be quick. What it throws
 * is logged by class and dropped; it never disturbs a call.
 */
public interface CallListener {
  /** Hears nothing, and costs nothing. */
  CallListener NONE = new CallListener() {};

  /** Something did not go well, and this was decided. */
  default void decided(HistoryEntry attempted) {}

  /**
   * The call has its answer.
   *
   * @param target the name of the target that answered
   * @param history what happened before; empty where the first attempt did it
   */
  default void answered(String target, Duration took, List<HistoryEntry> history) {}

  /** The call ends in {@code failure}, to which its history is attached. */
  default void gaveUp(Throwable failure, List<HistoryEntry> history) {}
}
