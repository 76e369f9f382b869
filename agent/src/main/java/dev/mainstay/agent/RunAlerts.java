package dev.mainstay.agent;

import dev.mainstay.config.Alerts;

/** Where runs say what a person should see. Thread-safe; must not block. */
@FunctionalInterface
public interface RunAlerts {
  /** Hears nothing. */
  RunAlerts NONE = (topic, cause, message) -> {};

  /**
   * Raises an alert.
   *
   * @param cause what it is about; alerts of one cause are throttled together
   * @param message for people; nothing of a prompt, a key or a provider's words is in it
   */
  void raise(Alerts.Topic topic, String cause, String message);
}
