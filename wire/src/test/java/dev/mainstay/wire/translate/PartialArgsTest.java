package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.sse.SseScanner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Gemini streams a call's arguments in pieces where it is asked to (
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling).
 */
final class PartialArgsTest {
  private static List<Delta> read(String... parts) {
    var stream = new StringBuilder();
    for (var part : parts) {
      stream
          .append("data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[")
          .append(part)
          .append("]}}]}\n\n");
    }
    stream.append("data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n");
    var bytes = stream.toString().getBytes(StandardCharsets.UTF_8);
    var reader = Replies.reader(Dialect.GEMINI);
    var deltas = new ArrayList<Delta>();
    new SseScanner()
        .feed(bytes, 0, bytes.length, event -> deltas.addAll(reader.read(event)) || true);
    deltas.addAll(reader.close());
    return deltas;
  }

  private static List<String> calls(List<Delta> deltas) {
    return Objects.requireNonNull(Said.of(deltas).choices().get(0)).calls().stream()
        .map(call -> call.name() + " " + call.arguments())
        .toList();
  }

  @Test
  void aCallInPiecesIsOneCall() {
    var deltas =
        read(
            "{\"functionCall\":{\"name\":\"weather\",\"willContinue\":true},\"thoughtSignature\":\"c2ln\"}",
            "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.city\",\"stringValue\":\"New \",\"willContinue\":true}],\"willContinue\":true}}",
            "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.city\",\"stringValue\":\"Delhi\"}],\"willContinue\":true}}",
            "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.days[1].n\",\"numberValue\":2},{\"jsonPath\":\"$.sure\",\"boolValue\":true},{\"jsonPath\":\"$['a.b']\",\"nullValue\":\"NULL_VALUE\"}],\"willContinue\":true}}",
            "{\"functionCall\":{}}",
            "{\"functionCall\":{\"name\":\"time\",\"args\":{\"zone\":1}}}");
    assertThat(calls(deltas))
        .containsExactly(
            "weather {\"city\":\"New Delhi\",\"days\":[null,{\"n\":2}],\"sure\":true,\"a.b\":null}",
            "time {\"zone\":1}");
    assertThat(deltas.stream().filter(Delta.ToolCall.class::isInstance)).hasSize(2);
  }

  /** Some repeat the name with each piece, told apart by the id. */
  @Test
  void aCallThatRepeatsItsNameIsOneCallAndTwoOfOneNameAreTwo() {
    assertThat(
            calls(
                read(
                    "{\"functionCall\":{\"id\":\"t1\",\"name\":\"f\",\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"San \",\"willContinue\":true}],\"willContinue\":true}}",
                    "{\"functionCall\":{\"id\":\"t1\",\"name\":\"f\",\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"José\"}]}}",
                    "{\"functionCall\":{\"id\":\"t2\",\"name\":\"f\",\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"Rome\"}]}}")))
        .containsExactly("f {\"a\":\"San José\"}", "f {\"a\":\"Rome\"}");
  }

  @Test
  void whatItsEndingInterruptsHasWhatCame() {
    assertThat(
            calls(
                read(
                    "{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}",
                    "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"x\",\"willContinue\":true}],\"willContinue\":true}}")))
        .containsExactly("f {\"a\":\"x\"}");
  }
}
