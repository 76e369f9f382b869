package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Anthropic Messages. An assistant message at the end is a prefill that the answer goes on from.
 */
final class Anthropic implements Format.Checked, Format.Prefilled {
  @Override
  public String label() {
    return "anthropic";
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode body) {
    var tools = new ArrayList<String>();
    for (JsonNode tool : body.path("tools")) tools.add(tool.path("name").asString(""));
    var messages = new AnswerPrefix.Reading();
    for (JsonNode message : body.path("messages")) {
      String text = OpenAiChat.text(message.path("content"));
      if (message.path("role").asString("").equals("user")) messages.user(text);
      else messages.assistant(text);
    }
    return SimulatedRequest.of(
        id, created, provider, exchange, body, messages.conversation(tools, true));
  }

  @Override
  public void check(SimulatedRequest ask) {
    AnthropicRules.check(ask.body());
  }

  @Override
  public Fault.Reply refused(RequestRefused why) {
    return AnthropicRules.reply(why);
  }

  @Override
  public int mostTokens(SimulatedRequest ask) {
    return ask.body().path("max_tokens").asInt(0);
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    return ask.stream() ? stream(ask, answer) : Reply.whole(whole(ask, answer));
  }

  private static ObjectNode message(SimulatedRequest ask) {
    var message =
        Json.object()
            .put("id", "msg_sim" + ask.mark())
            .put("type", "message")
            .put("role", "assistant")
            .put("model", ask.model());
    message.putArray("content");
    return message.putNull("stop_reason").putNull("stop_sequence");
  }

  private static ObjectNode usage(SimulatedRequest ask, int output) {
    return Json.object()
        .put("input_tokens", ask.inputTokens())
        .put("cache_creation_input_tokens", 0)
        .put("cache_read_input_tokens", 0)
        .put("output_tokens", output)
        .put("service_tier", "standard");
  }

  private static String stopReason(Answer answer) {
    return switch (answer.finished()) {
      case "stop" -> answer.refusal() == null ? "end_turn" : "refusal";
      case "length" -> "max_tokens";
      case "tool_calls" -> "tool_use";
      case "content_filter" -> "refusal";
      default -> answer.finished();
    };
  }

  private static String callId(SimulatedRequest ask, int index) {
    return "toolu_sim" + ask.mark() + index;
  }

  private static String signature(SimulatedRequest ask) {
    return "c2ltdWxhdGVk" + Long.toString(ask.id(), 36);
  }

  private static ObjectNode whole(SimulatedRequest ask, Answer answer) {
    var message = message(ask);
    var content = message.putArray("content");
    if (answer.reasoning() != null) {
      content
          .addObject()
          .put("type", "thinking")
          .put("thinking", answer.reasoning())
          .put("signature", signature(ask));
    }
    String text = answer.said();
    if (text != null) content.addObject().put("type", "text").put("text", text);
    for (int i = 0; i < answer.toolCalls().size(); i++) {
      var call = answer.toolCalls().get(i);
      content
          .addObject()
          .put("type", "tool_use")
          .put("id", callId(ask, i))
          .put("name", call.name())
          .set("input", parsed(call.arguments()));
    }
    message.put("stop_reason", stopReason(answer));
    message.set("usage", usage(ask, answer.outputTokens()));
    return message;
  }

  /** Arguments as a tree; what is no JSON cannot be sent whole and becomes a string. */
  private static JsonNode parsed(String arguments) {
    try {
      return Json.read(arguments);
    } catch (JacksonException | ClassCastException e) {
      return Json.object().put("raw", arguments).path("raw");
    }
  }

  /**
   * A stream being put together: blocks are numbered, and each is closed before the next one
   * begins.
   */
  private static final class Blocks {
    private final List<byte[]> deltas = new ArrayList<>();
    private byte[] before = new byte[0];
    private int index = -1;

    void begin(ObjectNode block) {
      index++;
      var start = Json.object().put("type", "content_block_start").put("index", index);
      start.set("content_block", block);
      ahead(Reply.event("content_block_start", start));
    }

    void delta(ObjectNode delta) {
      deltas.add(joined(before, event(delta)));
      before = new byte[0];
    }

    private byte[] event(ObjectNode delta) {
      var body = Json.object().put("type", "content_block_delta").put("index", index);
      body.set("delta", delta);
      return Reply.event("content_block_delta", body);
    }

