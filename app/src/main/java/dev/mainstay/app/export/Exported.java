package dev.mainstay.app.export;

import static dev.mainstay.app.export.Column.Type.BOOLEAN;
import static dev.mainstay.app.export.Column.Type.INTEGER;
import static dev.mainstay.app.export.Column.Type.NUMBER;
import static dev.mainstay.app.export.Column.Type.TEXT;
import static dev.mainstay.app.export.Column.Type.TIME;

import dev.mainstay.app.admin.AdminClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What can be exported: a list of the admin API, and the columns of its table. */
enum Exported {
  CALLS(
      List.of(
          Column.of("id", TEXT),
          Column.of("run", TEXT),
          Column.of("parent", TEXT),
          Column.of("client", TEXT),
          Column.of("agent", TEXT),
          Column.of("started_at", TIME),
          Column.of("dialect", TEXT),
          Column.of("path", TEXT),
          Column.of("model", TEXT),
          Column.of("target", TEXT),
          Column.of("stream", BOOLEAN),
          Column.of("status", INTEGER),
          Column.of("verdict", TEXT),
          Column.of("recovery", TEXT),
          Column.of("attempts", INTEGER),
          Column.of("tokens/input", INTEGER),
          Column.of("tokens/cached_input", INTEGER),
          Column.of("tokens/cache_write", INTEGER),
          Column.of("tokens/output", INTEGER),
          Column.of("tokens/reasoning", INTEGER),
          Column.of("tokens/estimated", BOOLEAN),
          Column.of("cost_usd", NUMBER),
          Column.of("price_version", TEXT),
          Column.of("first_token_ms", INTEGER),
          Column.of("total_ms", INTEGER)),
      List.of(Column.of("request", TEXT), Column.of("response", TEXT))) {
    @Override
    void addBodies(ObjectNode row, AdminClient gateway) {
      for (var part : bodies()) {
        var bytes =
            gateway.bytes(
                "/api/calls/%s/bodies/0/%s"
                    .formatted(AdminClient.encoded(row.path("id").asString()), part.name()));
        row.put(part.name(), bytes == null ? null : new String(bytes, StandardCharsets.UTF_8));
      }
    }
  },
  RUNS(
      List.of(
          Column.of("run", TEXT),
          Column.of("kind", TEXT),
          Column.of("agent", TEXT),
          Column.of("client", TEXT),
          Column.of("parent", TEXT),
          Column.of("session", TEXT),
          Column.of("priority", INTEGER),
          Column.of("labels", TEXT),
          Column.of("status", TEXT),
          Column.of("reason", TEXT),
          Column.of("definition_hash", TEXT),
          Column.of("replay_of", TEXT),
          Column.of("accepted_at", TIME),
          Column.of("ended_at", TIME),
          Column.of("turns", INTEGER),
          Column.of("steps", INTEGER),
          Column.of("attempts", INTEGER),
          Column.of("tokens", INTEGER),
          Column.of("cost_usd", NUMBER),
          Column.of("total_ms", INTEGER)),
      List.of(Column.of("input", TEXT), Column.of("output", TEXT), Column.of("transcript", TEXT))) {
    @Override
    void addBodies(ObjectNode row, AdminClient gateway) {
      var run = gateway.get("/api/runs/" + AdminClient.encoded(row.path("run").asString()));
      for (var part : bodies()) {
        row.set(part.name(), run == null ? null : run.get(part.name()));
      }
    }
  },
  EVALUATIONS(
      List.of(
          Column.of("id", TEXT),
          Column.of("at", TIME),
          Column.of("run", TEXT),
          Column.of("call", TEXT),
          Column.of("metric", TEXT),
          Column.of("value", NUMBER),
          Column.of("note", TEXT),
          Column.of("by", TEXT)),
      List.of()) {
    @Override
    List<JsonNode> tableRows(JsonNode row) {
      var rows = new ArrayList<JsonNode>();
      for (var metric : row.path("metrics").properties()) {
        var one = (ObjectNode) row.deepCopy();
        rows.add(one.put("metric", metric.getKey()).set("value", metric.getValue()));
      }
      return rows.isEmpty() ? List.of(row) : rows;
    }
  };

  private final List<Column> columns;
  private final List<Column> bodies;

  Exported(List<Column> columns, List<Column> bodies) {
    this.columns = columns;
    this.bodies = bodies;
  }

  /** Its name in the API and on the command line. */
  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The columns of a table. */
  List<Column> columns(boolean withBodies) {
    if (!withBodies) {
      return columns;
    }
    var all = new ArrayList<>(columns);
    all.addAll(bodies);
    return all;
  }

  /** The columns that hold prompts and answers; empty where there are none. */
  List<Column> bodies() {
    return bodies;
  }

  /** Adds to a row what was asked and answered, as far as the gateway keeps and shows it. */
  void addBodies(ObjectNode row, AdminClient gateway) {}

  /** A row of the list as rows of a table: an evaluation has one for each of its metrics. */
  List<JsonNode> tableRows(JsonNode row) {
    return List.of(row);
  }
}
