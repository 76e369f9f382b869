package dev.mainstay.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SseScannerTest {
  private static final String STREAM =
      ": hello\n\nevent: a\ndata: {\"x\":\"é🙂\"}\n\ndata:one\ndata: two\nid: 7\n\n"
          + ": only a comment\n\ndata\n\ndata: [DONE]\n\n";

  private static final List<String> EVENTS =
      List.of("|-", "a|{\"x\":\"é🙂\"}", "|one\ntwo", "|-", "|", "|[DONE]");

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void findsTheSameEventsWhereverThePiecesAreCut(String lineEnd) {
    byte[] bytes = STREAM.replace("\n", lineEnd).getBytes(StandardCharsets.UTF_8);
    for (int first = 0; first <= bytes.length; first++) {
      for (int second = first; second <= bytes.length; second++) {
        var seen = new Seen();
        var scanner = new SseScanner();
        seen.feed(scanner, bytes, 0, first);
        seen.feed(scanner, bytes, first, second);
        seen.feed(scanner, bytes, second, bytes.length);
        assertThat(seen.events).as("cut at %s and %s", first, second).isEqualTo(EVENTS);
        seen.raw.writeBytes(scanner.rest());
        assertThat(seen.raw.toByteArray()).isEqualTo(bytes);
        assertThat(scanner.cut()).isFalse();
      }
    }
  }

  @Test
  void oneByteAtATimeIsTheSame() {
    byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
    var seen = new Seen();
    var scanner = new SseScanner();
    for (int i = 0; i < bytes.length; i++) {
      seen.feed(scanner, bytes, i, i + 1);
    }
    assertThat(seen.events).isEqualTo(EVENTS);
  }

  @Test
  void manyLargeEventsPassThroughASmallBuffer() {
    var text = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      text.append("data: ").append("x".repeat(i * 31)).append('\n').append("data: y\n\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    var seen = new Seen();
    var scanner = new SseScanner();
    for (int at = 0; at < bytes.length; at += 777) {
      seen.feed(scanner, bytes, at, Math.min(bytes.length, at + 777));
    }
    assertThat(seen.events).hasSize(300).last().isEqualTo("|" + "x".repeat(299 * 31) + "\ny");
    assertThat(seen.raw.toByteArray()).isEqualTo(bytes);
  }

  @Test
  void anEventThatWasCutShows() {
    var scanner = new SseScanner();
    new Seen().feed(scanner, "data: {\"a\"".getBytes(StandardCharsets.UTF_8), 0, 10);
    assertThat(scanner.cut()).isTrue();
  }

  @Test
  void aByteOrderMarkIsIgnored() {
    byte[] bytes = "\uFEFFdata: x\n\n".getBytes(StandardCharsets.UTF_8);
    var seen = new Seen();
    seen.feed(new SseScanner(), bytes, 0, bytes.length);
    assertThat(seen.events).containsExactly("|x");
  }

  @Test
  void anEventBeyondTheBoundIsRefused() {
    var scanner = new SseScanner(100);
    byte[] bytes = ("data: " + "x".repeat(200)).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> new Seen().feed(scanner, bytes, 0, bytes.length))
        .isInstanceOf(SseScanner.EventTooLarge.class);
  }

  private static final class Seen {
    final List<String> events = new ArrayList<>();
    final ByteArrayOutputStream raw = new ByteArrayOutputStream();

    void feed(SseScanner scanner, byte[] bytes, int from, int to) {
      // A piece lives in a buffer of its own, as it does when it comes from a socket.
      byte[] piece = new byte[to - from + 3];
      System.arraycopy(bytes, from, piece, 3, to - from);
      scanner.feed(
          piece,
          3,
          to - from,
          event -> {
            events.add(event.name() + "|" + (event.hasData() ? event.dataText() : "-"));
            raw.write(event.buffer(), event.start(), event.end() - event.start());
            return true;
          });
    }
  }
}
