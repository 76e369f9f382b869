package dev.mainstay.agent.api;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.AgentRuntime.Submitted;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Posted;
import dev.mainstay.wire.json.Tree;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** {@code /api/runs}: starts, shows and drives runs. INTERFACE.md section 7. Thread-safe. */
public final class RunsApi implements Routes {
  private static final Logger LOG = LoggerFactory.getLogger(RunsApi.class);
  private static final String RUNS = "/api/runs";
  private static final int PAGE = 1000;

  /** What a person may say to a run. */
  private static final Set<String> MESSAGES =
      Set.of("cancel", "approve", "resolve", "pause", "resume", "extend", "message");

  private final AgentRuntime runtime;
  private final RunStore store;
  private final InstantSource clock;
  private final BiPredicate<String, String> allowed;

  /**
   * @param allowed whether a client, by its name, may start and drive an agent, by its name
   */
  public RunsApi(
      AgentRuntime runtime,
      RunStore store,
      InstantSource clock,
      BiPredicate<String, String> allowed) {
    this.allowed = allowed;
    this.runtime = runtime;
    this.store = store;
    this.clock = clock;
  }

  /** An answer. */
  private record Reply(int status, JsonNode body) {}

  /** A request that cannot be served, with what the caller is told. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int status;
    final String code;

    Refused(int status, String code, String message) {
      super(message, null, false, false);
      this.status = status;
      this.code = code;
    }
  }

  @Override
  public boolean covers(String path) {
    return path.equals(RUNS) || path.startsWith(RUNS + "/");
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    var path = exchange.path();
    boolean post = exchange.method().equals("POST");
    var parts = path.substring(RUNS.length()).split("/", -1);
    var id = parts.length > 1 ? parts[1] : "";
    var action = parts.length > 2 ? parts[2] : "";
    byte[] body = post ? exchange.takeBody() : new byte[0];
    if (!post && action.equals("events")) {
      new EventStream(exchange, store, id, run -> sees(run, caller)).start();
      return;
    }
    var key = exchange.headers().get("idempotency-key");
    exchange
        .loop()
        .blocking(
            () -> reply(post, id, action, body, key, exchange.query(), caller),
            (reply, thrown) -> {
              if (reply != null) {
                respond(exchange, reply);
              } else {
                failed(exchange, thrown);
              }
            });
  }

  private Reply reply(
      boolean post,
      String id,
      String action,
      byte[] body,
      @Nullable String key,
      String query,
      Caller caller) {
    if (id.isEmpty()) {
      return post ? start(body, key, caller) : list(query, caller);
    }
    if (!sees(run(id), caller)) {
      throw unknown(id);
    }
    if (action.isEmpty() && !post) {
      return show(id);
    }
    if (post && MESSAGES.contains(action)) {
      return message(id, action, body, caller);
    }
    throw new Refused(404, "unknown_url", "nothing is offered at this path");
  }

  private static void respond(Exchange exchange, Reply reply) {
    exchange.respond(reply.status(), "application/json", Tree.write(reply.body()));
  }

  private static void failed(Exchange exchange, @Nullable Throwable thrown) {
    var cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    if (cause instanceof Refused refused) {
      respond(exchange, error(refused.status, refused.code, String.valueOf(refused.getMessage())));
    } else {
      LOG.error("{} could not be answered", exchange.path(), cause);
      respond(
          exchange,
          error(503, "store_unavailable", "The store did not answer. The gateway's log says why."));
    }
  }

  private static Reply error(int status, String code, String message) {
    var json = Tree.object();
    json.putObject("error").put("code", code).put("message", message);
    return new Reply(status, json);
  }

  // ---- start

  private Reply start(byte[] body, @Nullable String key, Caller caller) {
    var json = object(body);
    var agent = Tree.text(json, "agent");
    var input = json.path("input");
    if (agent.isEmpty()) {
      throw new Refused(400, "missing_agent", "The field agent is missing: the agent's name.");
    }
    if (!input.isString()) {
      throw new Refused(400, "missing_input", "The field input is missing: a text.");
    }
    if (caller.client() != null && !allowed.test(caller.client(), agent)) {
      throw new Refused(403, "agent_not_allowed", "This client may not start this agent.");
    }
    var labels = new LinkedHashMap<String, String>();
    for (var label : json.path("labels").properties()) {
      labels.put(label.getKey(), label.getValue().asString());
    }
    var request =
        new JournalEntry.RunRequest(
            agent,
            input.stringValue(),
            List.of(),
            caller.client() == null ? "" : caller.client(),
            json.path("session").stringValue(null),
            Math.clamp(json.path("priority").asInt(0), 0, 9),
            labels,
            json.path("notify").stringValue(null));
    return switch (join(runtime.submit(request, key, hash(body)))) {
      case Submitted.Accepted accepted ->
          new Reply(
              accepted.fresh() ? 202 : 200,
              Tree.object().put("run", accepted.run()).put("status", status(accepted.run())));
      case Submitted.OtherRequest _ ->
          throw new Refused(
              409,
              "idempotency_key_reused",
              "This idempotency key was used for another request. A new request needs a new key.");
      case Submitted.NoAgent none ->
          throw new Refused(
              404,
              "unknown_agent",
              "There is no agent named %s. Agents: %s."
                  .formatted(agent, String.join(", ", none.agents())));
      case Submitted.Full full ->
          throw new Refused(
              503, "queue_full", "%d runs wait already. Try again later.".formatted(full.queued()));
    };
  }

  private String status(String run) {
    var found = join(store.find(run));
    return found.isEmpty() ? "queued" : RunJson.summary(found.getFirst()).get("status").asString();
  }

  private static JsonNode object(byte[] body) {
    try {
      var json = Tree.read(body, 0, body.length);
      if (json.isObject()) {
        return json;
      }
    } catch (JacksonException e) {
      // Told below, without the body's own text.
    }
    throw new Refused(400, "invalid_json", "The body is not a JSON object.");
  }

  private static String hash(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  // ---- show

  private Reply list(String query, Caller caller) {
    var parameters = new QueryStringDecoder("?" + query).parameters();
    int limit = Math.clamp(number(parameters, "limit", 50), 1, PAGE);
    var runs =
        join(
            store.list(
                RunStore.Query.newest(
                    limit,
                    new RunStore.Filter(
                        null,
                        null,
                        parameter(parameters, "agent"),
                        caller.client(),
                        parameter(parameters, "parent"),
                        parameter(parameters, "session")))));
    var json = Tree.object();
    var list = json.putArray("runs");
    for (var run : runs) {
      if (sees(run, caller)) {
        list.add(RunJson.summary(run));
      }
    }
    json.put("next", runs.size() < limit ? null : runs.getLast().id());
    return new Reply(200, json);
  }

  private static @Nullable String parameter(Map<String, List<String>> parameters, String name) {
    var values = parameters.get(name);
    return values == null ? null : values.getFirst();
  }

  private static int number(Map<String, List<String>> parameters, String name, int otherwise) {
    var value = parameter(parameters, name);
    if (value == null) {
      return otherwise;
    }
    if (!value.matches("\\d{1,6}")) {
      throw new Refused(400, "invalid_parameter", name + " is not a whole number: " + value);
    }
    return Integer.parseInt(value);
  }

  private Reply show(String id) {
    var run = run(id);
    var state = new RunState();
    var entries = new ArrayList<JournalEntry>();
    long after = 0;
    while (true) {
      var page = join(store.read(id, after, PAGE));
      for (var stored : page) {
        var entry = JournalJson.read(stored.entry());
        entries.add(entry);
        state.apply(entry);
        after = stored.sequence();
      }
      if (page.size() < PAGE) {
        break;
      }
    }
    return new Reply(200, RunJson.whole(run, state));
  }

  private RunStore.Run run(String id) {
    var found = join(store.find(id));
    if (found.isEmpty()) {
      throw unknown(id);
    }
    return found.getFirst();
  }

  private static Refused unknown(String id) {
    return new Refused(404, "unknown_run", "There is no run " + id + ".");
  }

  /** A client sees its own runs of the agents that it is allowed, and no others. */
  private boolean sees(RunStore.Run run, Caller caller) {
    var client = caller.client();
    return client == null || (run.client().equals(client) && allowed.test(client, run.agent()));
  }

