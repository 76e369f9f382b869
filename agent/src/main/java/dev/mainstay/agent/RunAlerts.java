package dev.mainstay.agent;

/** Where runs say what a person should see. Thread-safe; must not block. */
@FunctionalInterface
public interface RunAlerts {
  /** Hears nothing. */
  RunAlerts NONE = (cause, kind, message) -> {};

  /**
   * Raises an alert.
   *
   * @param cause what it is about; alerts of one cause are throttled together
   * @param kind budget, in-doubt, approval or dead-letter
   * @param message for people; nothing of a prompt, a key or a provider's words is in it
   */
  void raise(String cause, String kind, String message);
}
