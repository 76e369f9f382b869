package dev.mainstay.engine.model;

import java.util.function.Consumer;

/**
 * A model request under way. One thread reads its events and waits for its outcome; {@link #cancel}
 * may be called from any thread.
 */
public interface ModelCall {
  /** The call's id, as in the ledger. */
  String id();

  /**
   * Waits for the outcome and gives each event to {@code events} on the calling thread as it
   * arrives. A listener that is slow slows the provider down. May be called once.
   *
   * @throws InterruptedException when the calling thread was interrupted; the call is then
   *     cancelled
   */
  ModelOutcome await(Consumer<ModelEvent> events) throws InterruptedException;

  /**
   * Cancels the upstream request, within a second; {@link #await} then ends with kind cancelled.
   */
  void cancel();
}
