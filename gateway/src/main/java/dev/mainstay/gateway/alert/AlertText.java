package dev.mainstay.gateway.alert;

import dev.mainstay.ledger.state.AlertLog.Alert;

/** An alert as people read it. */
final class AlertText {
  private AlertText() {}

  /** Its message, when it was raised, and how many like it were held back before. */
  static String of(Alert alert) {
    var more =
        alert.suppressed() == 0
            ? ""
            : "\n%d more with this cause since the last alert.".formatted(alert.suppressed());
    return alert.message() + "\nRaised at " + alert.raisedAt() + "." + more;
  }
}
