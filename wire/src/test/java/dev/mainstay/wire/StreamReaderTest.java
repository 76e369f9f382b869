package dev.mainstay.wire;

import static dev.mainstay.wire.stream.Part.CONTENT;
import static dev.mainstay.wire.stream.Part.ENDING;
import static dev.mainstay.wire.stream.Part.ERROR;
import static dev.mainstay.wire.stream.Part.FINISH;
import static dev.mainstay.wire.stream.Part.NOTHING;
import static dev.mainstay.wire.stream.Part.PREAMBLE;
import static dev.mainstay.wire.stream.Part.REASONING;
import static dev.mainstay.wire.stream.Part.TOOL_CALL;
import static dev.mainstay.wire.stream.Part.USAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.money.ToolUses;
import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StreamReaderTest {

  @Test
  void openAiChat() {
    var reader = Readers.stream(Dialect.OPENAI_CHAT);
    assertThat(
            read(
                reader,
                ": ping\n\n",
                chunk("{\"role\":\"assistant\",\"content\":\"\"}", null),
                chunk("{\"reasoning_content\":\"hm\"}", null),
                chunk("{\"content\":\"Hi\"}", null),
                chunk("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\"}}]}", null),
                chunk("{}", "stop"),
                "data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":10,"
                    + "\"completion_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":4},"
                    + "\"completion_tokens_details\":{\"reasoning_tokens\":5}}}\n\n",
                "data: [DONE]\n\n"))
        .containsExactly(NOTHING, PREAMBLE, REASONING, CONTENT, TOOL_CALL, FINISH, USAGE, ENDING);
    assertThat(reader.ended()).isTrue();
    assertThat(reader.finish()).isEqualTo("stop");
    assertThat(reader.responseId()).isEqualTo("c1");
    assertThat(reader.usage()).isEqualTo(new Usage(6, 4, 0, 2, 5, false));
  }

  @Test
  void doneAloneIsNoEnding() {
    var reader = Readers.stream(Dialect.OPENAI_CHAT);
    read(reader, chunk("{\"content\":\"half\"}", null), "data: [DONE]\n\n");
    assertThat(reader.ended()).isFalse();
  }

  /**
   * Relays that send an empty reason with every chunk send [DONE] also where they lost the rest.
   */
  @Test
  void anEmptyReasonIsNone() {
    var reader = Readers.stream(Dialect.OPENAI_CHAT);
    read(reader, chunk("{\"content\":\"half\"}", ""), "data: [DONE]\n\n");
    assertThat(reader.ended()).isFalse();
    assertThat(reader.finish()).isNull();
  }

  @Test
  void everyChoiceMustHaveFinished() {
    var reader = Readers.stream(Dialect.OPENAI_CHAT);
    read(
        reader,
        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n",
        chunk("{\"content\":\"a\"}", "stop"),
        "data: [DONE]\n\n");
    assertThat(reader.ended()).isFalse();
  }

  @Test
  void cacheWritesForAnHourAreToldApart() {
    var anthropic = Readers.stream(Dialect.ANTHROPIC);
    read(
        anthropic,
        named(
            "message_start",
            "\"message\":{\"usage\":{\"input_tokens\":9,\"cache_creation_input_tokens\":70,"
                + "\"cache_creation\":{\"ephemeral_5m_input_tokens\":30,"
                + "\"ephemeral_1h_input_tokens\":40}}}"),
        named(
            "message_delta",
            "\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}"));
    assertThat(anthropic.usage()).isEqualTo(new Usage(9, 0, 70, 2, 0, false).withHourWrites(40));
  }

  @Test
  void usesOfTheProvidersOwnToolsAreCountedOnce() {
    var anthropic = Readers.stream(Dialect.ANTHROPIC);
    read(
        anthropic,
        named(
            "message_start",
            "\"message\":{\"usage\":{\"input_tokens\":9,\"server_tool_use\":{\"web_search_requests\":0}}}"),
        named(
            "message_delta",
            "\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2,"
                + "\"server_tool_use\":{\"web_search_requests\":3,\"web_fetch_requests\":1}}"));
    assertThat(anthropic.usage())
        .isEqualTo(new Usage(9, 0, 0, 2, 0, false, ToolUses.of(Unit.WEB_SEARCH, 3)));

    var search = "{\"type\":\"web_search_call\",\"id\":\"ws_1\",\"action\":{\"type\":\"search\"}}";
    var look = "{\"type\":\"web_search_call\",\"id\":\"ws_2\",\"action\":{\"type\":\"open_page\"}}";
    var code = "{\"type\":\"code_interpreter_call\",\"id\":\"ci_%d\",\"container_id\":\"cntr_1\"}";
    var output =
        "\"output\":["
            + String.join(",", search, look, code.formatted(1), code.formatted(2))
            + "],";
    var spent = "\"status\":\"completed\",\"usage\":{\"input_tokens\":5,\"output_tokens\":2}";
    var all =
        new Usage(
            5,
            0,
            0,
            2,
            0,
            false,
            ToolUses.of(Unit.WEB_SEARCH, 1).plus(ToolUses.of(Unit.CODE_SESSION, 1)));
    // Some relays send the items alone, and an answer without them.
    for (var ending : List.of(output + spent, spent)) {
      var responses = Readers.stream(Dialect.OPENAI_RESPONSES);
      read(
          responses,
          named("response.output_item.added", "\"item\":" + search.replace("ws_1", "ws_x")),
          named("response.output_item.done", "\"item\":" + search),
          named("response.output_item.done", "\"item\":" + look),
          named("response.output_item.done", "\"item\":" + code.formatted(1)),
          named("response.output_item.done", "\"item\":" + code.formatted(2)),
          named("response.completed", "\"response\":{" + ending + "}"));
      assertThat(responses.usage()).isEqualTo(all);
    }
    var whole = "{\"tools\":[{\"type\":\"web_search_preview\"}]," + output + spent + "}";
    assertThat(Readers.answer(Operation.RESPONSES, whole.getBytes(StandardCharsets.UTF_8)).usage())
        .isEqualTo(
            all.with(
                ToolUses.of(Unit.WEB_SEARCH_PREVIEW, 1).plus(ToolUses.of(Unit.CODE_SESSION, 1))));

    var gemini = Readers.stream(Dialect.GEMINI);
    var grounded =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"groundingMetadata\":"
            + "{\"webSearchQueries\":[\"x\",\"\",\"%s\"]}}],\"usageMetadata\":{\"promptTokenCount\":8}}\n\n";
    read(gemini, grounded.formatted("x"), grounded.formatted("y"));
    assertThat(gemini.usage())
        .isEqualTo(
            new Usage(
                8,
                0,
                0,
                0,
                0,
                false,
                ToolUses.of(Unit.WEB_SEARCH, 2).plus(ToolUses.of(Unit.GROUNDED_ANSWER, 1))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "data: {\"error\":{\"message\":\"x\"}} ! ERROR",
        "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"a\"}}]} ! CONTENT",
        "event: error\\ndata: {\"message\":\"x\"} ! ERROR",
        "data: {\"object\":\"error\",\"message\":\"x\"} ! ERROR",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]} ! ERROR",
        "data: {\"choices\":[{\"delta\":{\"content\":\"a ! MALFORMED",
        "data: <html> ! MALFORMED",
        "data: {} {} ! MALFORMED",
        "data: 7 ! MALFORMED",
        "data:"
            + " {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"text\":\"a\"}]}]}}]}"
            + " ! REASONING",
        "data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}]} !"
            + " CONTENT",
        "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"}}]} ! CONTENT",
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"tool_calls\":[]}}]} ! PREAMBLE",
        "data: {\"choices\":[],\"prompt_filter_results\":[{}]} ! NOTHING"
      })
  void oneChatEvent(String event, Part expected) {
    assertThat(read(Readers.stream(Dialect.OPENAI_CHAT), event.replace("\\n", "\n") + "\n\n"))
        .containsExactly(expected);
  }

  @Test
  void anthropic() {
    var reader = Readers.stream(Dialect.ANTHROPIC);
    assertThat(
            read(
                reader,
                named(
                    "message_start",
                    "\"message\":{\"id\":\"msg_1\",\"model\":\"claude\",\"usage\":{\"input_tokens\":9,\"cache_read_input_tokens\":3,\"output_tokens\":1}}"),
                named("ping", "\"x\":1"),
                named(
                    "content_block_start",
                    "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
                named(
                    "content_block_delta",
                    "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}"),
                named("content_block_stop", "\"index\":0"),
                named(
                    "content_block_start",
                    "\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}"),
                named(
                    "message_delta",
                    "\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":20}"),
                named("message_stop", "\"y\":1")))
        .containsExactly(PREAMBLE, NOTHING, PREAMBLE, CONTENT, PREAMBLE, TOOL_CALL, FINISH, ENDING);
    assertThat(reader.ended()).isTrue();
    assertThat(reader.usage()).isEqualTo(new Usage(9, 3, 0, 20, 0, false));
    assertThat(read(reader, named("error", "\"error\":{\"type\":\"overloaded_error\"}")))
        .containsExactly(ERROR);
  }

  @Test
  void gemini() {
    var reader = Readers.stream(Dialect.GEMINI);
    assertThat(
            read(
                reader,
                "data:"
                    + " {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true}]}}]}\r\n\r\n",
                "data:"
                    + " {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}],\"responseId\":\"r\"}\r\n\r\n"))
        .containsExactly(REASONING, CONTENT);
    assertThat(reader.ended()).isFalse();
    assertThat(
            read(
                reader,
                "data:"
                    + " {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"!\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":8,\"cachedContentTokenCount\":2,\"candidatesTokenCount\":3,\"thoughtsTokenCount\":4}}\r\n\r\n"))
        .containsExactly(CONTENT);
    assertThat(reader.ended()).isTrue();
    assertThat(reader.usage()).isEqualTo(new Usage(6, 2, 0, 3, 4, false));
  }

  @Test
  void aBlockedGeminiPromptHasEnded() {
    var reader = Readers.stream(Dialect.GEMINI);
    read(reader, "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n");
    assertThat(reader.ended()).isTrue();
    assertThat(reader.emptyIsMeant()).isTrue();
  }

  @Test
  void aCustomCallsInputCountsLikeArguments() {
    var custom = Readers.stream(Dialect.OPENAI_CHAT);
    var function = Readers.stream(Dialect.OPENAI_CHAT);
    read(custom, chunk("{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"12345\"}}]}", null));
    read(
        function,
        chunk("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"12345\"}}]}", null));
    assertThat(custom.contentBytes()).isEqualTo(5).isEqualTo(function.contentBytes());
  }

  @Test
  void responses() {
    var reader = Readers.stream(Dialect.OPENAI_RESPONSES);
    assertThat(
            read(
                reader,
                named(
                    "response.created",
                    "\"response\":{\"id\":\"resp_1\",\"status\":\"in_progress\"}"),
                named("response.output_item.added", "\"item\":{\"type\":\"message\"}"),
                named("response.output_text.delta", "\"delta\":\"Hi\""),
                named("response.function_call_arguments.delta", "\"delta\":\"{\""),
                named(
                    "response.completed",
                    "\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"error\":null,\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}")))
        .containsExactly(PREAMBLE, PREAMBLE, CONTENT, TOOL_CALL, FINISH);
    assertThat(reader.ended()).isTrue();
    assertThat(reader.usage()).isEqualTo(new Usage(5, 0, 0, 2, 0, false));
    assertThat(
            read(
                Readers.stream(Dialect.OPENAI_RESPONSES),
                named(
                    "response.failed",
                    "\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\"}}")))
        .containsExactly(ERROR);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]} ! ANSWERED",
        "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{}]},\"finish_reason\":\"tool_calls\"}]}"
            + " ! ANSWERED",
        "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"length\"}]} ! ANSWERED",
        "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]} ! EMPTY",
        "{\"choices\":[]} ! EMPTY",
        "{\"error\":{\"message\":\"x\"}} ! ERROR",
        "{\"error\":null,\"choices\":[{\"message\":{\"content\":\"a\"}}]} ! ANSWERED",
        "{\"choices\":[{\"message\":{\"content\":\"a\" ! MALFORMED",
        "<html> ! MALFORMED"
      })
  void wholeChatAnswers(String body, String expected) {
    var answer = Readers.answer(Operation.CHAT, body.getBytes(StandardCharsets.UTF_8));
    assertThat(answer.outcome()).hasToString(expected);
  }

  private static List<Part> read(StreamReader reader, String... events) {
    var parts = new ArrayList<Part>();
    var scanner = new SseScanner();
    for (var text : events) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      scanner.feed(bytes, 0, bytes.length, event -> parts.add(reader.read(event)));
    }
    return parts;
  }

  private static String chunk(String delta, @Nullable String finish) {
    return "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + (finish == null ? "null" : "\"" + finish + "\"")
        + "}]}\n\n";
  }

  private static String named(String type, String rest) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + rest + "}\n\n";
  }
}
