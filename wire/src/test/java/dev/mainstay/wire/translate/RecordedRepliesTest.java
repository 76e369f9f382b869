package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta.Ending;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams as the providers send them. */
final class RecordedRepliesTest {

  static List<String> names() {
    return RecordedStreams.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void cutAnywhereItGoesOnToTheSameAnswer(String name) {
    var dialect = RecordedStreams.dialect(name);
    var events = split(RecordedStreams.get(name));
    var whole = said(name);
    for (int cut = 1; cut <= events.size(); cut++) {
      var reader = Replies.reader(dialect);
      var delivered = new ByteArrayOutputStream();
      var rest = new ArrayList<Delta>();
      for (int i = 0; i < events.size(); i++) {
        var deltas = scan(reader, events.get(i));
        if (i < cut) {
          delivered.writeBytes(events.get(i));
        } else {
          rest.addAll(deltas);
        }
      }
      rest.addAll(reader.close());
      var writer = Replies.writer(dialect, RecordedStreams.OPTIONS);
      writer.resume(delivered.toByteArray());
      rest.forEach(delta -> writer.write(delta, delivered));
      assertThat(Said.of(AnswerFeatureTest.read(dialect, delivered.toByteArray())))
          .as("cut %d", cut)
          .isEqualTo(whole);
      var ended = Readers.stream(dialect);
      new SseScanner()
          .feed(delivered.toByteArray(), 0, delivered.size(), event -> ended.read(event) != null);
      assertThat(ended.ended()).as("cut %d ended", cut).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyDialectSaysWhatItCanOfIt(String name) {
    var dialect = RecordedStreams.dialect(name);
    var deltas = AnswerFeatureTest.read(dialect, bytes(RecordedStreams.get(name)));
    for (var other : Dialect.values()) {
      var writer = Replies.writer(other, RecordedStreams.OPTIONS);
      var to = new ByteArrayOutputStream();
      deltas.forEach(delta -> writer.write(delta, to));
      var expected = Said.of(deltas).in(other);
      var said = Said.of(AnswerFeatureTest.read(other, to.toByteArray())).withAnyIdAs(expected);
      // Some dialects cannot leave the usage out.
      assertThat(expected.usage() == null ? new Said(said.model(), said.choices(), null) : said)
          .as("in %s", other)
          .isEqualTo(expected);
    }
  }

  @Test
  void chat() {
    var said = said("OPENAI_CHAT text and usage");
    assertThat(choice(said).text()).isEqualTo("Hello 👩‍🚀");
    assertThat(choice(said).logprobs()).hasSize(1);
    assertThat(said.usage()).isEqualTo(new Usage(11, 8, 0, 6, 4, false));
    var calls = choice(said("OPENAI_CHAT parallel calls"));
    assertThat(calls.calls())
        .containsExactly(
            new Said.Call("call_1", "weather", Tree.read("{\"city\":\"Paris\"}"), null),
            new Said.Call("call_2", "time", Tree.object(), null));
    assertThat(calls.ending()).isEqualTo(Ending.TOOL_CALLS);
  }

  @Test
  void mistral() {
    var said = choice(said("MISTRAL thinking and a call"));
    assertThat(said.reasoning()).isEqualTo("Let me see.");
    assertThat(said.text()).isEqualTo("So:");
    assertThat(said.calls())
        .containsExactly(new Said.Call("D681PevKs", "f", Tree.read("{\"a\":1}"), null));
  }

  @Test
  void anthropic() {
    var said = said("ANTHROPIC thinking, text and calls");
    assertThat(choice(said).reasoning()).isEqualTo("Let me think.");
    assertThat(choice(said).seals()).hasSize(2);
    assertThat(choice(said).calls())
        .extracting(Said.Call::id)
        .containsExactly("toolu_01", "toolu_02");
    assertThat(said.usage()).isEqualTo(new Usage(12, 40, 3, 89, 0, false));
    var search = choice(said("ANTHROPIC web search"));
    assertThat(search.own()).hasSize(2);
    assertThat(search.own().getFirst().value().path("input"))
        .hasToString("{\"query\":\"weather\"}");
    assertThat(search.links()).containsExactly("https://example.org T");
    assertThat(search.stopSequence()).isEqualTo("END");
  }

  @Test
  void responses() {
    var said = said("OPENAI_RESPONSES reasoning, text and a call");
    assertThat(choice(said).reasoning()).isEqualTo("**Plan**");
    assertThat(choice(said).seals().getFirst().value().stringValue()).isEqualTo("gAAAA");
    assertThat(choice(said).text()).isEqualTo("Hi there");
    assertThat(choice(said).links()).hasSize(1);
    assertThat(said.usage()).isEqualTo(new Usage(20, 10, 0, 10, 12, false));
    var cut = choice(said("OPENAI_RESPONSES refusal cut short"));
    assertThat(cut.refusal()).isEqualTo("I cannot");
    assertThat(cut.ending()).isEqualTo(Ending.LENGTH);
  }

  @Test
  void gemini() {
    var said = said("GEMINI thoughts, text and a call");
    assertThat(choice(said).calls().getFirst().arguments()).hasToString("{\"a\":1.50}");
    assertThat(choice(said).calls().getFirst().seal()).hasToString("\"CpcC\"");
    assertThat(choice(said).ending()).isEqualTo(Ending.TOOL_CALLS);
    var deltas =
        AnswerFeatureTest.read(Dialect.GEMINI, bytes(RecordedStreams.get("GEMINI grounded")));
    var citation =
        deltas.stream().filter(Delta.Citation.class::isInstance).findFirst().orElseThrow();
    // 6 bytes are 2 characters.
    assertThat(CitedLink.of((Delta.Citation) citation))
        .isEqualTo(new CitedLink("https://example.org/a", "A", 0, 2, ""));
  }

  @Test
  void aBlockedPromptOfGeminiIsFiltered() {
    var deltas =
        AnswerFeatureTest.read(
            Dialect.GEMINI,
            bytes("data: {\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"}}\r\n\r\n"));
    assertThat(deltas)
        .contains(
            new Delta.Finished(0, Ending.CONTENT_FILTER, "PROHIBITED_CONTENT", null),
            new Delta.End());
  }

  @Test
  void callsOfServersThatCountNoneAreKeptApart() {
    var deltas =
        AnswerFeatureTest.read(
            Dialect.OPENAI_CHAT,
            bytes(
                "data:"
                    + " {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n"));
    assertThat(deltas)
        .contains(
            new Delta.ToolCall(0, 0, "a", "f", null), new Delta.ToolCall(0, 1, "b", "f", null));
  }

  @Test
  void anthropicsEventsComeInTheOrderThatItsClientsTake() {
    assertThat(eventNames(Dialect.ANTHROPIC))
        .containsExactly(
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop");
  }

  @Test
  void soDoThoseOfResponses() {
    assertThat(eventNames(Dialect.OPENAI_RESPONSES))
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.reasoning_summary_part.added",
            "response.reasoning_summary_text.delta",
            "response.reasoning_summary_text.done",
            "response.reasoning_summary_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed");
  }

  private static List<String> eventNames(Dialect dialect) {
    var writer = Replies.writer(dialect, RecordedStreams.OPTIONS);
    var to = new ByteArrayOutputStream();
    List.of(
            new Delta.Start("r", "m"),
            new Delta.Reasoning(0, "Hm."),
            new Delta.Text(0, "Hi"),
            new Delta.ToolCall(0, 0, "c", "f", null),
            new Delta.Arguments(0, 0, "{}"),
            new Delta.Finished(0, Ending.TOOL_CALLS, "STOP", null),
            new Delta.End())
        .forEach(delta -> writer.write(delta, to));
    var names = new ArrayList<String>();
    new SseScanner().feed(to.toByteArray(), 0, to.size(), event -> names.add(event.name()));
    return names;
  }

  private static Said said(String name) {
    return Said.of(
        AnswerFeatureTest.read(RecordedStreams.dialect(name), bytes(RecordedStreams.get(name))));
  }

  private static Said.Choice choice(Said said) {
    return Objects.requireNonNull(said.choices().get(0));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<byte[]> split(String stream) {
    var events = new ArrayList<byte[]>();
    var all = bytes(stream);
    new SseScanner()
        .feed(
            all,
            0,
            all.length,
            event -> events.add(Arrays.copyOfRange(event.buffer(), event.start(), event.end())));
    return events;
  }

  private static List<Delta> scan(ReplyReader reader, byte[] event) {
    var deltas = new ArrayList<Delta>();
    new SseScanner()
        .feed(event, 0, event.length, found -> deltas.addAll(reader.read(found)) || true);
    return deltas;
  }
}
