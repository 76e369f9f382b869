package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** With {@code recording.bodies: false} a run leaves nothing on disk of what was said in it. */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class PurgeTest {
  private static final String PROMPT = "canary-in-the-prompt";
  private static final String ARGUMENT = "canary-in-the-arguments";
  private static final String RESULT = "refunded";

  @TempDir Path directory;
  private RunsServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RunsServer(directory, "recording: { bodies: false }");
    server.script(
        """
        models:
          one/gpt-4o:
            script:
              - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "%s"}' } ] } }
              - { answer: "Done." }
              - { answer: "Done again." }
        """
            .formatted(ARGUMENT));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String run(String more) throws Exception {
    var body = "{\"agent\":\"refunds\",\"input\":\"%s\"%s}".formatted(PROMPT, more);
    return server.post("/api/runs", body).json().path("run").asString();
  }

  private JsonNode purged(String run) throws Exception {
    server.await(run, "completed", "dead_letter");
    while (true) {
      var shown = server.get("/api/runs/" + run).json();
      if (shown.path("bodies_missing").asBoolean()) {
        return shown;
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void afterItsEndNothingOnDiskHasThePromptTheArgumentsOrTheResult() throws Exception {
    var run = run("");
    var shown = purged(run);
    assertThat(shown.path("status").asString()).isEqualTo("completed");
    assertThat(shown.path("output").asString()).isEqualTo("Done.");
    assertThat(shown.path("steps").asInt()).isEqualTo(3);
    assertThat(shown.path("tokens").asLong()).isPositive();
    assertThat(shown.toString() + server.events(run, null))
        .doesNotContain(PROMPT, ARGUMENT, RESULT);
    var replay = server.post("/api/runs/" + run + "/replay", "{}");
    assertThat(replay.status()).isEqualTo(409);
    assertThat(replay.json().at("/error/message").asString()).contains("recording.bodies");
    server.close();
    assertThat(filesWith(PROMPT, ARGUMENT, RESULT)).isEmpty();
    server = new RunsServer(directory, "");
    assertThat(server.get("/api/runs/" + run).json().path("output").asString()).isEqualTo("Done.");
  }

  @Test
  void aSessionKeepsWhatItGoesOnFromUntilItsNextRunHasCompleted() throws Exception {
    var session = ",\"session\":\"s\"";
    var first = run(session);
    server.await(first, "completed");
    var second = run(session);
    purged(first);
    var shown = server.await(second, "completed");
    assertThat(shown.path("bodies_missing").asBoolean()).isFalse();
    assertThat(shown.path("transcript")).hasSizeGreaterThan(4);
    assertThat(shown.path("transcript").toString()).contains(ARGUMENT);
  }

  private List<Path> filesWith(String... texts) throws Exception {
    var found = new ArrayList<Path>();
    try (var files = Files.walk(directory)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        for (var text : texts) {
          if (content.contains(text)) {
            found.add(file);
          }
        }
      }
    }
    return found;
  }
}
