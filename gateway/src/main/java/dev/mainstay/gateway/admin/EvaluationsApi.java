package dev.mainstay.gateway.admin;

import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.Evaluations.Evaluation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** {@code /api/evaluations}: how good runs and calls were, from people and programs. */
public final class EvaluationsApi {
  private static final String PATH = "/api/evaluations";
  private static final int MOST_METRICS = 50;

  /** How long a call that has just ended may take to the store. */
  private static final Duration STORE_PATIENCE = Duration.ofSeconds(10);

  private static final int LONGEST_NAME = 100;
  private static final int LONGEST_NOTE = 10_000;

  private final @Nullable DurableState state;
  private final @Nullable LedgerReader calls;
  private final Recorder recorder;
  private final InstantSource clock;

  public EvaluationsApi(
      @Nullable DurableState state,
      @Nullable LedgerReader calls,
      Recorder recorder,
      InstantSource clock) {
    this.state = state;
    this.recorder = recorder;
    this.calls = calls;
    this.clock = clock;
  }

  /** An evaluation to keep: of a run or of a call, with metrics, a note, or both. */
  record NewEvaluation(
      @Nullable String run,
      @Nullable String call,
      @Nullable Map<String, Double> metrics,
      @Nullable String note,
      @Nullable String by) {}

  /**
   * An evaluation that is kept.
   *
   * @param agent the agent of its run; null of a call, and of a run that is gone
   * @param model what its call, or the newest call of its run, asked for; null where that is gone
   */
  record KeptEvaluation(
      String id,
      Instant at,
      @Nullable String run,
      @Nullable String call,
      @Nullable String agent,
      @Nullable String model,
      Map<String, Double> metrics,
      @Nullable String note,
      String by) {}

  /** A page of evaluations; {@code next} is the cursor of the next page, null on the last. */
  record EvaluationPage(List<KeptEvaluation> evaluations, @Nullable String next) {}

  public List<Route> routes() {
    return List.of(
        Route.get(
                PATH,
                Role.OPERATOR,
                "listEvaluations",
                "Evaluations, newest first",
                (Route.Handler.Blocking) this::list)
            .with("run", "string", "only those of this run")
            .with("call", "string", "only those of this call")
            .with("limit", "integer", "evaluations per page, 1 to 1000; default 100")
            .with("cursor", "string", "next of the previous page")
            .gives(EvaluationPage.class),
        Route.post(
                PATH,
                Role.OPERATOR,
                "evaluate",
                "Stores an evaluation of a run or a call",
                (Route.Handler.Blocking) this::add)
            .takes(NewEvaluation.class)
            .gives(201, KeptEvaluation.class));
  }

  private Route.Reply list(Route.ApiRequest asked) {
    int size = CallParameters.size(asked.query("limit"));
    var scope = Cursors.scope("evaluations", asked);
    var found =
        Cursors.wait(
            Cursors.state(state)
                .evaluations()
                .page(
                    asked.query("run"),
                    asked.query("call"),
                    Cursors.number(scope, asked.query("cursor"), Long.MAX_VALUE),
                    size + 1));
    var page = Cursors.page(found, size, each -> Cursors.of(scope, each.number()));
    return Route.Reply.ok(new EvaluationPage(kept(page.rows()), page.next()));
  }

  /** Evaluations with what they are about, by three questions however many they are. */
  private List<KeptEvaluation> kept(List<Evaluation> evaluations) {
    var runs = evaluations.stream().map(Evaluation::run).filter(Objects::nonNull).toList();
    var ids = evaluations.stream().map(Evaluation::call).filter(Objects::nonNull).toList();
    var agents =
        Cursors.wait(Cursors.state(state).runs().find(runs)).stream()
            .collect(Collectors.toMap(Run::id, run -> run.origin().agent()));
    var named = calls == null ? Map.<String, CallRecord>of() : calls.callsById(ids);
    var last = calls == null ? Map.<String, CallRecord>of() : calls.lastCalls(runs);
    return evaluations.stream()
        .map(
            each -> {
              var run = each.run();
              var id = each.call();
              var call = id != null ? named.get(id) : run == null ? null : last.get(run);
              return new KeptEvaluation(
                  Long.toString(each.number()),
                  each.at(),
                  run,
                  id,
                  run == null ? null : agents.get(run),
                  call == null ? null : call.modelAsked(),
                  each.metrics(),
                  each.note(),
                  each.by());
            })
        .toList();
  }

  private Route.Reply add(Route.ApiRequest asked) {
    var given = asked.body();
    var run = text(given, "run", LONGEST_NAME);
    var call = text(given, "call", LONGEST_NAME);
    if ((run == null) == (call == null)) {
      throw ApiException.invalid("an evaluation names one run or one call", "run", "call");
    }
    var metrics = metrics(given.path("metrics"));
    var note = text(given, "note", LONGEST_NOTE);
    if (metrics.isEmpty() && note == null) {
      throw ApiException.invalid("an evaluation needs metrics or a note", "metrics", "note");
    }
    var by = text(given, "by", LONGEST_NAME);
    if (!exists(run, call)) {
      throw ApiException.notFound(
          run == null ? "there is no call " + call : "there is no run " + run);
    }
    var fresh =
        new Evaluation(
            0, clock.instant(), run, call, metrics, note, by == null ? asked.caller().name() : by);
    long number = Cursors.wait(Cursors.state(state).evaluations().add(fresh));
    var kept = new Evaluation(number, fresh.at(), run, call, fresh.metrics(), note, fresh.by());
    return new Route.Reply(201, "application/json", kept(List.of(kept)).getFirst());
  }

  /**
   * Whether there is such a run or call; one that has just ended may be on its way to the store.
   */
  private boolean exists(@Nullable String run, @Nullable String call) {
    if (calls == null || isKept(run, call, calls)) {
      return true;
    }
    try {
      return recorder.flush(STORE_PATIENCE) && isKept(run, call, calls);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ApiException.of(503, "unavailable", "this gateway is stopping: ask again");
    }
  }

  private boolean isKept(@Nullable String run, @Nullable String call, LedgerReader from) {
    if (call != null) {
      return from.call(call) != null
          || !Cursors.wait(Cursors.state(state).keptCalls().find(call)).isEmpty();
    }
    return run != null
        && (!Cursors.wait(Cursors.state(state).runs().find(run)).isEmpty()
            || !from.callRuns(CallRun.Query.of(run, null)).isEmpty());
  }

  /** A text of a body, or null. */
  static @Nullable String text(JsonNode given, String name, int longest) {
    var value = given.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (value.asString().isBlank() || value.asString().length() > longest) {
      throw ApiException.invalid(name + " must be a text of at most " + longest + " characters");
    }
    return value.asString();
  }

  private static Map<String, Double> metrics(JsonNode given) {
    var metrics = new TreeMap<String, Double>();
    if (given.size() > MOST_METRICS) {
      throw ApiException.invalid(
          "metrics has %d names, not at most %d".formatted(given.size(), MOST_METRICS));
    }
    for (var metric : given.properties()) {
      if (metric.getKey().isBlank() || metric.getKey().length() > LONGEST_NAME) {
        throw ApiException.invalid(
            "a metric's name has 1 to %d characters".formatted(LONGEST_NAME));
      }
      metrics.put(metric.getKey(), metric.getValue().decimalValue().doubleValue());
    }
    return metrics;
  }
}
