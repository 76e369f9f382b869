package dev.mainstay.app.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class JsonLinesTest {
  @Test
  void anEventIsOneLineOfJsonWhateverIsInIt() {
    var logger = new LoggerContext().getLogger("dev.mainstay.calls");
    var event =
        new LoggingEvent(
            "here",
            logger,
            Level.WARN,
            "said \"{}\"\nand more",
            new IllegalStateException("line\nbreak"),
            new Object[] {"é\u0001"});
    event.setInstant(Instant.parse("2026-11-21T12:00:00Z"));
    event.setMDCPropertyMap(Map.of("call", "call_1"));
    var line = new String(new JsonLines().encode(event), UTF_8);
    assertThat(line).endsWith("}\n").hasLineCount(1);
    var json = JsonMapper.shared().readTree(line);
    assertThat(json.propertyNames())
        .containsExactly("time", "level", "logger", "message", "call", "error");
    assertThat(json.get("time").asString()).isEqualTo("2026-11-21T12:00:00Z");
    assertThat(json.get("level").asString()).isEqualTo("WARN");
    assertThat(json.get("message").asString()).isEqualTo("said \"é\u0001\"\nand more");
    assertThat(json.get("call").asString()).isEqualTo("call_1");
    assertThat(json.get("error").asString())
        .isEqualTo("java.lang.IllegalStateException: line\nbreak");
  }
}
