package dev.mainstay.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestEdit;
import dev.mainstay.wire.request.RequestEdit.StreamUsage;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestReaderTest {

  @Test
  void readsWhatRoutingNeeds() throws MalformedRequest {
    var head =
        read(
            """
            {"messages":[{"role":"user","content":"ünïcode \\"model\\": 1"}], "model" : "gpt-4o",
             "stream":true,"n":2,"tools":[{"type":"function"}],"max_completion_tokens":77,
             "stream_options":{"include_usage":false}}\
            """);
    assertThat(head.model()).isEqualTo("gpt-4o");
    assertThat(head.stream()).isTrue();
    assertThat(head.choices()).isEqualTo(2);
    assertThat(head.tools()).isTrue();
    assertThat(head.maxTokens()).isEqualTo(77);
    assertThat(head.includeUsage()).isFalse();
    assertThat(head.objects().named()).isFalse();
  }

  @Test
  void whatAProviderKeepsForAnAccountIsSeen() throws MalformedRequest {
    var body = bytes("{\"model\":\"m\",\"previous_response_id\":\"resp_1\",\"input\":\"x\"}");
    assertThat(RequestReader.read(Operation.RESPONSES, body).objects().named()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "{\"a\":\"ü\",\"model\" : \"x\" ,\"b\":[1]} ! {\"a\":\"ü\",\"model\" : \"q/\\\"7\""
            + " ,\"b\":[1]}",
        "{\"model\":\"\\u0078\"} ! {\"model\":\"q/\\\"7\"}",
        "{ \"nested\":{\"model\":\"x\"}, \"model\":\"x\" } ! { \"nested\":{\"model\":\"x\"},"
            + " \"model\":\"q/\\\"7\" }",
        "{} ! {}"
      })
  void replacesTheModelAndNothingElse(String body, String expected) throws MalformedRequest {
    var edited = RequestEdit.apply(bytes(body), read(body), "q/\"7", StreamUsage.AS_IT_IS).bytes();
    assertThat(text(edited)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "GEMINI_EMBED ! {\"model\" : \"models/a\",\"content\":{}} ! {\"model\" :"
            + " \"models/b\",\"content\":{}}",
        "GEMINI_BATCH_EMBED !"
            + " {\"requests\":[{\"model\":\"models/a\",\"content\":{\"model\":1}},{\"model\":\"models/b\"},{}]}"
            + " ! {\"requests\":[{\"model\":\"models/b\",\"content\":{\"model\":1}},{\"model\":\"models/b\"},{}]}",
        "GEMINI_COUNT_TOKENS !"
            + " {\"generateContentRequest\":{\"contents\":[],\"model\":\"models/a\"}} !"
            + " {\"generateContentRequest\":{\"contents\":[],\"model\":\"models/b\"}}",
        "GENERATE ! {\"contents\":[]} ! {\"contents\":[]}",
        "CHAT ! {\"model\":\"b\",\"requests\":[{\"model\":\"models/a\"}]} !"
            + " {\"model\":\"b\",\"requests\":[{\"model\":\"models/a\"}]}",
      })
  void whereGeminiNamesTheModelOnceMoreItIsTheTargetsToo(
      Operation operation, String body, String expected) throws MalformedRequest {
    var head = RequestReader.read(operation, bytes(body));
    assertThat(text(RequestEdit.apply(bytes(body), head, "b", StreamUsage.AS_IT_IS).bytes()))
        .isEqualTo(expected);
  }

  @Test
  void aBodyThatNamesTheModelAlreadyIsTheSameArray() throws MalformedRequest {
    byte[] body = bytes("{\"model\":\"gpt-4o\"}");
    var head = RequestReader.read(Operation.CHAT, body);
    assertThat(RequestEdit.apply(body, head, "gpt-4o", StreamUsage.AS_IT_IS).bytes())
        .isSameAs(body);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "{\"model\":\"m\",\"stream\":true} !"
            + " {\"stream_options\":{\"include_usage\":true},\"model\":\"m\",\"stream\":true}",
        "{\"model\":\"m\",\"stream_options\":{}} !"
            + " {\"model\":\"m\",\"stream_options\":{\"include_usage\":true}}",
        "{\"model\":\"m\",\"stream_options\":{ \"x\":1}} !"
            + " {\"model\":\"m\",\"stream_options\":{\"include_usage\":true, \"x\":1}}",
        "{\"model\":\"m\",\"stream_options\":{\"include_usage\":false}} !"
            + " {\"model\":\"m\",\"stream_options\":{\"include_usage\":true}}",
        "{\"model\":\"m\",\"stream_options\":null} !"
            + " {\"model\":\"m\",\"stream_options\":{\"include_usage\":true}}",
        "{\"model\":\"m\",\"stream_options\":{\"include_usage\":true}} !"
            + " {\"model\":\"m\",\"stream_options\":{\"include_usage\":true}}"
      })
  void asksForUsageWhereTheClientDidNot(String body, String expected) throws MalformedRequest {
    assertThat(text(RequestEdit.apply(bytes(body), read(body), "m", StreamUsage.ASKED).bytes()))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "\"x\"",
        "{\"model\":",
        "{\"model\":1}",
        "{\"model\":\"a\",\"model\":\"b\"}",
        "{\"model\":\"a\"} x",
        "{'model':'a'}"
      })
  void whatCannotBeReadIsRefusedWithoutItsContent(String body) {
    assertThatThrownBy(() -> read(body)).isInstanceOf(MalformedRequest.class);
    assertThatThrownBy(() -> read("{\"secret-words\": tru"))
        .isInstanceOf(MalformedRequest.class)
        .hasMessageNotContaining("secret");
  }

  @Test
  void nestingBeyondReasonIsRefusedWithoutExhaustingTheStack() {
    assertThatThrownBy(() -> read("{\"a\":" + "[".repeat(100_000)))
        .isInstanceOf(MalformedRequest.class);
  }

  @Test
  void aConversationKeepsItsMarkFromTurnToTurn() throws MalformedRequest {
    var turn =
        "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\"}%s]}";
    long first = read(turn.formatted("")).conversation();
    assertThat(read(turn.formatted(",{\"role\":\"assistant\",\"content\":\"a\"}")).conversation())
        .isEqualTo(first);
    assertThat(read(turn.formatted("").replace("\"u\"", "\"v\"")).conversation())
        .isNotEqualTo(first);
  }

  private static RequestHead read(String body) throws MalformedRequest {
    return RequestReader.read(Operation.CHAT, bytes(body));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"model\":\"a\",\"stream_options\":{\"include_usage\":true},\"stream\":true}"
            + "|{\"model\":\"m\",\"stream\":true}",
        "{\"model\":\"a\" , \"stream_options\" : null }|{\"model\":\"m\"  }",
        "{\"stream_options\":{}}|{}",
        "{\"stream_options\":{}, \"model\":\"m\"}|{ \"model\":\"m\"}",
        "{\"model\":\"a\"}|{\"model\":\"m\"}",
        // Nobody writes it so; it is left to the provider.
        "{\"model\":\"m\",\"stream\\u005foptions\":{}}|{\"model\":\"m\",\"stream\\u005foptions\":{}}"
      })
  void streamOptionsCanBeTakenOut(String body, String expected) throws MalformedRequest {
    assertThat(
            text(RequestEdit.apply(bytes(body), read(body), "m", StreamUsage.NO_OPTIONS).bytes()))
        .isEqualTo(expected);
  }
}
