package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI Chat Completions. */
final class OpenAiChat implements OpenAiErrors, Format.Checked {
  @Override
  public String label() {
    return "openai-chat";
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode body) {
    return ask(id, created, provider, exchange, body, false);
  }

  /** {@code prefixes}: whether an assistant message at the end may ask to be gone on from. */
  static SimulatedRequest ask(
      long id, long created, String provider, Exchange exchange, JsonNode body, boolean prefixes) {
    var tools = new ArrayList<String>();
    for (JsonNode tool : body.path("tools"))
      tools.add(tool.path("function").path("name").asString(""));
    var messages = new AnswerPrefix.Reading();
    boolean prefix = false;
    for (JsonNode message : body.path("messages")) {
      String text = text(message.path("content"));
      prefix = prefixes && message.path("prefix").asBoolean(false);
      switch (message.path("role").asString("")) {
        case "user" -> messages.user(text);
        case "assistant" -> messages.assistant(text);
        default -> messages.other();
      }
    }
    return SimulatedRequest.of(
        id, created, provider, exchange, body, messages.conversation(tools, prefix));
  }

  /** A message's text: a string, or the text parts of a list. */
  static String text(JsonNode content) {
    if (content.isString()) return content.asString();
    var text = new StringBuilder();
    for (JsonNode part : content) text.append(part.path("text").asString(""));
    return text.toString();
  }

  String id(SimulatedRequest ask) {
    return "chatcmpl-sim" + ask.mark();
  }

  @Override
  public void check(SimulatedRequest ask) {
    OpenAiChatRules.check(ask.body());
  }

  @Override
  public Fault.Reply refused(RequestRefused why) {
    return OpenAiRules.reply(why);
  }

  @Override
  public int mostTokens(SimulatedRequest ask) {
    int older = ask.body().path("max_tokens").asInt(0);
    return ask.body().path("max_completion_tokens").asInt(older);
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    return ask.stream() ? stream(ask, answer) : Reply.whole(whole(ask, answer));
  }

  private ObjectNode whole(SimulatedRequest ask, Answer answer) {
    var body = head(ask, "chat.completion");
    var choice = body.putArray("choices").addObject().put("index", 0);
    var message =
        choice.putObject("message").put("role", "assistant").put("content", answer.text());
    if (answer.reasoning() != null) message.put("reasoning_content", answer.reasoning());
    if (!answer.toolCalls().isEmpty()) {
      var calls = message.putArray("tool_calls");
      for (int i = 0; i < answer.toolCalls().size(); i++) {
        var call = answer.toolCalls().get(i);
        call(calls.addObject(), ask, i)
            .putObject("function")
            .put("name", call.name())
            .put("arguments", call.arguments());
      }
    }
    message.put("refusal", answer.refusal());
    choice.putNull("logprobs").put("finish_reason", answer.finished());
    body.set("usage", usage(ask, answer));
    return body.put("service_tier", "default").put("system_fingerprint", "fp_simulated");
  }

  private Reply stream(SimulatedRequest ask, Answer answer) {
    boolean withUsage = ask.body().path("stream_options").path("include_usage").asBoolean(false);
    var first = Json.object().put("role", "assistant").put("content", "").putNull("refusal");
    var deltas = new ArrayList<byte[]>();
    words(ask, "reasoning_content", answer.reasoning(), withUsage, deltas);
    words(ask, "content", answer.text(), withUsage, deltas);
    words(ask, "refusal", answer.refusal(), withUsage, deltas);
    for (int i = 0; i < answer.toolCalls().size(); i++)
      calls(ask, answer.toolCalls().get(i), i, withUsage, deltas);
    var ending = new ArrayList<byte[]>();
    ending.add(chunk(ask, Json.object(), answer.finished(), withUsage));
    if (withUsage) {
      var last = head(ask, "chat.completion.chunk");
      last.putArray("choices");
      last.set("usage", usage(ask, answer));
      ending.add(Reply.data(Json.write(last)));
    }
    ending.add(Reply.data("[DONE]"));
    return new Reply(true, List.of(chunk(ask, first, null, withUsage)), deltas, ending);
  }

  private void words(
      SimulatedRequest ask,
      String field,
      @Nullable String text,
      boolean withUsage,
      List<byte[]> deltas) {
    if (text == null) return;
    for (String word : Reply.words(text)) {
      deltas.add(chunk(ask, Json.object().put(field, word), null, withUsage));
    }
  }

  /** A tool call: its name first, then its arguments in three pieces. */
  private void calls(
      SimulatedRequest ask,
      Answer.ToolCall call,
      int index,
      boolean withUsage,
      List<byte[]> deltas) {
    var opening = Json.object();
    call(opening.putArray("tool_calls").addObject().put("index", index), ask, index)
        .putObject("function")
        .put("name", call.name())
        .put("arguments", "");
    deltas.add(chunk(ask, opening, null, withUsage));
    for (String piece : Answer.pieces(call.arguments())) {
      var delta = Json.object();
      delta
          .putArray("tool_calls")
          .addObject()
          .put("index", index)
          .putObject("function")
          .put("arguments", piece);
      deltas.add(chunk(ask, delta, null, withUsage));
    }
  }

  ObjectNode call(ObjectNode call, SimulatedRequest ask, int index) {
    return call.put("id", "call_sim" + ask.mark() + index).put("type", "function");
  }

  private byte[] chunk(
      SimulatedRequest ask, ObjectNode delta, @Nullable String finish, boolean withUsage) {
    var chunk =
        head(ask, "chat.completion.chunk")
            .put("service_tier", "default")
            .put("system_fingerprint", "fp_simulated");
    var choice = chunk.putArray("choices").addObject().put("index", 0);
    choice.set("delta", delta);
    choice.putNull("logprobs").put("finish_reason", finish);
    if (withUsage) chunk.putNull("usage");
    return Reply.data(Json.write(chunk));
  }

  private ObjectNode head(SimulatedRequest ask, String object) {
    return Json.object()
        .put("id", id(ask))
        .put("object", object)
        .put("created", ask.created())
        .put("model", ask.model());
  }

  private static ObjectNode usage(SimulatedRequest ask, Answer answer) {
    int output = answer.outputTokens();
    var usage =
        Json.object()
            .put("prompt_tokens", ask.inputTokens())
            .put("completion_tokens", output)
            .put("total_tokens", ask.inputTokens() + output);
    usage.putObject("prompt_tokens_details").put("cached_tokens", 0).put("audio_tokens", 0);
    usage
        .putObject("completion_tokens_details")
        .put("reasoning_tokens", answer.reasoningTokens())
        .put("audio_tokens", 0)
        .put("accepted_prediction_tokens", 0)
        .put("rejected_prediction_tokens", 0);
    return usage;
  }

  @Override
  public byte[] errorEvent(String body) {
    return Reply.data(body);
  }
}
