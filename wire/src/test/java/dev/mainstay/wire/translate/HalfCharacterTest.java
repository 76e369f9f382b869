package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Relays that cut a text by its UTF-16 send half a character in each of two events. */
final class HalfCharacterTest {
  private static String chunk(String delta) {
    return "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":" + delta + "}]}\n\n";
  }

  private static List<Delta> read(Dialect dialect, byte[] stream, boolean close) {
    var reader = Replies.reader(dialect);
    var deltas = new ArrayList<Delta>();
    new SseScanner()
        .feed(stream, 0, stream.length, event -> deltas.addAll(reader.read(event)) || true);
    if (close) {
      deltas.addAll(reader.close());
    }
    return deltas;
  }

  private static byte[] split() {
    return (chunk("{\"content\":\"a\\ud83d\"}")
            + chunk("{\"content\":\"\\ude00b\"}")
            + chunk(
                "{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":\\\"\\ud83d\"}}]}")
            + chunk(
                "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\ude00\\\"}\"}}]}")
            + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
            + "data: [DONE]\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void inEveryDialectTheCharacterIsWhole(Dialect to) {
    var writer = Replies.writer(to, RecordedStreams.OPTIONS);
    var out = new ByteArrayOutputStream();
    read(Dialect.OPENAI_CHAT, split(), true).forEach(delta -> writer.write(delta, out));
    var said = Objects.requireNonNull(Said.of(read(to, out.toByteArray(), true)).choices().get(0));
    assertThat(said.text()).isEqualTo("a😀b");
    assertThat(said.calls().getFirst().arguments()).hasToString("{\"x\":\"😀\"}");
  }

  @Test
  void halfACharacterWaitsForTheOther() {
    var deltas = read(Dialect.OPENAI_CHAT, split(), false);
    assertThat(deltas.stream().filter(Delta.Text.class::isInstance))
        .containsExactly(new Delta.Text(0, "a"), new Delta.Text(0, "😀b"));
  }

  /** It is nothing that could be written; that it was there must not be lost. */
  @Test
  void whatNeverGetsItsOtherHalfIsSaidAtTheEnd() {
    var half = chunk("{\"content\":\"a\\ud83d\"}").getBytes(StandardCharsets.UTF_8);
    assertThat(read(Dialect.OPENAI_CHAT, half, true))
        .filteredOn(Delta.Text.class::isInstance)
        .containsExactly(new Delta.Text(0, "a"), new Delta.Text(0, "\ud83d"));
  }
}