  // ---- drive

  private Reply message(String id, String kind, byte[] body, Caller caller) {
    var json = body.length == 0 ? Tree.object() : object(body);
    var about = about(kind, json);
    var by = caller.client() == null ? "operator" : caller.client();
    var content = Tree.write(json).getBytes(StandardCharsets.UTF_8);
    var posted =
        kind.equals("cancel")
            ? runtime.cancel(id, content, by)
            : store.post(id, kind, about, content, by, clock.instant());
    return switch (join(posted)) {
      case Posted.Taken taken -> new Reply(202, Tree.object().put("number", taken.number()));
      case Posted.DecidedBefore before ->
          throw new Refused(
              409,
              "decided_before",
              "%s decided this before, at %s: %s"
                  .formatted(
                      before.decision().by(),
                      before.decision().at(),
                      new String(before.decision().content(), StandardCharsets.UTF_8)));
      case Posted.NoRun _ ->
          throw new Refused(
              409, "run_ended", "There is no run " + id + " under way: it has ended or never was.");
    };
  }

  /** A run has one decision about each matter. */
  private static @Nullable String about(String kind, JsonNode json) {
    return switch (kind) {
      case "approve", "resolve" -> {
        var step = json.path("step");
        if (!step.isInt()) {
          throw new Refused(400, "missing_step", "The field step is missing: the step's number.");
        }
        var needed = kind.equals("approve") ? "approved" : "happened";
        if (!json.path(needed).isBoolean()) {
          throw new Refused(
              400, "missing_" + needed, "The field " + needed + " is missing: true or false.");
        }
        yield kind.equals("approve") ? step.asString() : kind + ":" + step.asString();
      }
      case "cancel" -> kind;
      default -> null;
    };
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
