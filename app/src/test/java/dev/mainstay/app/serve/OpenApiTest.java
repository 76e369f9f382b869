package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.ledger.state.FailureCases;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every operation of the OpenAPI description, carried out on a gateway: its status is one that is
 * described, and its JSON has each field that is described and no other.
 */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class OpenApiTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Set<String> driven = new TreeSet<>();
  private ApiDescription described;

  /** Two agents more: one that waits for a person, and one whose tool hangs up. */
  private static String agents(int port) {
    return """
      asks:
        model: other
        instructions: "Ask first."
        tools: [ { %s, approval: true } ]
      doubts:
        model: other
        instructions: "Pay."
        tools: [ { %1$s } ]
    recovery: { preset: off }
    """
        .formatted(
            ("name: pay, description: \"Pays.\", parameters: { type: object },"
                    + " http: { method: POST, url: \"http://127.0.0.1:%d/\" }")
                .formatted(port));
  }

  @Test
  void everyOperationAnswersAsItIsDescribed() throws Exception {
    var tool = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    tool.createContext("/", exchange -> exchange.close());
    tool.start();
    try (var server =
            new RunsServer(directory.resolve("open"), agents(tool.getAddress().getPort()));
        var guarded = new RunsServer(directory.resolve("guarded"), "admin: { token: t0ken }")) {
      described = new ApiDescription(server.get("/api/openapi.json").json());
      try (var live = live(server)) {
        runs(server);
        live(live);
      }
      decisions(server);
      deadLetters(server);
      calls(server);
      keptCalls(server);
      rest(server, guarded);
    } finally {
      tool.stop(0);
    }
    assertThat(driven).isEqualTo(described.operations());
  }

  private void runs(RunsServer server) throws Exception {
    server.refundScript();
    var start = "{\"agent\":\"refunds\",\"input\":\"Refund order 7.\",\"labels\":{\"a\":\"b\"}}";
    var run =
        ask(server, 202, "POST", "/api/runs", "/api/runs", start, "idempotency-key", "k")
            .path("run")
            .asString();
    ask(server, 200, "POST", "/api/runs", "/api/runs", start, "idempotency-key", "k");
    server.await(run, "completed");
    get(server, "/api/runs", "/api/runs?limit=1");
    var one = "/api/runs/{run}";
    var path = "/api/runs/" + run;
    get(server, one, path);
    get(server, one + "/steps", path + "/steps");
    get(server, one + "/memory", path + "/memory");
    get(server, one + "/events", path + "/events");
    assertThat(server.events(run, null))
        .contains("event: run.accepted", "event: turn.ended", "event: step.planned");
    long entries = server.events(run, null).lines().filter(line -> line.startsWith("id: ")).count();
    ask(server, 204, "GET", one + "/events", path + "/events", "", "last-event-id", "" + entries);
    var verify =
        ask(server, 200, "POST", one + "/replay", path + "/replay", "{\"mode\":\"verify\"}");
    assertThat(verify.path("equal").asBoolean()).isTrue();
    var differs = "{\"mode\":\"verify\",\"set\":{\"instructions\":\"Other.\"}}";
    ask(server, 200, "POST", one + "/replay", path + "/replay", differs);
    var fork = "{\"from_step\":3}";
    var forked =
        ask(server, 202, "POST", one + "/replay", path + "/replay", fork, "idempotency-key", "f")
            .path("run")
            .asString();
    ask(server, 200, "POST", one + "/replay", path + "/replay", fork, "idempotency-key", "f");
    server.await(forked, "completed");
    get(server, one + "/diff/{other}", path + "/diff/" + forked);
    var event = "{\"type\":\"memory\",\"id\":\"m\",\"memory\":{\"a\":1}}";
    ask(server, 202, "POST", one + "/events", "/api/runs/job/events", event);
    ask(server, 200, "POST", one + "/events", "/api/runs/job/events", event);
  }

  private void decisions(RunsServer server) throws Exception {
    var doubtful = started(server, "doubts", "in_doubt");
    decide(server, doubtful, "resolve", "{\"step\":2,\"happened\":true,\"result\":{\"a\":1}}");
    server.await(doubtful, "completed");
    var waits = started(server, "asks", "waiting");
    get(server, "/api/runs/{run}", "/api/runs/" + waits);
    decide(server, waits, "approve", "{\"step\":2,\"approved\":false}");
    server.await(waits, "completed");
    var other = started(server, "asks", "waiting");
    decide(server, other, "extend", "{\"budget\":{\"tokens\":1000}}");
    decide(server, other, "message", "{\"text\":\"Hurry.\"}");
    decide(server, other, "pause", "");
    decide(server, other, "resume", "{\"because\":\"lunch is over\"}");
    decide(server, other, "cancel", "{}");
  }

  private static String started(RunsServer server, String agent, String status) throws Exception {
    server.script(
        """
        models:
          one/gpt-4o-mini:
            script: [ { answer: { tool-calls: [ { name: pay, arguments: '{}' } ] } }, { answer: "Done." } ]
        """);
    var body = "{\"agent\":\"%s\",\"input\":\"x\"}".formatted(agent);
    var run = server.post("/api/runs", body).json().path("run").asString();
    server.await(run, status);
    return run;
  }

  private void decide(RunsServer server, String run, String what, String body) throws Exception {
    ask(server, 202, "POST", "/api/runs/{run}/" + what, "/api/runs/" + run + "/" + what, body);
  }

  private void deadLetters(RunsServer server) throws Exception {
    var error = "openai-server-error";
    server.script("models: { one/gpt-4o: [ %s, %s, %s ] }".formatted(error, error, error));
    var one = "/api/dead-letters/{id}";
    var dead = new ArrayList<String>();
    for (int i = 0; i < 2; i++) {
      dead.add(server.start(null));
      server.await(dead.getLast(), "dead_letter");
    }
    get(server, "/api/dead-letters", "/api/dead-letters");
    get(server, one, "/api/dead-letters/" + dead.getFirst());
    var letters = "/api/dead-letters/";
    ask(server, 200, "POST", one + "/discard", letters + dead.getFirst() + "/discard", "");
    var again =
        ask(server, 202, "POST", one + "/redrive", letters + dead.getLast() + "/redrive", "");
    server.await(again.path("run").asString(), "dead_letter");
    get(server, one, letters + dead.getLast());
    // The gateway's own cases are written a moment after their calls.
    var words = new FailureCases.Failure("a.rule", "LOGIC/bad_request", "one/m", "is wrong", "");
    var seen = FailureCases.Occurrences.once(Instant.EPOCH, "call_1");
    server
        .ledger()
        .state()
        .failureCases()
        .seen(List.of(new FailureCases.Case("case_1", words, seen, null)))
        .toCompletableFuture()
        .join();
    assertThat(get(server, "/api/failures", "/api/failures").path("failures")).isNotEmpty();
    var failure = "/api/failures/case_1";
    var template = "/api/failures/{id}";
    ask(server, 200, "POST", template + "/notes", failure + "/notes", "{\"text\":\"Again.\"}");
    ask(server, 200, "POST", template + "/close", failure + "/close", "");
    ask(server, 200, "POST", template + "/open", failure + "/open", "");
    get(server, template, failure);
  }

  /** Calls that Mainstay keeps for their clients: answered, and given up on. */
  private void keptCalls(RunsServer server) throws Exception {
    var error = "openai-server-error";
    server.script(
        "models: { one/gpt-4o: { script: [ { answer: \"Hello.\" }, %s, %s, %s ] } }"
            .formatted(error, error, error));
    var one = "/api/calls/{id}";
    var answered = "/api/calls/" + kept(server);
    // The next call gets the next answer.
    while (!get(server, one, answered).path("state").asString().equals("answered")) {
      server.flush();
    }
    var dead = List.of(kept(server), kept(server));
    for (var id : dead) {
      var letter = "/api/dead-letters/" + id;
      while (send(server, "GET", letter, "").statusCode() != 200) {
        server.flush();
      }
      get(server, "/api/dead-letters/{id}", letter);
      get(server, one, "/api/calls/" + id);
    }
    get(server, "/api/dead-letters", "/api/dead-letters?kind=call");
    var discard = "/api/dead-letters/{id}/discard";
    ask(server, 200, "POST", discard, discard.replace("{id}", dead.getFirst()), "");
    var redrive = "/api/dead-letters/{id}/redrive";
    ask(server, 202, "POST", redrive, redrive.replace("{id}", dead.getLast()), "");
  }

  /** The id of a call whose client does not wait for it. */
  private String kept(RunsServer server) throws Exception {
    var chat = "{\"model\":\"assistant\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    var key = "Bearer " + RunsServer.TEAM;
    var headers = new String[] {"authorization", key, "prefer", "respond-async"};
    var accepted = send(server, "POST", "/v1/chat/completions", chat, headers);
    assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
    return accepted.headers().firstValue("x-mainstay-call").orElseThrow();
  }

  private void calls(RunsServer server) throws Exception {
    server.script("models: { one/gpt-4o: [ { answer: \"Hello.\" }, { answer: \"Hi.\" } ] }");
    var chat = "{\"model\":\"assistant\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    var asked =
        send(
            server,
            "POST",
            "/v1/chat/completions",
            chat,
            "authorization",
            "Bearer " + RunsServer.TEAM);
    var id = asked.headers().firstValue("x-mainstay-call").orElseThrow();
    server.flush();
    get(server, "/api/calls", "/api/calls?limit=2");
    var one = "/api/calls/{id}";
    var path = "/api/calls/" + id;
    get(server, one, path);
    var failed = get(server, "/api/calls", "/api/calls?failed=true").at("/calls/0/id").asString();
    get(server, one, "/api/calls/" + failed);
    get(server, one + "/bodies/{attempt}/{part}", path + "/bodies/0/request");
    var replay = "{\"set\":{\"temperature\":0.1}}";
    var again =
        ask(server, 200, "POST", "/api/calls/{call}/replay", path + "/replay", replay)
            .path("call")
            .asString();
    server.flush();
    get(server, "/api/calls/{call}/diff/{other}", path + "/diff/" + again);
    var evaluation = "{\"call\":\"%s\",\"metrics\":{\"right\":1}}".formatted(id);
    ask(server, 201, "POST", "/api/evaluations", "/api/evaluations", evaluation);
    get(server, "/api/evaluations", "/api/evaluations");
    for (var by : List.of("all", "model", "client", "target", "kind", "agent")) {
      get(server, "/api/stats", "/api/stats?by=" + by);
    }
    for (var by : List.of("model", "client", "run", "agent", "day")) {
      get(server, "/api/costs", "/api/costs?by=" + by);
    }
    get(server, "/api/costs", "/api/costs?format=csv");
    get(server, "/api/search", "/api/search?q=hello");
    get(server, "/api/search", "/api/search?q=" + id);
  }

  private void rest(RunsServer server, RunsServer guarded) throws Exception {
    for (var list :
        List.of("alerts", "audit", "breakers", "budgets", "config", "prices", "providers")) {
      get(server, "/api/" + list, "/api/" + list);
    }
    get(server, "/api/openapi.json", "/api/openapi.json");
    get(server, "/api/config/schema", "/api/config/schema");
    var reset = "/api/breakers/{target}/reset";
    ask(server, 200, "POST", reset, "/api/breakers/one%2Fgpt-4o/reset", "");
    var failures = "{\"id\":7,\"status\":429}\n[1]\n";
    var said = ask(server, 200, "POST", "/api/classify", "/api/classify", failures);
    assertThat(said).isEmpty();
    get(server, "/api/session", "/api/session");
    ask(server, 200, "DELETE", "/api/session", "/api/session", "");
    ask(guarded, 200, "POST", "/api/session", "/api/session", "{\"token\":\"t0ken\"}");
    get(server, "/api/selftest", "/api/selftest");
    ask(server, 202, "POST", "/api/selftest", "/api/selftest", "{\"route\":\"assistant\"}");
    get(server, "/api/selftest", "/api/selftest");
  }

  private BufferedReader live(RunsServer server) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(server.url() + "/api/live")).build();
    var body = http.send(request, BodyHandlers.ofInputStream()).body();
    return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /** Reads on until each sort of event has come. */
  private void live(BufferedReader lines) throws Exception {
    driven.add("GET /api/live");
    var missing = new HashSet<>(Set.of("call.started", "call.attempted", "call.ended", "run"));
    while (!missing.isEmpty()) {
      var line = Objects.requireNonNull(lines.readLine());
      if (line.startsWith("event: ")) {
        missing.remove(line.substring("event: ".length()));
      } else if (line.startsWith("data: ")) {
        described.fits("GET", "/api/live", 200, "text/event-stream", line);
      }
    }
  }

  // ---- one operation

  private JsonNode get(RunsServer server, String template, String path) throws Exception {
    return ask(server, 200, "GET", template, path, "");
  }

  /** Asks, holds the answer against its description, and gives its JSON. */
  private JsonNode ask(
      RunsServer server,
      int status,
      String method,
      String template,
      String path,
      String body,
      String... headers)
      throws Exception {
    driven.add(method + " " + template);
    var answer = send(server, method, path, body, headers);
    var where = "%s %s: %s".formatted(method, path, answer.body());
    assertThat(answer.statusCode()).as(where).isEqualTo(status);
    var type = answer.headers().firstValue("content-type").orElse("").replaceAll(";.*", "");
    described.fits(method, template, status, type, answer.body());
    return type.equals("application/json") ? JSON.readTree(answer.body()) : JSON.createObjectNode();
  }

  private HttpResponse<String> send(
      RunsServer server, String method, String path, String body, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .method(method, BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
