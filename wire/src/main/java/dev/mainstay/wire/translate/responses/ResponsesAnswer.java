package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The response object, with every field that the SDKs hold to be there. */
final class ResponsesAnswer {
  private ResponsesAnswer() {}

  static ObjectNode begin(String id, String model, long created) {
    var json =
        Tree.object()
            .put("id", id)
            .put("object", "response")
            .put("created_at", created)
            .put("status", "in_progress")
            .put("background", false)
            .putNull("error")
            .putNull("incomplete_details")
            .putNull("instructions")
            .putNull("max_output_tokens")
            .put("model", model);
    json.putArray("output");
    json.put("parallel_tool_calls", true).putNull("previous_response_id");
    json.putObject("reasoning").putNull("effort").putNull("summary");
    json.put("store", false).putNull("temperature");
    json.putObject("text").putObject("format").put("type", "text");
    json.put("tool_choice", "auto").putArray("tools");
    json.putNull("top_p").put("truncation", "disabled").putNull("usage").putNull("user");
    json.putObject("metadata");
    return json;
  }

  static void end(
      ObjectNode response,
      ArrayNode output,
      Delta.@Nullable Finished finished,
      @Nullable Usage usage) {
    var reason = finished == null ? null : reason(finished);
    response.put("status", reason == null ? "completed" : "incomplete");
    if (reason != null) {
      response.putObject("incomplete_details").put("reason", reason);
    }
    response.set("output", output);
    if (usage != null) {
      response.set("usage", usage(usage));
    }
  }

  /** Why the answer is not complete, or null where it is. */
  static @Nullable String reason(Delta.Finished finished) {
    return switch (finished.ending()) {
      case LENGTH, CONTEXT -> "max_output_tokens";
      case CONTENT_FILTER, REFUSAL -> "content_filter";
      case STOP, STOP_SEQUENCE, TOOL_CALLS, PAUSE, OTHER -> null;
    };
  }

  private static ObjectNode usage(Usage usage) {
    long completion = usage.output() + usage.reasoning();
    var json = Tree.object().put("input_tokens", usage.prompt());
    json.putObject("input_tokens_details")
        .put("cached_tokens", usage.cachedInput())
        .put("cache_write_tokens", usage.cacheWrite());
    json.put("output_tokens", completion);
    json.putObject("output_tokens_details").put("reasoning_tokens", usage.reasoning());
    return json.put("total_tokens", usage.prompt() + completion);
  }
}
