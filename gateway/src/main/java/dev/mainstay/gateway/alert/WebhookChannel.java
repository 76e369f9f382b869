package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.http.SignedPost;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.wire.json.JsonStrings;
import org.jspecify.annotations.Nullable;

/** Posts alerts as JSON, signed, with the id of the delivery. */
record WebhookChannel(Alerts.Webhook webhook, SignedPost post) implements AlertChannel {
  @Override
  public String name() {
    return "webhook";
  }

  @Override
  public @Nullable String send(Alert alert) throws InterruptedException {
    return post.send(webhook.url(), webhook.secret().value(), alert.id(), body(alert));
  }

  private static String body(Alert alert) {
    var out = new StringBuilder(256);
    out.append("{\"id\":");
    JsonStrings.append(out, alert.id()).append(",\"kind\":");
    JsonStrings.append(out, alert.kind()).append(",\"cause\":");
    JsonStrings.append(out, alert.cause()).append(",\"message\":");
    JsonStrings.append(out, alert.message()).append(",\"raised_at\":\"");
    return out.append(alert.raisedAt())
        .append("\",\"suppressed\":")
        .append(alert.suppressed())
        .append('}')
        .toString();
  }
}
