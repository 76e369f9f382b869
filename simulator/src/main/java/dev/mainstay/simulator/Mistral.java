package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Mistral's variant of OpenAI Chat: plain ids, usage in the last chunk unasked, a tool call in one
 * delta, reasoning as a content part, errors of its own, and an assistant message with {@code
 * prefix: true} that the answer goes on from.
 */
final class Mistral implements Format.Checked, Format.Prefilled {
  private static final List<String> FAMILY =
      List.of("mistral", "ministral", "codestral", "pixtral", "magistral", "devstral", "open-mi");

  /** Whether a request on the path that OpenAI and Mistral share is Mistral's. */
  static boolean isMeant(String provider, String model) {
    String lower = model.toLowerCase(Locale.ROOT);
    return provider.startsWith("mistral")
        || (provider.isEmpty() && FAMILY.stream().anyMatch(lower::startsWith));
  }

  @Override
  public String label() {
    return "mistral";
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode body) {
    return OpenAiChat.ask(id, created, provider, exchange, body, true);
  }

  @Override
  public void check(SimulatedRequest ask) {
    MistralRules.check(ask.body());
  }

  @Override
  public Fault.Reply refused(RequestRefused why) {
    return MistralRules.reply(why);
  }

  @Override
  public int mostTokens(SimulatedRequest ask) {
    return ask.body().path("max_tokens").asInt(0);
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    return ask.stream() ? stream(ask, answer) : Reply.whole(whole(ask, answer));
  }

  private static ObjectNode head(SimulatedRequest ask, String object) {
    String id = RequestLog.hash(("mistral" + ask.id()).getBytes(StandardCharsets.UTF_8));
    return Json.object()
        .put("id", id)
        .put("object", object)
        .put("created", ask.created())
        .put("model", ask.model());
  }

  private static ObjectNode usage(SimulatedRequest ask, Answer answer) {
    int output = answer.outputTokens();
    return Json.object()
        .put("prompt_tokens", ask.inputTokens())
        .put("total_tokens", ask.inputTokens() + output)
        .put("completion_tokens", output);
  }

  private static ObjectNode whole(SimulatedRequest ask, Answer answer) {
    var body = head(ask, "chat.completion");
    var choice = body.putArray("choices").addObject().put("index", 0);
    var message = choice.putObject("message").put("role", "assistant");
    if (answer.reasoning() != null) {
      var parts = message.putArray("content");
      parts.add(thinking(answer.reasoning()));
      if (answer.text() != null) parts.addObject().put("type", "text").put("text", answer.text());
    } else {
      message.put("content", answer.text() == null ? "" : answer.text());
    }
    if (answer.toolCalls().isEmpty()) message.putNull("tool_calls");
    else calls(message, ask, answer);
    choice.put("finish_reason", answer.finished());
    body.set("usage", usage(ask, answer));
    return body;
  }

  private static ObjectNode thinking(String text) {
    var part = Json.object().put("type", "thinking");
    part.putArray("thinking").addObject().put("type", "text").put("text", text);
    return part;
  }

  private static void calls(ObjectNode message, SimulatedRequest ask, Answer answer) {
    var calls = message.putArray("tool_calls");
    for (int i = 0; i < answer.toolCalls().size(); i++) {
      var call = answer.toolCalls().get(i);
      // Nine letters and digits: what Mistral makes, and all that it takes back.
      String id = String.format(Locale.ROOT, "s%07d%d", ask.id() % 10_000_000, i % 10);
      calls
          .addObject()
          .put("id", id)
          .put("index", i)
          .putObject("function")
          .put("name", call.name())
          .put("arguments", call.arguments());
    }
  }

  private static Reply stream(SimulatedRequest ask, Answer answer) {
    var deltas = new ArrayList<byte[]>();
    if (answer.reasoning() != null) {
      for (String word : Reply.words(answer.reasoning())) {
        var delta = Json.object();
        delta.putArray("content").add(thinking(word));
        deltas.add(chunk(ask, delta, null, null));
      }
    }
    if (answer.text() != null) {
      for (String word : Reply.words(answer.text())) {
        deltas.add(chunk(ask, Json.object().put("content", word), null, null));
      }
    }
    var last = Json.object().put("content", "");
    byte[] ending = chunk(ask, last, answer.finished(), usage(ask, answer));
    if (!answer.toolCalls().isEmpty()) {
      calls(last, ask, answer);
      ending = chunk(ask, last, answer.finished(), usage(ask, answer));
    }
    var first = Json.object().put("role", "assistant").put("content", "");
    return new Reply(
        true,
        List.of(chunk(ask, first, null, null)),
        deltas,
        List.of(ending, Reply.data("[DONE]")));
  }

  private static byte[] chunk(
      SimulatedRequest ask, ObjectNode delta, @Nullable String finish, @Nullable ObjectNode usage) {
    var chunk = head(ask, "chat.completion.chunk");
    var choice = chunk.putArray("choices").addObject().put("index", 0);
    choice.set("delta", delta);
    choice.put("finish_reason", finish);
    if (usage != null) chunk.set("usage", usage);
    return Reply.data(Json.write(chunk));
  }

  static String error(String message, String type, String code) {
    return Json.write(
        Json.object()
            .put("object", "error")
            .put("message", message)
            .put("type", type)
            .putNull("param")
            .put("code", code));
  }

  @Override
  public byte[] errorEvent(String body) {
    return Reply.data(body);
  }

  @Override
  public Fault.Reply unknownModel(String model) {
    return new Fault.Reply(
        400, Map.of(), error("Invalid model: " + model, "invalid_model", "1500"));
  }

  @Override
  public Fault.Reply rateLimited(String model, boolean tokens, int limit, long waitMillis) {
    String body = error("Rate limit exceeded", "rate_limited", "1300");
    long seconds = Math.max(1, (waitMillis + 999) / 1000);
    return new Fault.Reply(429, Map.of("retry-after", Long.toString(seconds)), body);
  }

  /** As seen in langchain-ai/langchain#28846, where the flag was missing. */
  @Override
  public Fault.Reply prefillRefused() {
    return new Fault.Reply(
        400,
        Map.of(),
        error(
            "Expected last role User or Tool (or Assistant with prefix True) for serving but got"
                + " assistant",
            "invalid_request_error",
            "3230"));
  }

  @Override
  public Continues continues(Continues asked, SimulatedRequest ask) {
    // SillyTavern/SillyTavern#2557: the API says the prefix again.
    return asked == Continues.EXACTLY && ask.begun().prefilled() ? Continues.STARTING_OVER : asked;
  }

  @Override
  public Fault.Reply unreadable() {
    return new Fault.Reply(422, Map.of(), error("Invalid JSON", "invalid_request_error", "3001"));
  }
}
