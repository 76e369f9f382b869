package dev.mainstay.simulator;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What OpenAI's formats have in common: their errors. */
interface OpenAiErrors extends Format {
  static String body(String message, String type, @Nullable String param, @Nullable String code) {
    var error = Json.object();
    error
        .putObject("error")
        .put("message", message)
        .put("type", type)
        .put("param", param)
        .put("code", code);
    return Json.write(error);
  }

  @Override
  default Fault.Reply unknownModel(String model) {
    return new Fault.Reply(
        404,
        Map.of(),
        body(
            "The model `" + model + "` does not exist or you do not have access to it.",
            "invalid_request_error",
            null,
            "model_not_found"));
  }

  @Override
  default Fault.Reply rateLimited(String model, boolean tokens, int limit, long waitMillis) {
    String what = tokens ? "tokens" : "requests";
    String wait = waitMillis < 1000 ? waitMillis + "ms" : waitMillis / 1000.0 + "s";
    return new Fault.Reply(
        429,
        Map.of(
            "retry-after",
            Long.toString(Math.max(1, (waitMillis + 999) / 1000)),
            "retry-after-ms",
            Long.toString(waitMillis),
            "x-ratelimit-limit-" + what,
            Integer.toString(limit),
            "x-ratelimit-remaining-" + what,
            "0",
            "x-ratelimit-reset-" + what,
            wait),
        body(
            "Rate limit reached for "
                + model
                + " in organization org-simulated on "
                + what
                + " per min: Limit "
                + limit
                + ". Please try again in "
                + wait
                + ".",
            what,
            null,
            "rate_limit_exceeded"));
  }

  @Override
  default Fault.Reply unreadable() {
    return new Fault.Reply(
        400,
        Map.of(),
        body(
            "We could not parse the JSON body of your request.",
            "invalid_request_error",
            null,
            null));
  }
}
