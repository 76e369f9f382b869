package dev.mainstay.app.selftest;

import dev.mainstay.config.Config;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /api/selftest}: plays the fault catalogue against the routes in the configuration's file,
 * one self-test at a time, and shows how far it is and what came of the last one.
 */
public final class SelftestRoutes implements Routes, AutoCloseable {
  private static final String PATH = "/api/selftest";
  private static final JsonMapper JSON = JsonMapper.shared();

  private final Supplier<Config> config;
  private final @Nullable Path file;
  private @Nullable SelftestRun last;

  /**
   * @param config in force
   * @param file it comes from; null where it comes from the environment
   */
  public SelftestRoutes(Supplier<Config> config, @Nullable Path file) {
    this.config = config;
    this.file = file;
  }

  /** What to test: a model of the configuration, a fault by its name, and whether it stays. */
  record NewSelftest(@Nullable String route, @Nullable String fault, @Nullable Boolean lasting) {}

  /**
   * The last self-test.
   *
   * @param state {@code none}, {@code running}, {@code done} or {@code failed}; {@code none} alone
   *     has no other field
   * @param done trials that have ended
   * @param results how many ended how
   */
  record Selftest(
      String state,
      @Optional Instant startedAt,
      @Optional @Nullable Instant endedAt,
      @Optional String by,
      @Optional int trials,
      @Optional int done,
      @Optional @Nullable String error,
      @Optional Map<String, Integer> results,
      @Optional List<SelftestOutcome> outcomes) {}

  /**
   * How one trial ended.
   *
   * @param protect the setting that would have avoided the error, or null
   */
  record SelftestOutcome(
      @Flat TrialCase tried, @Flat TrialResult result, @Nullable String protect) {}

  /** What one trial tries. */
  record TrialCase(String route, String fault, String kind, boolean lasting) {}

  /** What its client got. */
  record TrialResult(
      String result,
      int status,
      @Nullable String error,
      int attempts,
      long tookMs,
      List<String> recovery) {}

  @Override
  public boolean covers(String path) {
    return path.equals(PATH);
  }

  @Override
  public Role needs(String method, String path) {
    return method.equals("GET") ? Role.VIEWER : Role.OPERATOR;
  }

  @Override
  public List<Described> described() {
    return List.of(
        new Described("GET", PATH, "showSelftest", "Progress and results of the last self-test")
            .gives(200, Selftest.class),
        new Described(
                "POST",
                PATH,
                "startSelftest",
                "Tries the fault catalogue on these routes with simulated providers, one self-test"
                    + " at a time; route, fault and lasting select as on the command line")
            .takes(NewSelftest.class)
            .gives(202, Selftest.class));
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    if (!exchange.method().equals("POST")) {
      respond(exchange, 200, shown());
      return;
    }
    var body = exchange.takeBody();
    exchange
        .loop()
        .blocking(
            () -> start(body, caller.name()),
            (answer, thrown) -> {
              if (answer == null) {
                refuse(exchange, 500, "error", "the self-test could not be started");
              } else {
                respond(exchange, answer.status(), answer.body());
              }
            });
  }

  private record Answer(int status, ObjectNode body) {
    static Answer refused(int status, String code, String message, List<String> allowed) {
      var error = JSON.createObjectNode().put("code", code).put("message", message);
      var list = error.putArray("allowed");
      allowed.forEach(list::add);
      var body = JSON.createObjectNode();
      body.set("error", error);
      return new Answer(status, body);
    }
  }

  private synchronized ObjectNode shown() {
    return last == null ? JSON.createObjectNode().put("state", "none") : last.shown();
  }

  private synchronized Answer start(byte[] body, String by) throws IOException {
    if (last != null && last.running()) {
      return Answer.refused(
          409, "already_running", "a self-test is already running: GET shows it", List.of());
    }
    var asked = body.length == 0 ? JSON.createObjectNode() : JSON.readTree(body);
    var route = asked.path("route").asString("");
    var fault = asked.path("fault").asString("");
    boolean lasting = asked.path("lasting").asBoolean(false);
    var routes = TestedRoute.of(config.get());
    if (!route.isEmpty() && routes.stream().noneMatch(each -> each.model().equals(route))) {
      return invalid(
          "no route is called " + route, routes.stream().map(TestedRoute::model).toList());
    }
    var trials =
        routes.stream()
            .filter(each -> route.isEmpty() || each.model().equals(route))
            .flatMap(each -> Trial.of(each, lasting).stream())
            .map(each -> each.fault().name())
            .toList();
    long count = trials.stream().filter(each -> fault.isEmpty() || each.equals(fault)).count();
    if (count == 0) {
      return invalid(
          fault.isEmpty() ? "there is no route to test" : "no fault here is called " + fault,
          trials.stream().distinct().sorted().toList());
    }
    last = SelftestRun.start((int) count, options(route, fault, lasting), by);
    return new Answer(202, last.shown());
  }

  private List<String> options(String route, String fault, boolean lasting) {
    var options = new ArrayList<String>();
    if (file != null) {
      options.addAll(List.of("--config", file.toString()));
    }
    if (!route.isEmpty()) {
      options.add("--route=" + route);
    }
    if (!fault.isEmpty()) {
      options.add("--fault=" + fault);
    }
    if (lasting) {
      options.add("--lasting");
    }
    return options;
  }

  private static Answer invalid(String message, List<String> allowed) {
    return Answer.refused(400, "invalid_request", message, allowed);
  }

  private static void respond(Exchange exchange, int status, ObjectNode body) {
    exchange.respond(status, "application/json", body.toString());
  }

  private static void refuse(Exchange exchange, int status, String code, String message) {
    respond(exchange, status, Answer.refused(status, code, message, List.of()).body());
  }

  /** Ends a self-test that is under way. */
  @Override
  public synchronized void close() {
    if (last != null) {
      last.stop();
    }
  }
}
