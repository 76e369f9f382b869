package dev.mainstay.ledger.state;

import java.util.function.Consumer;

/**
 * Hints between the instances on one store: a breaker opened, a key rests, a claim has its answer.
 * They arrive within milliseconds or never; nothing may depend on one. Thread-safe.
 */
public interface Signals {
  /** The longest text of a hint, in bytes of UTF-8; PostgreSQL's notifications end at 8000. */
  int MAX_BYTES = 7000;

  /**
   * Tells all other instances; does not block. A hint beyond {@link #MAX_BYTES} is dropped.
   *
   * @param topic a short name: letters and underscores
   */
  void send(String topic, String text);

  /** Registers {@code listener} for what other instances send; it must not block. */
  void on(String topic, Consumer<String> listener);
}
