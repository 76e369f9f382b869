package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the API answers about runs is what its OpenAPI description says, and no more than that. */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class RunSchemaTest {
  @TempDir Path directory;
  private RunsServer server;
  private JsonNode described;

  @BeforeEach
  void start() throws Exception {
    server = new RunsServer(directory, "recovery: { preset: off }");
    described = server.get("/api/openapi.json").json();
    closed(described);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void runsStepsAndEventsFitTheirSchemas() throws Exception {
    server.refundScript();
    var run = server.start(null);
    server.await(run, "completed");
    var other = server.start(null);
    server.await(other, "completed", "dead_letter");
    fits("/api/runs", "/api/runs");
    fits("/api/runs?limit=1", "/api/runs");
    fits("/api/runs/" + run, "/api/runs/{run}");
    fits("/api/runs/" + run + "/steps", "/api/runs/{run}/steps");
    fits("/api/runs/" + run + "/memory", "/api/runs/{run}/memory");
    fits("/api/runs/" + run + "/diff/" + other, "/api/runs/{run}/diff/{other}");
    var stream =
        described.at("/paths/~1api~1runs~1{run}~1events/get/responses/200/content").properties();
    assertThat(stream).extracting(each -> each.getKey()).containsExactly("text/event-stream");
    var seen = new ArrayList<String>();
    for (var line : server.events(run, null).lines().toList()) {
      if (line.startsWith("data: ")) {
        var event = JsonMapper.shared().readTree(line.substring("data: ".length()));
        seen.add(event.path("type").asString());
        fits(event, "/api/runs/{run}/events", "text/event-stream");
      }
    }
    assertThat(seen).contains("run.accepted", "turn.ended", "step.planned", "run.ended");
  }

  @Test
  void deadLettersFitTheirSchemasAndTheListHasPages() throws Exception {
    var error = "openai-server-error";
    server.script(
        "models: { one/gpt-4o: [ %s, %s, %s, %s ] }".formatted(error, error, error, error));
    var runs = new ArrayList<String>();
    for (int i = 0; i < 3; i++) {
      runs.add(server.start(null));
      var dead = server.await(runs.getLast(), "dead_letter");
      assertThat(dead.at("/failure/class").asString()).isEqualTo("TRANSIENT");
    }
    fits("/api/runs/" + runs.getFirst(), "/api/runs/{run}");
    fits("/api/dead-letters", "/api/dead-letters");
    fits("/api/dead-letters/" + runs.getFirst(), "/api/dead-letters/{id}");
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
      var page = fits(path + cursor, "/api/dead-letters");
      page.path("dead_letters").forEach(each -> listed.add(each.path("id").asString()));
      cursor = page.path("next").isNull() ? null : "&cursor=" + page.path("next").asString();
    }
    assertThat(listed).containsExactly(next, runs.get(2), runs.get(1), runs.get(0));
    assertThat(server.get("/api/dead-letters?kind=call").json().path("dead_letters")).isEmpty();
    assertThat(server.get("/api/dead-letters?client=team").json().path("dead_letters")).isEmpty();
    assertThat(server.get("/api/dead-letters?state=lost").status()).isEqualTo(400);
    assertThat(server.get("/api/dead-letters?cursor=none").status()).isEqualTo(400);
  }

  private JsonNode fits(String path, String template) throws Exception {
    var answer = server.get(path);
    assertThat(answer.status()).isEqualTo(200);
    fits(answer.json(), template, "application/json");
    return answer.json();
  }

  private void fits(JsonNode answer, String template, String contentType) {
    var schema =
        (ObjectNode)
            described
                .path("paths")
                .path(template)
                .at("/get/responses/200/content")
                .path(contentType)
                .path("schema")
                .deepCopy();
    assertThat(schema).as(template).isNotEmpty();
    schema.set("components", described.path("components"));
    var problems =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(schema.toString(), InputFormat.JSON)
            .validate(answer.toString(), InputFormat.JSON);
    assertThat(problems).as("%s: %s", template, answer).isEmpty();
  }

  /** A field that is not described is a mistake, too. */
  private static void closed(JsonNode schema) {
    if (schema instanceof ObjectNode object
        && object.has("properties")
        && !object.has("additionalProperties")) {
      object.put("additionalProperties", false);
    }
    for (var each : List.copyOf(schema.values())) {
      closed(each);
    }
  }
}
