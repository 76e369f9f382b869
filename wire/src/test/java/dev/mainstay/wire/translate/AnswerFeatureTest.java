package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta.Ending;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Every cell of the table of answers: what can be said is, and what cannot is told. */
final class AnswerFeatureTest {

  static Stream<Arguments> cells() {
    return Stream.of(AnswerFeature.values())
        .flatMap(row -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(row, dialect)));
  }

  @ParameterizedTest
  @MethodSource("cells")
  void cell(AnswerFeature row, Dialect dialect) {
    var answer = answer(row, dialect);
    var streaming = Replies.writer(dialect, RecordedStreams.OPTIONS);
    var stream = new ByteArrayOutputStream();
    answer.forEach(delta -> streaming.write(delta, stream));
    var atOnce = Replies.writer(dialect, RecordedStreams.OPTIONS);
    var whole = atOnce.whole(answer);

    if (row.in(dialect) == null) {
      assertThat(streaming.degraded()).containsExactly(row.label());
      assertThat(atOnce.degraded()).containsExactly(row.label());
      return;
    }
    if (row == AnswerFeature.INVALID_ARGUMENTS) {
      // Where arguments are a tree, text that is none cannot be said as it came.
      boolean tree = dialect == Dialect.GEMINI || dialect == Dialect.ANTHROPIC;
      assertThat(atOnce.degraded()).hasSize(tree ? 1 : 0);
      assertThat(streaming.degraded()).hasSize(dialect == Dialect.GEMINI ? 1 : 0);
      return;
    }
    assertThat(streaming.degraded()).isEmpty();
    assertThat(atOnce.degraded()).isEmpty();
    var expected = Said.of(answer).in(dialect);
    assertThat(Said.of(read(dialect, stream.toByteArray()))).isEqualTo(expected);
    assertThat(Said.of(Replies.reader(dialect).whole(whole))).isEqualTo(expected);
  }

  /** An answer that says what {@code row} is about. */
  private static List<Delta> answer(AnswerFeature row, Dialect dialect) {
    var said = new ArrayList<Delta>();
    said.add(new Delta.Start("id-1", "model-1"));
    said.add(new Delta.Text(0, "Hi"));
    var finished = new Delta.Finished(0, Ending.STOP, "?", null);
    switch (row) {
      case TEXT -> said.add(new Delta.Text(0, " there"));
      case REFUSAL -> said.set(1, new Delta.Refusal(0, "I cannot."));
      case REASONING -> said.add(1, new Delta.Reasoning(0, "Hm."));
      case REASONING_SIGNATURE -> {
        said.add(1, new Delta.Reasoning(0, "Hm."));
        said.add(2, new Delta.ReasoningSeal(0, Dialect.ANTHROPIC, text("c2ln")));
      }
      case TOOL_CALLS -> {
        said.add(new Delta.ToolCall(0, 0, "abcDEF123", "f", null));
        said.add(new Delta.Arguments(0, 0, "{\"a\":1}"));
        said.add(new Delta.ToolCall(0, 1, "abcDEF124", "g", null));
        finished = new Delta.Finished(0, Ending.TOOL_CALLS, "?", null);
      }
      case TOOL_CALL_SIGNATURE -> {
        var seal = new Delta.ReasoningSeal(0, Dialect.GEMINI, text("c2ln"));
        said.add(new Delta.ToolCall(0, 0, "abcDEF123", "f", seal));
        finished = new Delta.Finished(0, Ending.TOOL_CALLS, "?", null);
      }
      case INVALID_ARGUMENTS -> {
        said.add(new Delta.ToolCall(0, 0, "abcDEF123", "f", null));
        said.add(new Delta.Arguments(0, 0, "{\"a\":"));
        finished = new Delta.Finished(0, Ending.TOOL_CALLS, "?", null);
      }
      case CITATIONS ->
          said.add(
              new Delta.Citation(
                  0,
                  Dialect.GEMINI,
                  Tree.object().put("uri", "https://example.org/a").put("title", "A")));
      case LOGPROBS ->
          said.add(
              new Delta.Logprobs(
                  0,
                  Tree.read(
                      "[{\"token\":\"Hi\",\"logprob\":-0.5,\"bytes\":[72,105],\"top_logprobs\":[]}]")));
      case IMAGES -> said.add(new Delta.Media(0, "image/png", "iVBORw0KGgo="));
      case PROVIDER_TOOLS -> said.add(own(row.in(dialect) == null ? Dialect.GEMINI : dialect));
      case CHOICES -> {
        said.add(new Delta.Text(1, "Hello"));
        said.add(new Delta.Finished(1, Ending.STOP, "?", null));
      }
      case STOP_SEQUENCE -> finished = new Delta.Finished(0, Ending.STOP_SEQUENCE, "?", "END");
      case ENDINGS -> finished = new Delta.Finished(0, Ending.LENGTH, "?", null);
      case USAGE -> said.add(new Delta.Used(new Usage(1, 1, 1, 1, 1, false)));
    }
    said.add(finished);
    said.add(new Delta.Used(new Usage(5, 4, 3, 2, 1, false)));
    said.add(new Delta.End());
    return said;
  }

  private static Delta own(Dialect dialect) {
    var value =
        switch (dialect) {
          case OPENAI_CHAT -> "{\"audio\":{\"id\":\"a\",\"data\":\"AAAA\"}}";
          case MISTRAL -> "{\"type\":\"document_url\",\"document_url\":\"https://example.org\"}";
          case OPENAI_RESPONSES -> "{\"type\":\"web_search_call\",\"id\":\"ws_1\"}";
          case ANTHROPIC ->
              "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{\"q\":1}}";
          case GEMINI -> "{\"executableCode\":{\"code\":\"1\",\"language\":\"PYTHON\"}}";
        };
    return new Delta.Native(0, dialect, Tree.read(value));
  }

  private static JsonNode text(String text) {
    return Tree.array().add(text).get(0);
  }

  static List<Delta> read(Dialect dialect, byte[] stream) {
    var reader = Replies.reader(dialect);
    var deltas = new ArrayList<Delta>();
    new SseScanner()
        .feed(stream, 0, stream.length, event -> deltas.addAll(reader.read(event)) || true);
    deltas.addAll(reader.close());
    return deltas;
  }
}
