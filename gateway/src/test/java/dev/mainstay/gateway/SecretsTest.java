package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Keys, header values and prompts that were planted are found nowhere they should not be. */
@Timeout(60)
final class SecretsTest {
  private static final String CLIENT_KEY = "sk-client-PLANTED0000000001";

  @Test
  void nothingPlantedShows() {
    var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    var logged = new ListAppender<ILoggingEvent>();
    logged.start();
    root.addAppender(logged);
    var before = root.getLevel();
    root.setLevel(Level.TRACE);
    ((Logger) LoggerFactory.getLogger("io.netty")).setLevel(Level.INFO);
    var seen = new StringBuilder();
    try (var h = new Harness()) {
      h.one.then(
          error(
              401,
              "invalid_request_error",
              "invalid_api_key",
              "Incorrect API key provided: " + ScriptedProvider.KEY + "."),
          error(500, "server_error", "", "Internal error for " + ScriptedProvider.KEY),
          error(400, "invalid_request_error", "", "Bad " + ScriptedProvider.KEY),
          cutAfter(answerEvents().subList(0, 2)));
      for (int i = 0; i < 4; i++) {
        boolean stream = i == 3;
        var response =
            h.post(
                "/v1/chat/completions",
                ask("one/m", stream),
                "authorization",
                "Bearer " + CLIENT_KEY,
                "x-secret",
                "header-PLANTED-value",
                "x-api-key",
                CLIENT_KEY);
        seen.append(response.body()).append(response.headers().map());
        var tale = h.kept.next();
        seen.append(tale.call()).append(tale.attempts());
      }
      seen.append(h.get("/metrics").body()).append(h.get("/health/ready").body());
      seen.append(h.get("/api/config").body()).append(h.config(""));
      for (var asked : h.one.asked) {
        assertThat(asked.headers().toString()).doesNotContain("PLANTED");
        assertThat(asked.headers())
            .containsEntry("authorization", "Bearer " + ScriptedProvider.KEY);
      }
    } finally {
      root.detachAppender(logged);
      root.setLevel(before);
    }
    seen.append(
        logged.list.stream()
            .map(event -> event.getFormattedMessage() + event.getThrowableProxy())
            .collect(Collectors.joining("\n")));
    assertThat(seen.toString())
        .doesNotContain("PLANTED")
        .doesNotContain(ScriptedProvider.KEY)
        .doesNotContain("SECRET")
        .contains("Incorrect API key provided: [key]");
  }
}
