package dev.mainstay.agent.api;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.record.JournalSteps;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.agent.replay.RunDiff;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.wire.json.Tree;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /api/runs}: starts, shows and drives runs. Thread-safe. */
public final class RunsApi implements Routes {
  private static final Logger LOG = LoggerFactory.getLogger(RunsApi.class);
  private static final String RUNS = "/api/runs";

  private final RunStore store;
  private final RunReader own;
  private final ClientRunReports reports;
  private final ClientRuns clients;
  private final RunList list;
  private final RunReplays replays;
  private final RunStarts starts;
  private final RunDecisions decisions;
  private final BiPredicate<String, String> allowed;

  /**
   * @param reader the calls on record
   * @param redactor what is taken out of reports before they are kept
   * @param allowed whether a client, by its name, may start and drive an agent, by its name
   */
  public RunsApi(
      AgentRuntime runtime,
      DurableState state,
      LedgerReader reader,
      Redactor redactor,
      InstantSource clock,
      BiPredicate<String, String> allowed) {
    this.allowed = allowed;
    store = state.runs();
    own = new RunReader(store);
    reports = new ClientRunReports(state.runReports(), redactor, clock);
    clients = new ClientRuns(reader, reports, clock);
    replays = new RunReplays(runtime, own, reader);
    list = new RunList(store, own, clients, reports, this::sees);
    starts = new RunStarts(runtime, own, allowed);
    decisions = new RunDecisions(runtime, own, store, clock);
  }

  /** A request, as far as all routes read it. */
  private record Request(
      boolean post, List<String> path, byte[] body, @Nullable String key, String query) {
    String at(int place) {
      return place < path.size() ? path.get(place) : "";
    }
  }

  @Override
  public List<Described> described() {
    return RunOperations.all(RUNS);
  }

  @Override
  public Map<Type, Map<String, Object>> schemas() {
    return Map.of(JournalEntry.class, EventSchema.of());
  }

  @Override
  public boolean covers(String path) {
    return path.equals(RUNS) || path.startsWith(RUNS + "/");
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    boolean post = exchange.method().equals("POST");
    List<String> path;
    try {
      path = segments(exchange.path().substring(RUNS.length()));
    } catch (Refused e) {
      respond(exchange, e.reply());
      return;
    }
    var request =
        new Request(
            post,
            path,
            post ? exchange.takeBody() : new byte[0],
            exchange.headers().get("idempotency-key"),
            exchange.query());
    if (!post && request.at(1).equals("events")) {
      new EventStream(exchange, store, request.at(0), run -> sees(run, caller)).start();
      return;
    }
    exchange
        .loop()
        .blocking(
            () -> reply(request, caller),
            (reply, thrown) -> respond(exchange, reply == null ? failed(exchange, thrown) : reply));
  }

  private static List<String> segments(String rest) {
    return rest.isEmpty()
        ? List.of()
        : List.of(rest.substring(1).split("/", -1)).stream().map(Decoded::segment).toList();
  }

  private Reply reply(Request request, Caller caller) {
    var id = request.at(0);
    if (id.isEmpty()) {
      return request.post()
          ? starts.start(request.body(), request.key(), caller)
          : list.list(request.query(), caller);
    }
    if (!request.post() && request.at(1).equals("diff")) {
      return new Reply(200, RunDiff.of(side(id, caller), side(request.at(2), caller)));
    }
    var run = own.find(id);
    if (run != null && !sees(run, caller)) {
      throw Reply.unknown(id);
    }
    return run == null ? ofClient(id, request, caller) : ofAgent(run, request, caller);
  }

  private RunDiff.Side side(String id, Caller caller) {
    var run = own.find(id);
    if (run != null && sees(run, caller)) {
      return new RunDiff.Side(id, JournalSteps.of(own.load(run).entries()));
    }
    var of = run == null ? clients.find(id, caller.client()) : null;
    if (of == null) {
      throw Reply.unknown(id);
    }
    return new RunDiff.Side(id, clients.read(of).steps());
  }

