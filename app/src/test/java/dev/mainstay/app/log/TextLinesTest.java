package dev.mainstay.app.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextLinesTest {
  private static final String EVIL = "m\n12:00:00.000 ERROR forged\u001b[2J\u009b1A\u202e\u2028";

  private static LoggingEvent event(String message, Throwable thrown) {
    var logger = new LoggerContext().getLogger("dev.mainstay.calls");
    var event =
        new LoggingEvent("here", logger, Level.WARN, "model {}", thrown, new Object[] {message});
    event.setInstant(Instant.parse("2026-11-21T12:00:00Z"));
    event.setMDCPropertyMap(Map.of());
    return event;
  }

  @Test
  void whateverIsInAMessageStaysOnItsLine() {
    var text = new TextLines().doLayout(event(EVIL, new IllegalStateException(EVIL)));
    assertThat(text.lines())
        .satisfiesExactly(
            line -> assertThat(line).contains(" WARN  model m\\n12:00:00.000 ERROR forged\\u001b"),
            line -> assertThat(line).startsWith("java.lang.IllegalStateException: m\\n12:00"),
            line -> assertThat(line).startsWith("\tat dev.mainstay.app.log.TextLinesTest"));
    assertThat(text).doesNotContain("\u001b", "\u009b", "\u202e", "\u2028");
    var json = new String(new JsonLines().encode(event(EVIL, new Error(EVIL))), UTF_8);
    assertThat(json).hasLineCount(1).doesNotContain("\u001b", "\u009b", "\u202e", "\u2028");
  }

  @Test
  void aMessageHasABound() {
    var text = new TextLines().doLayout(event("x".repeat(1 << 20), new Error("y".repeat(1 << 20))));
    assertThat(text).hasSizeLessThan(3 * TextLines.LONGEST);
  }
}
