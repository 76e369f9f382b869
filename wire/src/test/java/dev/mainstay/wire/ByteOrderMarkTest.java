package dev.mainstay.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Replies;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * U+FEFF: at a stream's beginning it is no part of it, before an event's JSON it makes it none, and
 * in a text it is a character like any other.
 */
final class ByteOrderMarkTest {
  private static final String MARK = "\uFEFF";

  /** Events that say {@code text}, of which the last ends the answer. */
  private static List<String> events(Dialect dialect, String text) {
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL ->
          List.of(
              "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}",
              "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
              "[DONE]");
      case OPENAI_RESPONSES ->
          List.of(
              "{\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\"}}",
              "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}}",
              "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"item_id\":\"m\",\"content_index\":0,\"delta\":\""
                  + text
                  + "\"}",
              "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\"}}");
      case ANTHROPIC ->
          List.of(
              "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\"}}",
              "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
              "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
                  + text
                  + "\"}}",
              "{\"type\":\"content_block_stop\",\"index\":0}",
              "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}",
              "{\"type\":\"message_stop\"}");
      case GEMINI ->
          List.of(
              "{\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"text\":\""
                  + text
                  + "\"}]}}]}",
              "{\"candidates\":[{\"index\":0,\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}]}");
    };
  }

  private static byte[] stream(List<String> events) {
    var all = new StringBuilder();
    events.forEach(event -> all.append("data: ").append(event).append("\n\n"));
    return all.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** What a stream comes to, in pieces of {@code size} bytes. */
  private record Read(List<Part> parts, boolean ended, String text, String bytes) {
    static Read of(Dialect dialect, byte[] stream, int size) {
      var reader = Readers.stream(dialect);
      var replies = Replies.reader(dialect);
      var parts = new ArrayList<Part>();
      var text = new StringBuilder();
      var bytes = new ByteArrayOutputStream();
      var scanner = new SseScanner();
      for (int from = 0; from < stream.length; from += size) {
        scanner.feed(
            stream,
            from,
            Math.min(size, stream.length - from),
            event -> {
              parts.add(reader.read(event));
              bytes.write(event.buffer(), event.start(), event.end() - event.start());
              if (parts.getLast() != Part.MALFORMED) {
                for (var delta : replies.read(event)) {
                  if (delta instanceof Delta.Text some) {
                    text.append(some.text());
                  }
                }
              }
              return true;
            });
      }
      return new Read(
          parts, reader.ended(), text.toString(), bytes.toString(StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void atTheBeginningOfAStreamItIsNoPartOfIt(Dialect dialect) {
    byte[] plain = stream(events(dialect, "Hi"));
    var marked =
        (MARK + new String(plain, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    var expected = Read.of(dialect, plain, plain.length);
    assertThat(expected.ended()).isTrue();
    assertThat(expected.text()).isEqualTo("Hi");
    for (int size = 1; size <= marked.length; size++) {
      // Clients that read lines without knowing of it would lose the first event.
      assertThat(Read.of(dialect, marked, size)).as("pieces of %d", size).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void beforeAnEventsJsonItMakesItUnreadable(Dialect dialect) {
    var events = events(dialect, "Hi");
    for (int at = 0; at < events.size(); at++) {
      var marked = new ArrayList<>(events);
      marked.set(at, MARK + events.get(at));
      // JSON.parse and Python's json refuse it: a client that got it would end in their error.
      assertThat(Read.of(dialect, stream(marked), 7).parts().get(at))
          .as("event %d", at)
          .isEqualTo(Part.MALFORMED);
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void inATextItIsACharacterLikeAnyOther(Dialect dialect) {
    for (var text : List.of(MARK, "a" + MARK, MARK + "b", "a" + MARK + MARK + "b")) {
      var stream = stream(events(dialect, text));
      for (int size = 1; size < 12; size++) {
        var read = Read.of(dialect, stream, size);
        assertThat(read.text()).isEqualTo(text);
        assertThat(read.ended()).isTrue();
        assertThat(read.bytes()).isEqualTo(new String(stream, StandardCharsets.UTF_8));
      }
    }
  }

  /** Only the very first character of a stream is one; a second is the name of a field. */
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void betweenEventsItIsTheBeginningOfAnUnknownField(Dialect dialect) {
    var events = events(dialect, "Hi");
    var stream =
        ("data: "
                + events.getFirst()
                + "\n\n"
                + MARK
                + new String(stream(events.subList(1, events.size())), StandardCharsets.UTF_8))
            .getBytes(StandardCharsets.UTF_8);
    var read = Read.of(dialect, stream, 5);
    assertThat(read.parts()).hasSize(events.size());
    assertThat(read.parts().get(1)).isEqualTo(Part.NOTHING);
  }
}