  /** A client sees its own runs of the agents that it is allowed, and no others. */
  private boolean sees(RunStore.Run run, Caller caller) {
    var client = caller.client();
    return client == null
        || (run.origin().client().equals(client) && allowed.test(client, run.origin().agent()));
  }

  private Reply ofAgent(RunStore.Run run, Request request, Caller caller) {
    var action = request.at(1);
    if (request.post()) {
      if (decisions.takes(action)) {
        return decisions.decide(run, action, request.body(), request.key(), caller);
      }
      if (action.equals("replay")) {
        return replays.replay(own.load(run), request.body(), request.key());
      }
      if (action.equals("events")) {
        throw new Refused(
            409, "own_run", "Mainstay executes this run and writes its events itself.");
      }
      throw nothing();
    }
    return switch (action) {
      case "" -> new Reply(200, RunJson.whole(own.load(run)));
      case "steps" -> steps(run.id(), JournalSteps.of(own.load(run).entries()), request.query());
      case "memory" -> memory(run, request.query());
      default -> throw nothing();
    };
  }

  private Reply ofClient(String id, Request request, Caller caller) {
    var run = clients.find(id, caller.client());
    var action = request.at(1);
    if (request.post() && action.equals("events")) {
      var client = caller.client() == null ? "" : caller.client();
      return reports.report(run == null ? new CallRun.Id(client, id) : run.id(), request.body());
    }
    if (run == null) {
      throw Reply.unknown(id);
    }
    if (request.post()) {
      throw new Refused(
          409,
          "client_run",
          "The client's own agent executes this run. Mainstay cannot control it.");
    }
    return switch (action) {
      case "" -> new Reply(200, clients.whole(run));
      case "steps" -> steps(id, clients.read(run).steps(), request.query());
      case "memory" -> RunPages.page(id, "memory", reports.memory(run.id()), request.query());
      default -> throw nothing();
    };
  }

  /** An agent of Mainstay has one memory: the transcript after each round of tools. */
  private Reply memory(RunStore.Run run, String query) {
    var snapshot = Tree.object().put("id", "transcript");
    var transcript = snapshot.putArray("memory");
    own.load(run).state().transcript().forEach(message -> transcript.add(message.json()));
    return RunPages.page(run.id(), "memory", List.of(snapshot), query);
  }

  private static Reply steps(String run, List<RunStep> steps, String query) {
    return RunPages.page(run, "steps", steps.stream().map(RunStep::json).toList(), query);
  }

  static Reply nothingHere() {
    throw nothing();
  }

  static Refused nothing() {
    return new Refused(404, "unknown_url", "This path does not exist.");
  }

  static void respond(Exchange exchange, Reply reply) {
    var headers = new DefaultHttpHeaders().set("content-type", "application/json");
    if (reply.status() == 503) {
      // A full queue or a store that is away: the same request may do in a second.
      headers.set("retry-after", "1").set("retry-after-ms", "1000").set("x-should-retry", "true");
    }
    var body = Unpooled.copiedBuffer(Tree.write(reply.body()), StandardCharsets.UTF_8);
    exchange.respond(reply.status(), headers, body);
  }

  static Reply failed(Exchange exchange, @Nullable Throwable thrown) {
    var cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    if (cause instanceof Refused refused) {
      return refused.reply();
    }
    for (var each = cause; each != null; each = each.getCause()) {
      if (each instanceof LedgerException) {
        // Health says so as well, and the log once: pages ask again each second.
        return Reply.error(503, "store_unavailable", String.valueOf(each.getMessage()));
      }
    }
    LOG.error("Mainstay could not answer {}", exchange.path(), cause);
    return Reply.error(
        500, "internal", "Mainstay could not answer. The gateway's log gives the reason.");
  }
}
