package dev.mainstay.gateway.alert;

import dev.mainstay.ledger.state.AlertLog.Alert;
import org.jspecify.annotations.Nullable;

/** A way by which an alert reaches people. Belongs to the thread that delivers alerts. */
interface AlertChannel {
  /** As in the configuration: {@code webhook}, {@code slack} or {@code email}. */
  String name();

  /** Null where the alert has arrived, else why it has not, in words. */
  @Nullable String send(Alert alert) throws InterruptedException;
}
