package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code GET /api/dead-letters} over runs. */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class DeadLetterListTest {
  @TempDir Path directory;
  private RunsServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RunsServer(directory, "recovery: { preset: off }");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void runsThatWereGivenUpOnAreListedInPages() throws Exception {
    var error = "openai-server-error";
    server.script(
        "models: { one/gpt-4o: [ %s, %s, %s, %s ] }".formatted(error, error, error, error));
    var runs = new ArrayList<String>();
    for (int i = 0; i < 3; i++) {
      runs.add(server.start(null));
      var dead = server.await(runs.getLast(), "dead_letter");
      assertThat(dead.at("/failure/class").asString()).isEqualTo("TRANSIENT");
    }
    var redriven = server.post("/api/dead-letters/" + runs.get(1) + "/redrive", "").json();
    var next = redriven.path("run").asString();
    server.await(next, "dead_letter");
    var letter = server.get("/api/dead-letters?state=redriven").json().path("dead_letters");
    assertThat(letter).hasSize(1);
    assertThat(letter.path(0).path("redriven_as").asString()).isEqualTo(next);
    assertThat(server.get("/api/dead-letters/" + runs.get(1)).json().path("redriven_as").asString())
        .isEqualTo(next);

    var listed = new ArrayList<String>();
    var path = "/api/dead-letters?kind=run&limit=3";
    for (var cursor = ""; cursor != null; ) {
      var page = server.get(path + cursor).json();
      page.path("dead_letters").forEach(each -> listed.add(each.path("id").asString()));
      cursor = page.path("next").isNull() ? null : "&cursor=" + page.path("next").asString();
    }
    assertThat(listed).containsExactly(next, runs.get(2), runs.get(1), runs.get(0));
    var verdict = server.get("/api/dead-letters/" + next).json().path("verdict").asString();
    assertThat(verdict).isEqualTo("TRANSIENT/server_error");
    // Its call is in the store a moment after the run has ended.
    while (!server
        .get("/api/dead-letters?kind=run&limit=1")
        .json()
        .at("/dead_letters/0/verdict")
        .asString("")
        .equals(verdict)) {
      Thread.onSpinWait();
    }
    assertThat(server.get("/api/dead-letters?kind=call").json().path("dead_letters")).isEmpty();
    assertThat(server.get("/api/dead-letters?client=team").json().path("dead_letters")).isEmpty();
    assertThat(server.get("/api/dead-letters?state=lost").status()).isEqualTo(400);
    assertThat(server.get("/api/dead-letters?cursor=none").status()).isEqualTo(400);
  }
}
