package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.http.HttpPost;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.wire.json.JsonStrings;
import java.net.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * Posts alerts to one of Slack's incoming webhooks, in its form: {@code {"text": "…"}}, see
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 */
record SlackChannel(Alerts.Slack slack, HttpPost http) implements AlertChannel {
  @Override
  public String name() {
    return "slack";
  }

  @Override
  public @Nullable String send(Alert alert) throws InterruptedException {
    var body =
        JsonStrings.append(new StringBuilder("{\"text\":"), text(alert)).append('}').toString();
    return http.send(
        HttpRequest.newBuilder(slack.url()).POST(HttpRequest.BodyPublishers.ofString(body)),
        "Slack");
  }

  private static String text(Alert alert) {
    return "*Mainstay: "
        + escaped(alert.kind().replace('_', ' '))
        + "*\n"
        + escaped(AlertText.of(alert));
  }

  /** https://docs.slack.dev/messaging/formatting-message-text#escaping */
  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
