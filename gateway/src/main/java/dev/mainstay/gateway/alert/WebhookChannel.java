package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.wire.json.Quote;
import java.net.http.HttpRequest;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Posts alerts as JSON, signed, with the id of the delivery. */
record WebhookChannel(Alerts.Webhook webhook, HttpPost http, InstantSource clock)
    implements AlertChannel {
  @Override
  public String name() {
    return "webhook";
  }

  @Override
  public @Nullable String send(Alert alert) throws InterruptedException {
    var body = body(alert);
    long timestamp = clock.instant().getEpochSecond();
    return http.send(
        HttpRequest.newBuilder(webhook.url())
            .header("x-mainstay-delivery", alert.id())
            .header("x-mainstay-timestamp", Long.toString(timestamp))
            .header("x-mainstay-signature", Signature.of(webhook.secret(), timestamp, body))
            .POST(HttpRequest.BodyPublishers.ofString(body)),
        "the webhook");
  }

  private static String body(Alert alert) {
    var out = new StringBuilder(256);
    out.append("{\"id\":");
    Quote.append(out, alert.id()).append(",\"kind\":");
    Quote.append(out, alert.kind()).append(",\"cause\":");
    Quote.append(out, alert.cause()).append(",\"message\":");
    Quote.append(out, alert.message()).append(",\"raised_at\":\"");
    return out.append(alert.raisedAt())
        .append("\",\"suppressed\":")
        .append(alert.suppressed())
        .append('}')
        .toString();
  }
}
