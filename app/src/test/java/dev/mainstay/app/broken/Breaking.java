package dev.mainstay.app.broken;

import dev.mainstay.gateway.Gateway;
import dev.mainstay.gateway.config.ConfigLoader;
import dev.mainstay.simulator.Answer;
import dev.mainstay.simulator.Continues;
import dev.mainstay.simulator.Fault;
import dev.mainstay.simulator.Point;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.simulator.Step;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A simulator, a gateway before it and a client: breaks an answer at every point and says what the
 * client had in the end. Not thread-safe.
 */
final class Breaking implements AutoCloseable {
  private static final int AT_ONCE = 32;
  private static final Executor SHORTLY =
      CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

  private final Unrecorded unrecorded = new Unrecorded();
  private final Simulator simulator;
  private final Gateway gateway;
  private final HttpClient client;
  private int number;

  Breaking() throws Exception {
    simulator = Simulator.start();
    gateway = gateway("60s", "", "");
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @Override
  public void close() {
    client.close();
    gateway.close();
    simulator.close();
  }

  /** How a stream breaks. */
  enum Way {
    CUT,
    RESET,
    ENDS,
    ERROR_EVENT,
    MALFORMED,
    SILENCE;

    Fault at(Point point, Speaking dialect) {
      return switch (this) {
        case CUT -> new Fault.Cut(point);
        case RESET -> new Fault.Reset(point);
        case ENDS -> new Fault.End(point);
        case ERROR_EVENT -> new Fault.ErrorEvent(point, dialect.error());
        case MALFORMED -> new Fault.Malformed(point);
        case SILENCE -> new Fault.Silence(point, null);
      };
    }

    /** Whether it can happen between the bytes of an event. */
    boolean insideEvents() {
      return switch (this) {
        case CUT, RESET, ENDS, SILENCE -> true;
        case ERROR_EVENT, MALFORMED -> false;
      };
    }
  }

  /**
   * One stream that breaks.
   *
   * @param target whose answer it is that breaks
   * @param again the place at which what comes next breaks too; null: it does not
   */
  record Case(
      int number,
      Speaking target,
      Answer answer,
      int at,
      Way way,
      Continues continues,
      @Nullable Point again) {
    String model() {
      return target.model(number);
    }

    Script.Model script() {
      var broken = Step.of(way.at(Point.atByte(at), target)).with(answer);
      var good = Step.answering(answer).times(1000);
      var steps =
          again == null
              ? new Step[] {broken, good}
              : new Step[] {broken, Step.of(way.at(again, target)).with(answer), good};
      return Script.Model.of(steps).continuing(continues);
    }

    @Override
    public String toString() {
      return way
          + " after byte "
          + at
          + (again == null ? "" : " and " + again)
          + ", then "
          + continues
          + " ("
          + model()
          + ")";
    }
  }

  record Result(Case what, Heard heard, String raw, Unrecorded unrecorded) {
    @Override
    public String toString() {
      return what + ": " + unrecorded.why(raw) + ": " + heard + "\n" + raw;
    }
  }

  /** {@code recovery}, {@code models}: lines of the configuration. */
  private Gateway gateway(String patience, String recovery, String models) throws Exception {
    String sim = simulator.url();
    var config =
        ConfigLoader.parse(
            """
            server: { port: 0, drain: 1s }
            providers:
              openai: { dialect: openai, base-url: "%s/openai/v1", keys: [k] }
              mistral: { dialect: mistral, base-url: "%s/mistral", keys: [k] }
              anthropic: { dialect: anthropic, base-url: "%s", keys: [k] }
              gemini: { dialect: gemini, base-url: "%s", keys: [k] }
            recovery:
              retry: { initial-delay: 0ms }
              retry-budget: 100
              breaker: { consecutive-failures: 100 }
              timeouts: { idle: %s, first-token: %s }
              %s
            recording: { bodies: false }
            """
                    .formatted(sim, sim, sim, sim, patience, patience, recovery)
                + models,
            "test.yaml",
            Map.of());
    return Gateway.start(config, unrecorded, null);
  }

  /** What comes without Mainstay when nothing goes wrong. */
  Heard good(Speaking dialect, Answer answer, String more) throws Exception {
    return dialect.read(recorded(dialect, answer, more));
  }

  private String recorded(Speaking dialect, Answer answer, String more) throws Exception {
    String model = dialect.model(++number);
    simulator.script(Script.of(model, Step.answering(answer).times(9)));
    String base = simulator.url() + "/" + dialect.provider;
    return ask(base + dialect.path(model), dialect.body(model, more)).get().body();
  }

  List<Case> cases(Speaking dialect, Answer answer, String more, Continues[] habits, Way[] ways)
      throws Exception {
    byte[] recorded = recorded(dialect, answer, more).getBytes(StandardCharsets.UTF_8);
    var cases = new ArrayList<Case>();
    int start = 0;
    for (int end : boundaries(recorded)) {
      var inside = List.of(start, start + 1, (start + end) / 2, end - 1);
      for (var way : ways) {
        for (var continues : habits) {
          // What the client has is the same inside the event, and so is what follows.
          boolean all = way.insideEvents() && continues == Continues.EXACTLY;
          for (int at : all ? inside : List.of(start)) {
            cases.add(new Case(++number, dialect, answer, at, way, continues, null));
          }
        }
      }
      start = end;
    }
    return cases;
  }

  /** The same between events alone, each broken again at {@code places} of what comes next. */
  List<Case> twice(List<Case> cases, List<Point> places) {
    var twice = new ArrayList<Case>();
    for (var each : cases) {
      for (var again : places) {
        twice.add(
            new Case(
                ++number,
                each.target(),
                each.answer(),
                each.at(),
                each.way(),
                each.continues(),
                again));
      }
    }
    return twice;
  }

  /** The places right after each event. */
  private static List<Integer> boundaries(byte[] body) {
    var ends = new ArrayList<Integer>();
    boolean lineEmpty = false;
    for (int i = 0; i < body.length; i++) {
      if (body[i] == '\n') {
        if (lineEmpty) {
          ends.add(i + 1);
        }
        lineEmpty = true;
      } else if (body[i] != '\r') {
        lineEmpty = false;
      }
    }
    return ends;
  }

  List<Result> run(Speaking client, List<Case> cases, String more) throws Exception {
    return run(client, cases, more, "");
  }

  /** {@code recovery}: a line of the configuration, of its own gateway where there is one. */
  List<Result> run(Speaking client, List<Case> cases, String more, String recovery)
      throws Exception {
    var scripts = new LinkedHashMap<String, Script.Model>();
    var routes = new StringBuilder("models:\n");
    for (var each : cases) {
      scripts.put(each.model(), each.script());
      if (each.way() == Way.SILENCE) {
        // After a silence the next target comes first: one of another dialect.
        var other = each.target().next();
        var good = Step.answering(each.answer()).times(1000);
        scripts.put(other.model(each.number()), Script.Model.of(good).continuing(each.continues()));
        routes.append(
            "  \"case-%d\": { targets: [\"%s/%s\", \"%s/%s\"] }\n"
                .formatted(
                    each.number(),
                    each.target().provider,
                    each.model(),
                    other.provider,
                    other.model(each.number())));
      }
    }
    simulator.script(new Script(scripts, Map.of(), false));
    simulator.clearLog();
    boolean silence = cases.stream().anyMatch(each -> each.way() == Way.SILENCE);
    try (var impatient = silence ? gateway("1s", recovery, routes.toString()) : null;
        var other = recovery.isEmpty() ? null : gateway("60s", recovery, "")) {
      var patient = other == null ? gateway : other;
      var permits = new Semaphore(AT_ONCE);
      var running = new ArrayList<CompletableFuture<Result>>();
      for (var each : cases) {
        permits.acquire();
        boolean silent = each.way() == Way.SILENCE;
        var to = silent && impatient != null ? impatient : patient;
        String model =
            silent ? "case-" + each.number() : each.target().provider + "/" + each.model();
        running.add(
            ask("http://127.0.0.1:" + to.port() + client.path(model), client.body(model, more))
                .whenComplete((_, _) -> permits.release())
                .thenApply(
                    answer ->
                        new Result(each, client.read(answer.body()), answer.body(), unrecorded)));
      }
      return results(cases, running);
    }
  }

  private static List<Result> results(List<Case> cases, List<CompletableFuture<Result>> running)
      throws Exception {
    var results = new ArrayList<Result>();
    for (int i = 0; i < cases.size(); i++) {
      try {
        results.add(running.get(i).get(60, TimeUnit.SECONDS));
      } catch (TimeoutException e) {
        throw new AssertionError("no end: " + cases.get(i), e);
      }
    }
    return results;
  }

  private CompletableFuture<HttpResponse<String>> ask(String url, String body) {
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client
        .sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
        .thenCompose(
            // On a machine that is busy with other things the gateway may say: shortly, please.
            answer ->
                answer.statusCode() == 503 && answer.body().contains("more requests than it can")
                    ? CompletableFuture.runAsync(() -> {}, SHORTLY).thenCompose(_ -> ask(url, body))
                    : CompletableFuture.completedFuture(answer));
  }
}
