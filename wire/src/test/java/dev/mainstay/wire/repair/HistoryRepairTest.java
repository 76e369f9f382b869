package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Transcripts are written in short: {@code A(x,y)} an assistant's turn with calls x and y, {@code
 * r(x)} a result, {@code r0(x)} one that was made, {@code u} a user's turn, {@code a} an
 * assistant's; {@code +} joins what is in one turn.
 */
final class HistoryRepairTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "u A(x) r(x) a                     ! u A(x) r(x) a",
        "u A(x,y) r(y) r(x) u              ! u A(x,y) r(y) r(x) u",
        "u A(x)                            ! u A(x) r0(x)",
        "u A(x,y) r(y) u                   ! u A(x,y) r(y) r0(x) u",
        "u A(x) u                          ! u A(x) r0(x) u",
        "r(x) u                            ! u",
        "u A(x) r(x) r(x) a                ! u A(x) r(x) a",
        "u A(x) r(y) r(x) a                ! u A(x) r(x) a",
        "u A(x) u r(x)                     ! u A(x) r(x) u",
        "u A(x) a r(x) u                   ! u A(x) r(x) a u",
        "u A(x,x) r(x)                     ! u A(x) r(x)",
        "u A(x) r(x) u A(x) r(x) u         ! u A(x) r(x) u A(x) r(x) u",
        "u A(x) r(x) u A(x) u              ! u A(x) r(x) u A(x) r0(x) u",
        "u A() u                           ! u a u",
      })
  void chat(String transcript, String whole) {
    check(Dialect.OPENAI_CHAT, "messages", chatTranscript(transcript), chatTranscript(whole));
  }

  /** Error 3230, github.com/BerriAI/litellm/issues/17761; OpenRouter and vLLM pass it on. */
  @Test
  void mistralTakesNoUserRightAfterATool() {
    var bridge = "},{\"role\":\"assistant\",\"content\":\"" + HistoryRepair.SEEN + "\"},";
    for (var transcript : new String[] {"A(x) u", "A(x) r(x) u"}) {
      var body = BodyEdits.utf8("{\"messages\":[" + chatTranscript(transcript) + "]}");
      var mended = HistoryRepair.mend(Dialect.MISTRAL, body).orElseThrow();
      assertThat(text(mended.body()))
          .contains(bridge)
          .endsWith("{\"role\": \"user\",\"content\":\"hi\"}]}");
      assertThat(HistoryRepair.mend(Dialect.MISTRAL, mended.body())).isEmpty();
      var words = "{\"message\":\"Unexpected role 'user' after role 'tool'\",\"code\":\"3230\"}";
      assertThat(HistoryRepair.mend(Dialect.OPENAI_CHAT, body, words).orElseThrow().body())
          .isEqualTo(mended.body());
    }
  }

  /** github.com/openai/openai-agents-python/issues/673 */
  @Test
  void aCallThatTheProviderKeepsIsAnswered() {
    var body = "{\"previous_response_id\":\"r\",\"input\":[%s]}";
    var error =
        """
        {"error":{"message":"No tool output found for function call call_7x.",\
        "type":"invalid_request_error","param":"input","code":null}}\
        """;
    var mended =
        HistoryRepair.mend(
                Dialect.OPENAI_RESPONSES,
                BodyEdits.utf8(body.formatted(responsesInput("u"))),
                error)
            .orElseThrow();
    assertThat(text(mended.body())).isEqualTo(body.formatted(responsesInput("r0(call_7x) u")));
    assertThat(HistoryRepair.mend(Dialect.OPENAI_RESPONSES, mended.body(), error)).isEmpty();
  }

  /** github.com/diegosouzapw/OmniRoute/issues/8946 */
  @Test
  void aCustomCallThatTheProviderKeepsIsAnsweredAsOne() {
    var body = BodyEdits.utf8("{\"previous_response_id\":\"r\",\"input\":[]}");
    var error = "{\"error\":{\"message\":\"No tool output found for custom tool call call_7x.\"}}";
    var mended = HistoryRepair.mend(Dialect.OPENAI_RESPONSES, body, error).orElseThrow();
    assertThat(text(mended.body()))
        .contains("{\"type\":\"custom_tool_call_output\",\"call_id\":\"call_7x\",");
    assertThat(HistoryRepair.mend(Dialect.OPENAI_RESPONSES, mended.body(), error)).isEmpty();
    var other = "{\"error\":{\"message\":\"No tool output found for computer call call_7x.\"}}";
    assertThat(HistoryRepair.mend(Dialect.OPENAI_RESPONSES, body, other)).isEmpty();
  }

  /** github.com/google-gemini/gemini-cli/issues/16135 */
  @Test
  void functionResponsesStandAloneWhereGeminiSaysSo() {
    var error = "Please ensure that the number of function response parts is equal to the number";
    var body = BodyEdits.utf8("{\"contents\":[" + geminiContents("A(x) r(x)+t a") + "]}");
    assertThat(HistoryRepair.mend(Dialect.GEMINI, body)).isEmpty();
    var mended = HistoryRepair.mend(Dialect.GEMINI, body, error).orElseThrow();
    assertThat(text(mended.body()))
        .isEqualTo("{\"contents\":[" + geminiContents("A(x) r(x) t a") + "]}");
    assertThat(HistoryRepair.mend(Dialect.GEMINI, mended.body(), error)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "u A(x) r(x) a                     ! u A(x) r(x) a",
        "u A(x) A(y) r(y) r(x) u           ! u A(x) A(y) r(y) r(x) u",
        "u A(x)                            ! u A(x) r0(x)",
        "u A(x) A(y) r(x) u                ! u A(x) A(y) r0(y) r(x) u",
        "u A(x) u r(x)                     ! u A(x) u r(x)",
        "r(x) u                            ! u",
        "r(x) A(x) u                       ! A(x) r(x) u",
        "A(x) r(x) r(x)                    ! A(x) r(x)",
        "A(x) A(x) r(x)                    ! A(x) r(x)",
      })
  void responses(String transcript, String whole) {
    check(Dialect.OPENAI_RESPONSES, "input", responsesInput(transcript), responsesInput(whole));
  }

  @Test
  void anOutputWhoseCallIsWithTheProviderStays() {
    var body =
        BodyEdits.utf8(
            "{\"previous_response_id\":\"r\",\"input\":[" + responsesInput("r(x) u") + "]}");
    assertThat(HistoryRepair.mend(Dialect.OPENAI_RESPONSES, body)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "u A(x) r(x) a                     ! u A(x) r(x) a",
        "u A(x,y) r(y)+r(x)+t              ! u A(x,y) r(y)+r(x)+t",
        "u A(x,y) r(x) r(y) a              ! u A(x,y) r(x) r(y) a",
        "u A(x) A(y) r(x)+r(y)             ! u A(x) A(y) r(x)+r(y)",
        "u A(x)                            ! u A(x) r0(x)",
        "u A(x) t                          ! u A(x) r0(x)+t",
        "u A(x) u                          ! u A(x) r0(x)+h",
        "u A(x,y) r(y)+t                   ! u A(x,y) r(y)+r0(x)+t",
        "u A(x) t+r(x)                     ! u A(x) r(x)+t",
        "u A(x) t r(x)                     ! u A(x) r(x)+t",
        "u A(x) r(x)+r(x)                  ! u A(x) r(x)",
        "r(x)+t a                          ! t a",
        "u a r(x) a                        ! u a g a",
        "u A(x) a u                        ! u A(x) a r0(x)+h",
        "u A(x,x) r(x)                     ! u A(x) r(x)",
      })
  void anthropic(String transcript, String whole) {
    check(
        Dialect.ANTHROPIC, "messages", anthropicTranscript(transcript), anthropicTranscript(whole));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "t A(x) r(x) a                     ! t A(x) r(x) a",
        "t A(x,y) r(x)+r(y) a              ! t A(x,y) r(x)+r(y) a",
        "t A(x) A(y) r(x)+r(y) a           ! t A(x) A(y) r(x)+r(y) a",
        "t A(x)                            ! t A(x) r0(x)",
        "t A(x) t                          ! t A(x) r0(x) t",
        "t A(x,y) r(y)+t                   ! t A(x,y) r0(x)+r(y)+t",
        "t A(x,y) r(x) r(y) a              ! t A(x,y) r(x)+r(y) a",
        "t A(x) r(x)+r(z) a                ! t A(x) r(x) a",
        "t A(x) r(z) a                     ! t A(x) r(z) a",
        "r(x)+t a                          ! t a",
        "t a r(x) a                        ! t a g a",
      })
  void gemini(String transcript, String whole) {
    check(Dialect.GEMINI, "contents", geminiContents(transcript), geminiContents(whole));
  }

  private static void check(Dialect dialect, String field, String transcript, String whole) {
    var body = "{\"" + field + "\": [ " + transcript + " ], \"x\":1.0}";
    var mended = HistoryRepair.mend(dialect, BodyEdits.utf8(body));
    if (transcript.equals(whole)) {
      assertThat(mended).isEmpty();
      return;
    }
    var edited = mended.orElseThrow();
    assertThat(text(edited.body())).isEqualTo("{\"" + field + "\": [ " + whole + " ], \"x\":1.0}");
    assertThat(edited.before()).isPositive();
    assertThat(HistoryRepair.mend(dialect, edited.body())).isEmpty();
  }

  private interface Turn {
    String write(String[] parts);
  }

  private static String write(String transcript, Turn turn) {
    var out = new StringBuilder();
    for (var one : transcript.strip().split(" +")) {
      out.append(out.isEmpty() ? "" : ",").append(turn.write(one.split("\\+")));
    }
    return out.toString();
  }

  private static String[] ids(String part) {
    var inner = part.substring(part.indexOf('(') + 1, part.length() - 1);
    return inner.isEmpty() ? new String[0] : inner.split(",");
  }

  private static String chatTranscript(String transcript) {
    return write(
        transcript,
        parts -> {
          var part = parts[0];
          if (part.equals("u")) {
            return "{\"role\": \"user\",\"content\":\"hi\"}";
          }
          if (part.equals("a")) {
            return "{\"role\":\"assistant\",\"content\":\"ok\"}";
          }
          if (part.startsWith("A")) {
            var calls = new StringBuilder();
            for (var id : ids(part)) {
              calls
                  .append(calls.isEmpty() ? "" : ",")
                  .append("{\"id\":\"%s\",\"type\":\"function\"}".formatted(id));
            }
            return "{\"role\":\"assistant\",\"content\":\"ok\",\"tool_calls\":[" + calls + "]}";
          }
          return "{\"role\":\"tool\",\"tool_call_id\":\"%s\",\"content\":\"%s\"}"
              .formatted(ids(part)[0], part.startsWith("r0") ? HistoryRepair.NO_RESULT : "r");
        });
  }

  private static String responsesInput(String transcript) {
    return write(
        transcript,
        parts -> {
          var part = parts[0];
          if (part.equals("u") || part.equals("a")) {
            return "{\"role\":\"%s\",\"content\":\"hi\"}"
                .formatted(part.equals("u") ? "user" : "assistant");
          }
          return part.startsWith("A")
              ? "{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"f\"}"
                  .formatted(ids(part)[0])
              : "{\"type\":\"function_call_output\",\"call_id\":\"%s\",\"output\":\"%s\"}"
                  .formatted(ids(part)[0], part.startsWith("r0") ? HistoryRepair.NO_RESULT : "r");
        });
  }

  private static String anthropicTranscript(String transcript) {
    return write(
        transcript,
        parts -> {
          if (parts[0].equals("u")) {
            return "{\"role\":\"user\",\"content\":\"hi\"}";
          }
          if (parts[0].equals("a")) {
            return "{\"role\":\"assistant\",\"content\":\"ok\"}";
          }
          var blocks = new StringBuilder();
          for (var part : parts) {
            if (part.startsWith("A")) {
              for (var id : ids(part)) {
                add(blocks, "{\"type\":\"tool_use\",\"id\":\"%s\"}".formatted(id));
              }
            } else {
              add(
                  blocks,
                  switch (part) {
                    case "t" -> "{\"type\":\"text\",\"text\":\"also\"}";
                    case "h" -> "{\"type\":\"text\",\"text\":\"hi\"}";
                    case "g" ->
                        "{\"type\":\"text\",\"text\":\"[The result of an earlier tool call was"
                            + " here.]\"}";
                    default ->
                        part.startsWith("r0")
                            ? "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"is_error\":true,\"content\":\"%s\"}"
                                .formatted(ids(part)[0], HistoryRepair.NO_RESULT)
                            : "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\"}"
                                .formatted(ids(part)[0]);
                  });
            }
          }
          return "{\"role\":\"%s\",\"content\":[%s]}"
              .formatted(parts[0].startsWith("A") ? "assistant" : "user", blocks);
        });
  }

  private static String geminiContents(String transcript) {
    return write(
        transcript,
        parts -> {
          var list = new StringBuilder();
          for (var part : parts) {
            if (part.startsWith("A")) {
              for (var id : ids(part)) {
                add(list, "{\"functionCall\":{\"name\":\"%s\"}}".formatted(id));
              }
            } else {
              add(
                  list,
                  switch (part) {
                    case "t" -> "{\"text\":\"also\"}";
                    case "a" -> "{\"text\":\"ok\"}";
                    case "g" -> "{\"text\":\"[The result of an earlier tool call was here.]\"}";
                    default ->
                        part.startsWith("r0")
                            ? "{\"functionResponse\":{\"name\":\"%s\",\"response\":{\"error\":\"%s\"}}}"
                                .formatted(ids(part)[0], HistoryRepair.NO_RESULT)
                            : "{\"functionResponse\":{\"name\":\"%s\",\"response\":{}}}"
                                .formatted(ids(part)[0]);
                  });
            }
          }
          boolean model = parts[0].startsWith("A") || parts[0].equals("a");
          return "{\"role\":\"%s\",\"parts\":[%s]}".formatted(model ? "model" : "user", list);
        });
  }

  private static void add(StringBuilder list, String json) {
    list.append(list.isEmpty() ? "" : ",").append(json);
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }
}
