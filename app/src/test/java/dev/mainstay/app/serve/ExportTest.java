package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import blue.strategic.parquet.Hydrator;
import blue.strategic.parquet.HydratorSupplier;
import blue.strategic.parquet.ParquetReader;
import dev.mainstay.app.export.ExportCommand;
import dev.mainstay.ledger.state.Evaluations.Evaluation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code mainstay export}: everything a gateway keeps, in the three formats. */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class ExportTest {
  private static final int MORE_THAN_A_PAGE = 501;

  @TempDir Path directory;
  private RunsServer server;
  private String run;

  @BeforeEach
  void start() throws Exception {
    server = new RunsServer(directory.resolve("store"), "");
    server.refundScript();
    run = server.start(null);
    server.await(run, "completed");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void callsAreTheRowsOfTheApiInEveryFormat() throws Exception {
    var shown = server.get("/api/calls").json().path("calls");
    assertThat(shown).hasSize(2);
    assertThat(export("calls", "calls.jsonl")).isZero();
    assertThat(jsonLines("calls.jsonl")).containsExactlyElementsOf(shown);

    assertThat(export("calls", "calls.csv")).isZero();
    var lines = Files.readAllLines(directory.resolve("calls.csv"));
    assertThat(lines).hasSize(3);
    var header = List.of(lines.getFirst().split(","));
    for (var field : shown.path(0).propertyNames()) {
      if (field.equals("tokens")) {
        assertThat(header).contains("tokens_input", "tokens_output", "tokens_estimated");
      } else {
        assertThat(header).contains(field);
      }
    }

    assertThat(export("calls", "calls.parquet")).isZero();
    var rows = parquet("calls.parquet");
    assertThat(rows).hasSize(2);
    assertThat(rows.getFirst())
        .containsEntry("id", shown.path(0).path("id").asString())
        .containsEntry("status", 200L)
        .containsEntry("stream", shown.path(0).path("stream").asBoolean())
        .containsEntry("tokens_input", shown.at("/0/tokens/input").asLong())
        .containsEntry("cost_usd", shown.path(0).path("cost_usd").asDouble());
    assertThat(header).containsAll(rows.getFirst().keySet());
  }

  @Test
  void bodiesAreWrittenOnlyWhereTheyWereAskedFor() throws Exception {
    assertThat(export("runs", "runs.jsonl")).isZero();
    assertThat(Files.readString(directory.resolve("runs.jsonl")))
        .contains(run)
        .doesNotContain("Refund order 7.");
    assertThat(export("runs", "bodies.jsonl", "--bodies")).isZero();
    var row = jsonLines("bodies.jsonl").getFirst();
    assertThat(row.path("input").asString()).isEqualTo("Refund order 7.");
    assertThat(row.path("output").asString()).isEqualTo("Refunded.");
    assertThat(row.path("transcript")).isNotEmpty();
    assertThat(export("runs", "bodies.parquet", "--bodies")).isZero();
    assertThat(parquet("bodies.parquet").getFirst()).containsEntry("input", "Refund order 7.");
    assertThat(export("calls", "calls.csv", "--bodies")).isZero();
    assertThat(Files.readString(directory.resolve("calls.csv"))).contains("Refund order 7.");
  }

  @Test
  void everyPageIsReadAndFiltersNarrowTheRows() throws Exception {
    var kept = new ArrayList<CompletableFuture<Long>>();
    for (int i = 0; i < MORE_THAN_A_PAGE; i++) {
      var metrics = Map.of("score", (double) i, "tone", 0.5);
      var evaluation =
          new Evaluation(0, Instant.EPOCH, run, null, metrics, "a \"good\", one", "=test()");
      kept.add(server.ledger().state().evaluations().add(evaluation).toCompletableFuture());
    }
    kept.forEach(CompletableFuture::join);
    assertThat(export("evaluations", "all.jsonl")).isZero();
    assertThat(jsonLines("all.jsonl")).hasSize(MORE_THAN_A_PAGE);
    assertThat(export("evaluations", "all.csv")).isZero();
    var lines = Files.readAllLines(directory.resolve("all.csv"));
    assertThat(lines).hasSize(1 + 2 * MORE_THAN_A_PAGE);
    assertThat(lines.getFirst()).isEqualTo("id,at,run,call,metric,value,note,by");
    assertThat(lines.get(1)).contains(",score,500.0,\"a \"\"good\"\", one\",'=test()");
    assertThat(export("evaluations", "all.parquet")).isZero();
    assertThat(parquet("all.parquet")).hasSize(2 * MORE_THAN_A_PAGE);
    assertThat(export("evaluations", "none.jsonl", "--where", "run=other")).isZero();
    assertThat(jsonLines("none.jsonl")).isEmpty();
  }

  @Test
  void aMistakeLeavesNoFileAndTheFileBeforeAsItWas() throws Exception {
    Files.writeString(directory.resolve("kept.csv"), "before");
    assertThat(export("runs", "kept.csv", "--where", "colour=blue")).isNotZero();
    assertThat(directory.resolve("kept.csv")).hasContent("before");
    assertThat(directory.resolve("kept.csv.part")).doesNotExist();
    assertThat(export("runs", "runs.xlsx")).isNotZero();
    assertThat(directory.resolve("runs.xlsx")).doesNotExist();
    assertThat(export("prompts", "runs.csv")).isEqualTo(2);
  }

  private int export(String what, String file, String... more) {
    var arguments = new ArrayList<>(List.of(what, "--url", server.url()));
    arguments.addAll(List.of("--to", directory.resolve(file).toString()));
    arguments.addAll(List.of(more));
    return new CommandLine(new ExportCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(new StringWriter()))
        .setErr(new PrintWriter(new StringWriter()))
        .execute(arguments.toArray(String[]::new));
  }

  private List<JsonNode> jsonLines(String file) throws Exception {
    return Files.readAllLines(directory.resolve(file)).stream()
        .map(line -> JsonMapper.shared().readTree(line))
        .toList();
  }

  private List<Map<String, Object>> parquet(String file) throws Exception {
    try (var rows =
        ParquetReader.streamContent(
            directory.resolve(file).toFile(), HydratorSupplier.constantly(new ToMap()))) {
      return rows.toList();
    }
  }

  private static final class ToMap implements Hydrator<Map<String, Object>, Map<String, Object>> {
    @Override
    public Map<String, Object> start() {
      return new HashMap<>();
    }

    @Override
    public Map<String, Object> add(Map<String, Object> target, String heading, Object value) {
      target.put(heading, value);
      return target;
    }

    @Override
    public Map<String, Object> finish(Map<String, Object> target) {
      return target;
    }
  }
}
