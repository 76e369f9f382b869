package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reasoning goes through a client of another dialect and comes back to its own as it was. */
class SealsTravelTest {
  private static final String SIGNATURE = "c2lnbmF0dXJl";

  /** An answer with reasoning and a tool call, as the client's dialect writes it. */
  private static JsonNode answer(Dialect client, Dialect of, boolean sealedCall) {
    var seal = new Delta.ReasoningSeal(0, of, Body.of(SIGNATURE));
    var deltas = new ArrayList<Delta>();
    deltas.add(new Delta.Start("answer_1", "m"));
    deltas.add(new Delta.Reasoning(0, "I think"));
    if (!sealedCall) {
      deltas.add(seal);
    }
    deltas.add(new Delta.Text(0, "Wait."));
    deltas.add(new Delta.ToolCall(0, 0, "call_1", "look", sealedCall ? seal : null));
    deltas.add(new Delta.Arguments(0, 0, "{\"x\":1}"));
    deltas.add(new Delta.Finished(0, Delta.Ending.TOOL_CALLS, "tool_use", null));
    deltas.add(new Delta.End());
    var writer = Replies.writer(client, new WriterOptions("m", true, "answer_1", 1));
    return Body.read(writer.whole(deltas));
  }

  /** The next request of a client that sends the answer back as it got it. */
  private static ObjectNode next(Dialect client, JsonNode answer) {
    var body = Tree.object().put("model", "m");
    switch (client) {
      case OPENAI_CHAT, MISTRAL -> {
        var messages = body.putArray("messages");
        messages.addObject().put("role", "user").put("content", "Look.");
        var message = answer.path("choices").path(0).path("message");
        messages.add(message);
        messages
            .addObject()
            .put("role", "tool")
            .put("content", "ok")
            .set("tool_call_id", message.path("tool_calls").path(0).path("id"));
      }
      case ANTHROPIC -> {
        body.put("max_tokens", 9000);
        var messages = body.putArray("messages");
        messages.addObject().put("role", "user").put("content", "Look.");
        var content = answer.path("content");
        messages.addObject().put("role", "assistant").set("content", content);
        messages
            .addObject()
            .put("role", "user")
            .putArray("content")
            .addObject()
            .put("type", "tool_result")
            .put("content", "ok")
            .set("tool_use_id", content.path(content.size() - 1).path("id"));
      }
      case OPENAI_RESPONSES -> {
        var input = body.putArray("input");
        input.addObject().put("role", "user").put("content", "Look.");
        answer.path("output").forEach(input::add);
        input
            .addObject()
            .put("type", "function_call_output")
            .put("call_id", "call_1")
            .put("output", "ok");
      }
      case GEMINI -> {
        var contents = body.putArray("contents");
        contents.addObject().put("role", "user").putArray("parts").addObject().put("text", "Look.");
        contents.add(answer.path("candidates").path(0).path("content"));
        contents
            .addObject()
            .put("role", "user")
            .putArray("parts")
            .addObject()
            .putObject("functionResponse")
            .put("name", "look")
            .putObject("response")
            .put("output", "ok");
      }
    }
    return body;
  }

  private static JsonNode back(Dialect client, Dialect to, String model, boolean sealedCall) {
    var body = Body.bytes(next(client, answer(client, to, sealedCall)));
    return Body.read(Requests.translate(body, client, to, model, false, OnLoss.DROP).body());
  }

  private static JsonNode with(List<JsonNode> nodes, String field) {
    return nodes.stream().filter(node -> node.has(field)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "ANTHROPIC")
  void anthropicsSignatureWithTheTextItSigns(Dialect client) {
    var content =
        back(client, Dialect.ANTHROPIC, "claude-sonnet-4-5", false)
            .path("messages")
            .path(1)
            .path("content");
    assertThat(content.path(0))
        .isEqualTo(
            Tree.object()
                .put("type", "thinking")
                .put("thinking", "I think")
                .put("signature", SIGNATURE));
    assertThat(content.path(1).path("text").asString("")).isEqualTo("Wait.");
    assertThat(content.path(2).path("name").asString("")).isEqualTo("look");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "GEMINI")
  void geminisSignatureOfACall(Dialect client) {
    var parts =
        back(client, Dialect.GEMINI, "gemini-3-pro", true).path("contents").path(1).path("parts");
    var call = with(List.copyOf(parts.values()), "functionCall");
    assertThat(call.path("thoughtSignature").asString("")).isEqualTo(SIGNATURE);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "OPENAI_RESPONSES")
  void encryptedReasoningOfResponses(Dialect client) {
    var input = back(client, Dialect.OPENAI_RESPONSES, "gpt-5", false).path("input");
    var reasoning = with(List.copyOf(input.values()), "encrypted_content");
    assertThat(reasoning.path("encrypted_content").asString("")).isEqualTo(SIGNATURE);
  }

  @ParameterizedTest
  @EnumSource
  void noOtherDialectIsEverTold(Dialect client) {
    for (var of : Dialect.values()) {
      var body = Body.bytes(next(client, answer(client, of, false)));
      for (var to : Dialect.values()) {
        if (to != of && to != client) {
          var translation = Requests.translate(body, client, to, "m", false, OnLoss.DROP);
          assertThat(new String(translation.body(), StandardCharsets.UTF_8))
              .as(client + " to " + to + " of " + of)
              .doesNotContain(SIGNATURE)
              .doesNotContain(Seals.MARK)
              .doesNotContain("I think");
        }
      }
    }
  }

  /** A client of Mistral's that keeps the chunks of a stream as they came. */
  @Test
  void aSignatureThatCameBehindItsTextInAStream() {
    var request = next(Dialect.MISTRAL, answer(Dialect.MISTRAL, Dialect.ANTHROPIC, false));
    var content = (ArrayNode) request.path("messages").path(1).path("content");
    var whole = (ObjectNode) content.get(0);
    assertThat(whole.path("thinking").path(0).path("text").asString("")).isEqualTo("I think");
    var signature = Tree.object().put("type", "thinking");
    signature.putArray("thinking");
    signature.set("signature", whole.remove("signature"));
    var first = whole.deepCopy();
    ((ObjectNode) first.path("thinking").path(0)).put("text", "I ");
    ((ObjectNode) whole.path("thinking").path(0)).put("text", "think");
    content.insert(0, first);
    content.insert(2, signature);
    var body = Body.bytes(request);
    var to =
        Body.read(
            Requests.translate(
                    body,
                    Dialect.MISTRAL,
                    Dialect.ANTHROPIC,
                    "claude-sonnet-4-5",
                    false,
                    OnLoss.DROP)
                .body());
    assertThat(to.path("messages").path(1).path("content").path(0))
        .isEqualTo(
            Tree.object()
                .put("type", "thinking")
                .put("thinking", "I think")
                .put("signature", SIGNATURE));
    var own =
        new String(ForeignReasoningFilter.without(Dialect.MISTRAL, body), StandardCharsets.UTF_8);
    assertThat(own).doesNotContain(Seals.MARK).doesNotContain("think").contains("Wait.");
  }
}
