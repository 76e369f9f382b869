package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a reload changes, and what it leaves as it was. */
@Timeout(180)
final class ReloadTest {
  private static final String MORE = "  another: { targets: [two/x] }\n";

  private final Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  private void refuseTheKeyOfOne() {
    h.one.then(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key."));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void aKeyThatWasSetAsideStaysSoWhereItsProviderIsTheSame() {
    refuseTheKeyOfOne();
    h.gateway.reload(h.config(MORE));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.two.asked).hasSize(2);
  }

  @Test
  void aKeyThatWasSetAsideIsWellAgainOnceItsPoolWasChanged() {
    refuseTheKeyOfOne();
    var pool = "keys: [\"" + ScriptedProvider.KEY + "\"";
    h.gateway.reload(
        Harness.parsed(h.yaml("").replaceFirst(Pattern.quote(pool), pool + ", another")));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void aLimitedKeyRestsOnThoughItsPoolWasChanged() {
    h.one.then(error(429, "requests", "rate_limit_exceeded", "Slow down.", "retry-after", "600"));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    var other =
        h.yaml("").replaceFirst("dialect: openai", "headers: { x-team: a }, dialect: openai");
    h.gateway.reload(Harness.parsed(other));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void connectionsToAProviderThatIsTheSameAreKept() {
    assertThat(h.chat("one/m").statusCode()).isEqualTo(200);
    h.gateway.reload(h.config(MORE));
    assertThat(h.get("/health/ready").body())
        .containsPattern("\"provider\":\"one\"[^}]*\"connections_idle\":1");
    assertThat(h.chat("one/m").statusCode()).isEqualTo(200);
    assertThat(h.one.connections()).isEqualTo(1);
  }

  @Test
  void aBreakerStaysOpenAndOnlyAnotherPlaceClosesIt() {
    var breaker = "recovery: { breaker: { consecutive-failures: 1, open: 1h, max-open: 1h } }\n";
    h.gateway.reload(h.config(breaker));
    h.one.then(error(500, "server_error", "", "The server had an error."));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    h.gateway.reload(h.config(MORE + breaker));
    assertThat(h.get("/api/breakers").body()).contains("open");
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(1);
    var moved = h.yaml(breaker).replaceFirst(h.one.url() + "/v1", h.two.url() + "/moved/v1");
    h.gateway.reload(Harness.parsed(moved));
    assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
    assertThat(h.two.asked.getLast().path()).startsWith("/moved/");
  }

  @Test
  void whatASignalHasReloadedIsNotReloadedAgainForHavingChanged(@TempDir Path folder)
      throws Exception {
    var file = folder.resolve("mainstay.yaml");
    var yaml = h.yaml("");
    Files.writeString(file, yaml);
    var reloads = new AtomicInteger();
    try (var reloader =
        Reloader.watch(
            h.gateway,
            file,
            Map.of(),
            config -> {
              reloads.incrementAndGet();
              return config;
            })) {
      // It looks no more by itself, only when it is told to.
      reloader.close();
      Files.writeString(file, yaml + "  fresh: { targets: [one/x] }\n");
      reloader.signalled();
      reloader.check();
      assertThat(reloads).hasValue(1);
      reloader.signalled();
      assertThat(reloads).as("a signal reloads, whatever is in the file").hasValue(2);
    }
  }

  @Test
  void aFileThatIsGoneIsSaidOnce(@TempDir Path folder) throws Exception {
    var file = folder.resolve("mainstay.yaml");
    Files.writeString(file, h.yaml(""));
    var logger = (Logger) LoggerFactory.getLogger(Reloader.class);
    var logged = new ListAppender<ILoggingEvent>();
    logged.start();
    try (var reloader = Reloader.watch(h.gateway, file, Map.of(), config -> config)) {
      logger.addAppender(logged);
      Files.delete(file);
      for (int i = 0; i < 4; i++) {
        reloader.check();
      }
      assertThat(logged.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly(file + " does not exist; the configuration read last stays in force");
    } finally {
      logger.detachAppender(logged);
    }
  }

  /** What cannot be read, as what it is: an error ended the thread that looks at the file. */
  @Test
  void whateverIsPutInTheFilesPlaceTheWatcherLives(@TempDir Path folder) throws Exception {
    var file = folder.resolve("mainstay.yaml");
    Files.writeString(file, h.yaml(""));
    try (var reloader = Reloader.watch(h.gateway, file, Map.of(), config -> config)) {
      Files.writeString(file, "[".repeat(1_000_000));
      reloader.check();
      Files.delete(file);
      assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
      reloader.check();
      Files.delete(file);
      Files.createDirectory(file);
      reloader.check();
      Files.delete(file);
      reloader.check();
      assertThat(header(h.chat("another"), "x-mainstay-target")).isEqualTo("one/another");
      Files.writeString(file, h.yaml(MORE));
      reloader.check();
      assertThat(header(h.chat("another"), "x-mainstay-target")).isEqualTo("two/x");
    }
  }
}
