package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.chunk;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static dev.mainstay.gateway.ScriptedProvider.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.translate.Seals;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of one dialect, served by providers of another. */
@Timeout(180)
final class CrossDialectTest {
  private static final String CLAUDE =
      "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\","
          + "\"content\":[{\"type\":\"text\",\"text\":\"Bonjour.\"}],\"stop_reason\":\"end_turn\","
          + "\"stop_sequence\":null,\"usage\":{\"input_tokens\":11,\"output_tokens\":3}}";
  private static final String CHAT =
      "\"stream\":%s,\"messages\":[{\"role\":\"system\",\"content\":\"Speak French.\"},"
          + "{\"role\":\"user\",\"content\":\"Hello\"}]}";
  private static final String MESSAGES =
      "\"stream\":%s,\"max_tokens\":64,\"system\":\"Speak French.\","
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";

  private final Harness h =
      new Harness(
          """
            mixed: { targets: [one/first, claude/claude-x] }
          """);

  @AfterEach
  void close() {
    h.close();
  }

  @Test
  void aChatClientIsServedByAnthropic() {
    h.one.then(json(200, CLAUDE));
    var response =
        h.post("/v1/chat/completions", "{\"model\":\"claude/claude-x\"," + CHAT.formatted(false));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body())
        .contains("\"chat.completion\"")
        .contains("Bonjour.")
        .contains("\"finish_reason\":\"stop\"")
        .contains("\"prompt_tokens\":11");
    var asked = h.one.asked.getFirst();
    assertThat(asked.path()).isEqualTo("/v1/messages");
    assertThat(asked.headers()).containsKey("anthropic-version").containsKey("x-api-key");
    assertThat(asked.body())
        .contains("\"system\"")
        .contains("Speak French.")
        .contains("max_tokens");
    assertThat(h.kept.next().call().tokens()).isNotNull().matches(t -> t.total() == 14);
  }

  @Test
  void aFallbackMayCrossDialects() {
    h.one.then(error(500, "server_error", "", "x"), error(500, "server_error", "", "x"));
    h.one.then(error(500, "server_error", "", "x"), json(200, CLAUDE));
    var response = h.post("/v1/chat/completions", "{\"model\":\"mixed\"," + CHAT.formatted(false));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("Bonjour.");
    assertThat(header(response, "x-mainstay-target")).isEqualTo("claude/claude-x");
  }

  @Test
  void anAnthropicClientReadsAChatStream() {
    var response = h.post("/v1/messages", "{\"model\":\"one/first\"," + MESSAGES.formatted(true));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "content-type")).startsWith("text/event-stream");
    assertThat(response.body())
        .contains("event: message_start")
        .contains("Hel")
        .contains("lo")
        .contains("\"stop_reason\":\"end_turn\"")
        .contains("event: message_stop");
    assertThat(h.one.asked.getFirst().path()).isEqualTo("/v1/chat/completions");
  }

  /** OpenAI's SDKs take text alone for an answer's content: their Java one refuses a list. */
  @Test
  void mistralsThinkingIsToldToOpenAisClientsAsTheyKnowIt() {
    var content =
        "[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"Hm.\"}]},"
            + "{\"type\":\"text\",\"text\":\"Bonjour.\"}]";
    var usage = "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":4,\"total_tokens\":9}}";
    var begin = "{\"id\":\"c1\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,";
    h.one.then(
        json(
            200,
            begin
                + "\"message\":{\"role\":\"assistant\",\"content\":"
                + content
                + "},\"finish_reason\":\"stop\"}],"
                + usage),
        sse(
            List.of(
                "data: "
                    + begin
                    + "\"delta\":{\"role\":\"assistant\",\"content\":"
                    + content
                    + "},\"finish_reason\":null}]}\n\n",
                "data: "
                    + begin
                    + "\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}],"
                    + usage
                    + "\n\n",
                "data: [DONE]\n\n")));
    for (boolean stream : new boolean[] {false, true}) {
      var response =
          h.post(
              "/v1/chat/completions",
              "{\"model\":\"mis/m\"," + CHAT.formatted(stream),
              "user-agent",
              "OpenAIClientImpl/Java 4.100.0");
      assertThat(response.body())
          .contains("\"reasoning_content\":\"Hm.\"", "\"content\":\"Bonjour.\"")
          .doesNotContain("\"thinking\"");
    }
  }

  /** Who does not say that it is OpenAI's may well be Mistral's: its own words are not changed. */
  @Test
  void anyOtherClientGetsMistralsAnswerAsItCame() {
    var answer =
        "{\"id\":\"c1\","
            + " \"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"Hm.\"}]},"
            + " {\"type\":\"text\",\"text\":\"Bonjour.\"}],\"role\":\"assistant\"},\"finish_reason\":\"stop\"}],\"x_new\":[1,"
            + " 2]}";
    h.one.then(json(200, answer));
    var response = h.post("/v1/chat/completions", "{\"model\":\"mis/m\"," + CHAT.formatted(false));
    assertThat(response.body()).isEqualTo(answer);
  }

  @Test
  void aStreamThatBreaksGoesOnAtAnotherDialect() {
    var first = "The lighthouse keeper climbed the winding stairs";
    h.one.then(
        cutAfter(List.of(chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"), text(first))),
        error(500, "server_error", "", "x"),
        error(500, "server_error", "", "x"),
        sse(
            List.of(
                "event: message_start\n"
                    + "data:"
                    + " {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
                "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
                    + "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
                    + "\"delta\":{\"type\":\"text_delta\",\"text\":\"climbed the winding stairs"
                    + " and lit the lamp.\"}}\n\n",
                "event: content_block_stop\n"
                    + "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"
                    + "\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")));
    var body =
        h.post("/v1/chat/completions", "{\"model\":\"mixed\"," + CHAT.formatted(true)).body();
    assertThat(body).contains(" and lit the lamp.").endsWith("data: [DONE]\n\n");
    assertThat(body.split("winding", -1)).hasSize(2);
    assertThat(body.split("event:", -1)).hasSize(1);
  }

  @Test
  void anErrorOfTheOtherDialectIsToldInTheClients() {
    h.one.then(
        json(
            400,
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
                + "\"messages: roles must alternate\"}}"));
    var response =
        h.post("/v1/chat/completions", "{\"model\":\"claude/claude-x\"," + CHAT.formatted(false));
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).startsWith("{\"error\":{").contains("roles must alternate");
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void whatTheOtherDialectCannotSayIsRefusedByName() {
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"claude/claude-x\",\"n\":3," + CHAT.formatted(false));
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("\"n").contains("untranslatable");
    assertThat(h.one.asked).isEmpty();
  }

  @Test
  void aCustomToolIsCalledByClaudeToo() {
    h.one.then(
        json(
            200,
            CLAUDE
                .replace(
                    "{\"type\":\"text\",\"text\":\"Bonjour.\"}",
                    "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"apply_patch\",\"input\":"
                        + "{\"input\":\"*** Begin\\n\"}}")
                .replace("end_turn", "tool_use")));
    var response =
        h.post(
            "/v1/responses",
            "{\"model\":\"claude/claude-x\",\"input\":[{\"role\":\"user\",\"content\":\"Patch.\"},"
                + "{\"type\":\"custom_tool_call\",\"call_id\":\"c1\",\"name\":\"apply_patch\","
                + "\"input\":\"x\"},{\"type\":\"custom_tool_call_output\",\"call_id\":\"c1\","
                + "\"output\":\"no\"}],\"tools\":[{\"type\":\"custom\",\"name\":\"apply_patch\",\"format\":{\"type\":\"grammar\",\"syntax\":\"lark\",\"definition\":\"start:"
                + " X\"}}]}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "x-mainstay-degraded")).isEqualTo("custom-tools");
    assertThat(response.body())
        .contains("\"type\":\"custom_tool_call\"")
        .contains("\"call_id\":\"toolu_1\"")
        .contains("\"input\":\"*** Begin\\n\"")
        .doesNotContain("function_call");
    assertThat(h.one.bodies().getFirst())
        .contains("\"type\":\"tool_use\",\"id\":\"c1\"")
        .contains("start: X");
  }

  @Test
  void whatIsLeftOutIsSaid() {
    h.one.then(json(200, CLAUDE));
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"claude/claude-x\",\"seed\":3," + CHAT.formatted(false));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "x-mainstay-degraded")).contains("seed");
  }

  @Test
  void aResultWithoutItsCallIsTakenOutWhereGeminiWouldHaveToKnowTheFunction() {
    h.one.then(
        json(
            200,
            "{\"candidates\":[{\"index\":0,\"finishReason\":\"STOP\",\"content\":{\"role\":\"model\","
                + "\"parts\":[{\"text\":\"Bonjour.\"}]}}],\"usageMetadata\":{\"promptTokenCount\":3,"
                + "\"candidatesTokenCount\":2,\"totalTokenCount\":5}}"));
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"gem/gemini-x\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"},{\"role\":\"tool\",\"tool_call_id\":\"call_lost\",\"content\":\"17"
                + " degrees\"}]}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("Bonjour.");
    assertThat(header(response, "x-mainstay-degraded")).contains("tool-results");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.one.asked.getFirst().body()).contains("Hello").doesNotContain("17 degrees");
  }

  @Test
  void whatAnotherDialectSignedIsNotSentToOneThatDidNot() {
    h.one.then(json(200, CLAUDE));
    var request =
        "{\"model\":\"claude/claude-x\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"q\"},"
            + "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":"
            + "\"%s\"},{\"type\":\"text\",\"text\":\"a\"}]},{\"role\":\"user\",\"content\":\"r\"}]}";
    var response = h.post("/v1/messages", request.formatted(Seals.none()));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(h.one.asked.getFirst().body())
        .contains("\"content\":[{\"type\":\"text\",\"text\":\"a\"}]")
        .contains("\"model\":\"claude-x\"")
        .doesNotContain("thinking");
  }
}
