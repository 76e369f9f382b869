package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mainstay.http.Exchange;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Keys, header values and prompts that were planted are found nowhere they should not be. */
@Timeout(180)
final class SecretsTest {
  private static final String CLIENT_KEY = "sk-client-PLANTED0000000001";

  /** A client of each dialect, and its provider's errors. */
  private enum Planted {
    OPENAI("/v1/chat/completions", "one/m", "{'error':{'message':'%2$s','type':'%1$s'}}"),
    RESPONSES("/v1/responses", "one/m", "{'error':{'message':'%2$s','type':'%1$s'}}"),
    MISTRAL("/v1/chat/completions", "mis/m", "{'message':'%2$s','raw_status_code':%1$s}"),
    ANTHROPIC(
        "/v1/messages", "claude/m", "{'type':'error','error':{'type':'%1$s','message':'%2$s'}}"),
    GEMINI("/v1/models/gem%2Fm:", "", "{'error':{'code':%1$s,'message':'%2$s'}}");

    private final String path;
    private final String model;
    private final String error;

    Planted(String path, String model, String error) {
      this.path = path;
      this.model = model;
      this.error = error.replace('\'', '"');
    }

    String path(boolean stream) {
      if (this != GEMINI) {
        return path;
      }
      return path
          + (stream ? "streamGenerateContent?alt=sse&key=" : "generateContent?key=")
          + CLIENT_KEY;
    }

    String body(boolean stream) {
      var words = "prompt-PLANTED-words";
      return switch (this) {
        case OPENAI, MISTRAL, ANTHROPIC -> ask(model, stream);
        case RESPONSES ->
            "{\"model\":\"one/m\",\"stream\":" + stream + ",\"input\":\"" + words + "\"}";
        case GEMINI -> "{\"contents\":[{\"parts\":[{\"text\":\"" + words + "\"}]}]}";
      };
    }

    Consumer<Exchange> error(int status, String message) {
      return ScriptedProvider.json(status, error.formatted(status, message));
    }
  }

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
      for (var dialect : Planted.values()) {
        h.one.then(
            dialect.error(401, "Incorrect API key provided: " + ScriptedProvider.KEY + "."),
            dialect.error(500, "Internal error for " + ScriptedProvider.KEY),
            dialect.error(400, "Bad " + ScriptedProvider.KEY),
            cutAfter(answerEvents().subList(0, 2)));
        for (int i = 0; i < 4; i++) {
          var response =
              h.post(
                  dialect.path(i == 3),
                  dialect.body(i == 3),
                  "authorization",
                  "Bearer " + CLIENT_KEY,
                  "x-secret",
                  "header-PLANTED-value",
                  "x-mainstay-attempts",
                  "1",
                  "x-api-key",
                  CLIENT_KEY);
          seen.append(response.body()).append(response.headers().map());
          var tale = h.kept.next();
          seen.append(tale.call()).append(tale.attempts());
        }
        h.gateway.reload(h.config("# " + dialect + "\n"));
      }
      for (var asked : h.one.asked) {
        assertThat(asked.headers().toString()).doesNotContain("PLANTED");
        assertThat(asked.path()).doesNotContain("PLANTED").doesNotContain("SECRET");
        assertThat(asked.headers().toString()).contains(ScriptedProvider.KEY);
      }
      seen.append(h.get("/metrics").body()).append(h.get("/health/ready").body());
      seen.append(h.get("/api/config").body()).append(h.config(""));
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
        .contains("Incorrect API key provided: ****");
  }
}
