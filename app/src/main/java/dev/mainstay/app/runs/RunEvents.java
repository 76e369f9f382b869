package dev.mainstay.app.runs;

import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.app.terminal.Style;
import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints a run's events as they come, a line each. */
final class RunEvents {
  private static final int MOST_SHOWN = 200;

  private RunEvents() {}

  /** Prints the events of {@code run} until it ends; gives its last event. */
  static JsonNode follow(AdminClient client, String run, boolean json, PrintWriter out) {
    var style = Style.detected();
    return client.events(
        "/api/runs/" + AdminClient.encoded(run) + "/events",
        event -> {
          out.println(json ? event : line(event, style));
          out.flush();
        });
  }

  private static String line(JsonNode event, Style style) {
    var step = event.path("step").asString("");
    return switch (event.path("type").asString()) {
      case "run.accepted" -> "accepted   agent " + event.path("request").path("agent").asString();
      case "turn.started" ->
          "turn %s     asks the model%s"
              .formatted(event.path("turn"), again(event.path("attempt").asInt(1)));
      case "turn.ended" -> "turn %s     answered: %s".formatted(event.path("turn"), said(event));
      case "turn.failed" ->
          style.bad(
              "turn %s     failed: %s/%s %s"
                  .formatted(
                      event.path("turn"),
                      event.path("failure").path("failure_class").asString(),
                      event.path("failure").path("kind").asString(),
                      event.path("failure").path("message").asString()));
      case "step.planned" ->
          "step %s     %s %s"
              .formatted(step, event.path("tool").asString(), event.path("arguments").asString());
      case "step.started" ->
          "step %s     starts%s".formatted(step, again(event.path("attempt").asInt(1)));
      case "step.failed" ->
          style.bad(
              "step %s     failed: %s, %s"
                  .formatted(
                      step, event.path("kind").asString(), event.path("message").asString()));
      case "step.ended" ->
          "step %s     %s: %s"
              .formatted(
                  step,
                  event.path("ok").asBoolean() ? "succeeded" : "ended",
                  shown(event.path("result").asString()));
      case "approval.asked" ->
          style.bad("step %s     waits for a person to approve it".formatted(step));
      case "in.doubt" ->
          style.bad(
              "step %s     is in doubt: %s".formatted(step, event.path("evidence").asString()));
      case "decided" ->
          "%s      by %s".formatted(event.path("kind").asString(), event.path("by").asString());
      case "run.ended" -> {
        var text =
            "%s  %s: %s"
                .formatted(
                    event.path("status").asString(),
                    event.path("reason").asString(),
                    event.path("words").asString());
        yield event.path("status").asString().equals("completed")
            ? style.good(text)
            : style.bad(text);
      }
      default -> event.path("type").asString();
    };
  }

  private static String again(int attempt) {
    return attempt == 1 ? "" : " again (attempt " + attempt + ")";
  }

  private static String said(JsonNode event) {
    var message = event.path("message");
    var calls = message.path("tool_calls").size();
    var text = shown(message.path("content").asString(""));
    return calls == 0
        ? text
        : "%s%d tool call%s"
            .formatted(text.isEmpty() ? "" : text + ", ", calls, calls == 1 ? "" : "s");
  }

  private static String shown(String text) {
    var line = text.replaceAll("\\s+", " ");
    return line.length() > MOST_SHOWN ? line.substring(0, MOST_SHOWN) + "…" : line;
  }
}