    void end(@Nullable ObjectNode lastDelta) {
      if (lastDelta != null) ahead(event(lastDelta));
      ahead(
          Reply.event(
              "content_block_stop",
              Json.object().put("type", "content_block_stop").put("index", index)));
    }

    private void ahead(byte[] event) {
      before = joined(before, event);
    }

    /** What is still to be sent before the message's own ending. */
    byte[] rest() {
      return before;
    }

    private static byte[] joined(byte[] one, byte[] other) {
      byte[] both = Arrays.copyOf(one, one.length + other.length);
      System.arraycopy(other, 0, both, one.length, other.length);
      return both;
    }
  }

  private static Reply stream(SimulatedRequest ask, Answer answer) {
    var start = Json.object().put("type", "message_start");
    var message = message(ask);
    message.set("usage", usage(ask, 1));
    start.set("message", message);
    var blocks = new Blocks();
    if (answer.reasoning() != null) {
      blocks.begin(Json.object().put("type", "thinking").put("thinking", "").put("signature", ""));
      for (String word : Reply.words(answer.reasoning())) {
        blocks.delta(Json.object().put("type", "thinking_delta").put("thinking", word));
      }
      blocks.end(Json.object().put("type", "signature_delta").put("signature", signature(ask)));
    }
    String text = answer.said();
    if (text != null) {
      blocks.begin(Json.object().put("type", "text").put("text", ""));
      for (String word : Reply.words(text)) {
        blocks.delta(Json.object().put("type", "text_delta").put("text", word));
      }
      blocks.end(null);
    }
    for (int i = 0; i < answer.toolCalls().size(); i++) {
      var call = answer.toolCalls().get(i);
      var block =
          Json.object().put("type", "tool_use").put("id", callId(ask, i)).put("name", call.name());
      block.putObject("input");
      blocks.begin(block);
      blocks.delta(Json.object().put("type", "input_json_delta").put("partial_json", ""));
      for (String piece : Answer.pieces(call.arguments())) {
        blocks.delta(Json.object().put("type", "input_json_delta").put("partial_json", piece));
      }
      blocks.end(null);
    }
    var done = Json.object().put("type", "message_delta");
    done.putObject("delta").put("stop_reason", stopReason(answer)).putNull("stop_sequence");
    done.putObject("usage").put("output_tokens", answer.outputTokens());
    return new Reply(
        true,
        List.of(
            Reply.event("message_start", start),
            Reply.event("ping", Json.object().put("type", "ping"))),
        blocks.deltas,
        List.of(
            blocks.rest(),
            Reply.event("message_delta", done),
            Reply.event("message_stop", Json.object().put("type", "message_stop"))));
  }

  static String error(String type, String message) {
    var body = Json.object().put("type", "error");
    body.putObject("error").put("type", type).put("message", message);
    return Json.write(body.put("request_id", "req_simulated"));
  }

  @Override
  public byte[] errorEvent(String body) {
    return ("event: error\ndata: " + body + "\n\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] malformedEvent() {
    return "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\n\n"
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Fault.Reply unknownModel(String model) {
    return new Fault.Reply(404, Map.of(), error("not_found_error", "model: " + model));
  }

  @Override
  public Fault.Reply rateLimited(String model, boolean tokens, int limit, long waitMillis) {
    String what = tokens ? "input-tokens" : "requests";
    String reset = Instant.now().plusMillis(waitMillis).toString();
    return new Fault.Reply(
        429,
        Map.of(
            "retry-after",
            Long.toString(Math.max(1, (waitMillis + 999) / 1000)),
            "anthropic-ratelimit-" + what + "-limit",
            Integer.toString(limit),
            "anthropic-ratelimit-" + what + "-remaining",
            "0",
            "anthropic-ratelimit-" + what + "-reset",
            reset),
        error(
            "rate_limit_error",
            "This request would exceed your account's rate limit. Please try again later."));
  }

  /** As seen in livekit/agents#4907 and many more. */
  @Override
  public Fault.Reply prefillRefused() {
    return new Fault.Reply(
        400,
        Map.of(),
        error(
            "invalid_request_error",
            "This model does not support assistant message prefill. The conversation must end with"
                + " a user message."));
  }

  @Override
  public Fault.Reply unreadable() {
    return new Fault.Reply(
        400, Map.of(), error("invalid_request_error", "The request body is not valid JSON"));
  }
}
