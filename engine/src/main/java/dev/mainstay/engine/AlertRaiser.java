package dev.mainstay.engine;

import dev.mainstay.config.Alerts;

/** Takes what a person should see. Thread-safe; must not block. */
@FunctionalInterface
interface AlertRaiser {
  /** As {@link EngineListener#alert}. */
  void raise(Alerts.Topic topic, String cause, String message);
}
