package dev.mainstay.gateway;

import dev.mainstay.http.Role;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.Evaluations.Evaluation;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** {@code /api/evaluations}: how good runs and calls were, from people and programs. */
final class EvaluationsApi {
  private static final String PATH = "/api/evaluations";
  private static final int MOST_METRICS = 50;
  private static final int LONGEST_NAME = 100;
  private static final int LONGEST_NOTE = 10_000;

  private final @Nullable DurableState state;
  private final InstantSource clock;

  EvaluationsApi(@Nullable DurableState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /** An evaluation to keep: of a run or of a call, with metrics, a note, or both. */
  record NewEvaluation(
      @Nullable String run,
      @Nullable String call,
      Map<String, Double> metrics,
      @Nullable String note,
      @Nullable String by) {}

  /** An evaluation that is kept. */
  record KeptEvaluation(
      String id,
      Instant at,
      @Nullable String run,
      @Nullable String call,
      Map<String, Double> metrics,
      @Nullable String note,
      String by) {
    static KeptEvaluation of(Evaluation from) {
      return new KeptEvaluation(
          Long.toString(from.number()),
          from.at(),
          from.run(),
          from.call(),
          from.metrics(),
          from.note(),
          from.by());
    }
  }

  /** A page of evaluations; {@code next} is the cursor of the next page, null on the last. */
  record EvaluationPage(List<KeptEvaluation> evaluations, @Nullable String next) {}

  List<Route> routes() {
    return List.of(
        Route.get(
                PATH,
                Role.OPERATOR,
                "listEvaluations",
                "Evaluations, the newest first",
                (Route.Handler.Blocking) this::list)
            .with("run", "string", "only those of this run")
            .with("call", "string", "only those of this call")
            .with("limit", "integer", "evaluations a page, 1 to 1000; default 100")
            .with("cursor", "string", "next of the page before")
            .gives(EvaluationPage.class),
        Route.post(
                PATH,
                Role.OPERATOR,
                "evaluate",
                "Keeps an evaluation of a run or a call",
                (Route.Handler.Blocking) this::add)
            .takes(NewEvaluation.class)
            .gives(KeptEvaluation.class));
  }

  private Route.Reply list(Route.ApiRequest asked) {
    int size = CallsApi.size(asked.query("limit"));
    var found =
        Cursors.wait(
            Cursors.state(state)
                .evaluations()
                .page(
                    asked.query("run"),
                    asked.query("call"),
                    Cursors.number(asked.query("cursor")),
                    size + 1));
    var page = Cursors.page(found, size, each -> Long.toString(each.number()));
    return Route.Reply.ok(
        new EvaluationPage(page.rows().stream().map(KeptEvaluation::of).toList(), page.next()));
  }

  private Route.Reply add(Route.ApiRequest asked) {
    var given = body(asked.body());
    var run = text(given, "run", LONGEST_NAME);
    var call = text(given, "call", LONGEST_NAME);
    if ((run == null) == (call == null)) {
      throw ApiException.invalid("an evaluation is of one run or of one call", "run", "call");
    }
    var metrics = metrics(given.path("metrics"));
    var note = text(given, "note", LONGEST_NOTE);
    if (metrics.isEmpty() && note == null) {
      throw ApiException.invalid("an evaluation has metrics or a note", "metrics", "note");
    }
    var by = text(given, "by", LONGEST_NAME);
    var kept =
        new Evaluation(
            0, clock.instant(), run, call, metrics, note, by == null ? asked.caller().name() : by);
    long number = Cursors.wait(Cursors.state(state).evaluations().add(kept));
    return new Route.Reply(
        201,
        "application/json",
        new KeptEvaluation(Long.toString(number), kept.at(), run, call, metrics, note, kept.by()));
  }

  /** A body that is a JSON object. */
  static JsonNode body(byte[] bytes) {
    try {
      var given = Tree.read(new String(bytes, StandardCharsets.UTF_8));
      if (given.isObject()) {
        return given;
      }
    } catch (JacksonException e) {
      // Said below.
    }
    throw ApiException.invalid("the body is not a JSON object");
  }

  /** A text of a body, or null. */
  static @Nullable String text(JsonNode given, String name, int longest) {
    var value = given.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isString() || value.asString().isBlank() || value.asString().length() > longest) {
      throw ApiException.invalid(name + " is a text of at most " + longest + " characters");
    }
    return value.asString();
  }

  private static Map<String, Double> metrics(JsonNode given) {
    var metrics = new TreeMap<String, Double>();
    if (given.isMissingNode() || given.isNull()) {
      return metrics;
    }
    if (!given.isObject() || given.size() > MOST_METRICS) {
      throw ApiException.invalid(
          "metrics is an object of at most " + MOST_METRICS + " names and numbers");
    }
    for (var metric : given.properties()) {
      double value = metric.getValue().isNumber() ? metric.getValue().asDouble() : Double.NaN;
      if (!Double.isFinite(value) || metric.getKey().length() > LONGEST_NAME) {
        throw ApiException.invalid("the metric " + metric.getKey() + " is not a number");
      }
      metrics.put(metric.getKey(), value);
    }
    return metrics;
  }
}
