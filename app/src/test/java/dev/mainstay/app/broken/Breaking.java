package dev.mainstay.app.broken;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.simulator.Answer;
import dev.mainstay.simulator.Continues;
import dev.mainstay.simulator.Fault;
import dev.mainstay.simulator.FaultPoint;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.simulator.Step;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * A simulator, a gateway before it and a client: breaks an answer at every point and says what the
 * client had in the end. Not thread-safe.
 */
final class Breaking implements AutoCloseable {
  /** Streams that give their client and the gateway work. */
  private static final int AT_ONCE = 32;

  /** Streams that mostly wait, and that long: a busy machine must not be taken for a silent one. */
  private static final int SILENT_AT_ONCE = 200;

  /** What a model calls in an answer with tool calls. */
  static final List<Answer.ToolCall> TWO_CALLS =
      List.of(
          new Answer.ToolCall("look", "{\"at\":\"the harbour\"}"),
          new Answer.ToolCall("send", "{\"to\":\"Zoë\",\"times\":2}"));

  private static final String SILENCE = "2s";

  private static final Executor SHORTLY =
      CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

  private final Unrecorded unrecorded = new Unrecorded();
  private final Simulator simulator;
  private int number;

  Breaking() throws Exception {
    simulator = Simulator.start();
  }

  @Override
  public void close() {
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

    Fault at(FaultPoint point, Speaking dialect) {
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
   * @param again the places at which what comes next breaks too
   */
  record Case(
      int number,
      Speaking target,
      Answer answer,
      int at,
      Way way,
      Continues continues,
      List<FaultPoint> again) {
    String model() {
      return target.model(number);
    }

    boolean silent() {
      return way == Way.SILENCE;
    }

    /** What a client asks for. */
    String asked() {
      return silent() ? "case-" + number : target.provider + "/" + model();
    }

    Case again(int number, List<FaultPoint> places) {
      return new Case(number, target, answer, at, way, continues, places);
    }

    Script.Model script() {
      var steps = new ArrayList<Step>();
      steps.add(Step.of(way.at(FaultPoint.atByte(at), target)).with(answer));
      again.forEach(place -> steps.add(Step.of(way.at(place, target)).with(answer)));
      steps.add(Step.answering(answer).times(1000));
      return Script.Model.of(steps.toArray(Step[]::new)).continuing(continues);
    }

    @Override
    public String toString() {
      return way
          + " after byte "
          + at
          + (again.isEmpty() ? "" : " and " + again)
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
    try (var client = new PlainClient(dialect, simulator.url() + "/" + dialect.provider)) {
      return client.ask(model, more).raw();
    }
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
            cases.add(new Case(++number, dialect, answer, at, way, continues, List.of()));
          }
        }
      }
      start = end;
    }
    // Behind the ending, where nothing can be missing any more.
    for (var way : ways) {
      cases.add(new Case(++number, dialect, answer, start, way, habits[0], List.of()));
    }
    return cases;
  }

  /** The same between events alone, each broken again at {@code places} of what comes next. */
  List<Case> twice(List<Case> cases, List<FaultPoint> places) {
    var twice = new ArrayList<Case>();
    for (var each : cases) {
      places.forEach(again -> twice.add(each.again(++number, List.of(again))));
    }
    return twice;
  }

  /** The same, broken at the same place at more attempts than there can be. */
  List<Case> always(List<Case> cases) {
    var always = new ArrayList<Case>();
    for (var each : cases) {
      always.add(each.again(++number, Collections.nCopies(9, FaultPoint.atByte(each.at()))));
    }
    return always;
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

  List<Result> run(Speaking client, List<Case> cases, String more, String recovery)
      throws Exception {
    return run(base -> new PlainClient(client, base), cases, _ -> more, recovery);
  }

  /**
   * Asks for all of them.
   *
   * @param more what an answer is asked for with, as {@link Client#ask} takes it
   * @param recovery a line of the configuration, or none
   */
  List<Result> run(
      Client.Kind client, List<Case> cases, Function<Answer, String> more, String recovery)
      throws Exception {
    var scripts = new LinkedHashMap<String, Script.Model>();
    var routes = new StringBuilder("models:\n");
    for (var each : cases) {
      scripts.put(each.model(), each.script());
      if (each.silent()) {
        // After a silence the next target comes first: one of another dialect.
        var other = each.target().next();
        var good = Step.answering(each.answer()).times(1000);
        scripts.put(other.model(each.number()), Script.Model.of(good).continuing(each.continues()));
        routes.append(
            "  \"%s\": { targets: [\"%s/%s\", \"%s/%s\"] }\n"
                .formatted(
                    each.asked(),
                    each.target().provider,
                    each.model(),
                    other.provider,
                    other.model(each.number())));
      }
    }
    simulator.script(new Script(scripts, Map.of(), false));
    simulator.clearLog();
    boolean silence = cases.stream().anyMatch(Case::silent);
    // Of its own for every run: a retry budget remembers the retries of the last one for longer
    // than
    // its requests.
    try (var patient = gateway("60s", recovery, "");
        var impatient = silence ? gateway(SILENCE, recovery, routes.toString()) : patient;
        var waiting = client.of(url(impatient));
        var working = client.of(url(patient));
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var waits = new Semaphore(SILENT_AT_ONCE, true);
      var works = new Semaphore(AT_ONCE, true);
      var running = new ArrayList<Future<Client.Answered>>();
      for (var each : cases) {
        var asked = each.silent() ? waiting : working;
        var permits = each.silent() ? waits : works;
        running.add(
            threads.submit(within(permits, asked, each.asked(), more.apply(each.answer()))));
      }
      return results(cases, running);
    }
  }

  private static String url(Gateway gateway) {
    return "http://127.0.0.1:" + gateway.port();
  }

  private static Callable<Client.Answered> within(
      Semaphore permits, Client client, String model, String more) {
    return () -> {
      permits.acquire();
      try {
        var answered = client.ask(model, more);
        while (answered.refused()) {
          CompletableFuture.runAsync(() -> {}, SHORTLY).join();
          answered = client.ask(model, more);
        }
        return answered;
      } finally {
        permits.release();
      }
    };
  }

  private List<Result> results(List<Case> cases, List<Future<Client.Answered>> running)
      throws Exception {
    var results = new ArrayList<Result>();
    for (int i = 0; i < cases.size(); i++) {
      try {
        var answered = running.get(i).get(60, TimeUnit.SECONDS);
        results.add(new Result(cases.get(i), answered.heard(), answered.raw(), unrecorded));
      } catch (TimeoutException e) {
        running.forEach(each -> each.cancel(true));
        throw new AssertionError("no end: " + cases.get(i), e);
      }
    }
    return results;
  }
}
