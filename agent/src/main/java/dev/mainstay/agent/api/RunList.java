package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.Measure;
import dev.mainstay.ledger.Range;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.wire.json.Tree;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code GET /api/runs}: runs of Mainstay's agents and of clients' agents in one list, the newest
 * first. Blocks on the stores. Thread-safe.
 */
final class RunList {
  private static final int MOST = 1000;
  private static final String LIST = "runs";

  /** Runs that one request looks at; a page may be short, its cursor goes on. */
  private static final int MOST_SEEN = 5000;

  private static final Set<String> STATUSES =
      Set.of(
          "queued",
          "running",
          "waiting",
          "completed",
          "failed",
          "cancelled",
          "dead_letter",
          "in_doubt");

  private static final Set<String> FAILED = Set.of("failed", "dead_letter");

  private static final Set<Measure> MEASURES =
      Collections.unmodifiableSet(
          EnumSet.of(
              Measure.TURNS,
              Measure.STEPS,
              Measure.ATTEMPTS,
              Measure.TOKENS,
              Measure.COST_USD,
              Measure.TOTAL_MS));

  /** Of the query, with what each is. */
  static final Map<String, String> PARAMETERS = parameters();

  private static Map<String, String> parameters() {
    var all = new TreeMap<String, String>();
    all.put("limit", "runs per page, 1 to 1000; default 50");
    all.put("cursor", "next of the previous page; a page may be short");
    all.put("agent", "only runs of this agent");
    all.put("status", "only runs of this status");
    all.put("from", "only runs accepted at this time or later: a day or an instant");
    all.put("to", "only runs accepted before this time: an instant, or a day (its end)");
    all.put("client", "only runs of this client");
    all.put("label", "only runs with this label: NAME or NAME=VALUE");
    all.put("session", "only runs of this session");
    all.put("parent", "only runs that this run started");
    all.put("failed", "true: only runs that failed or are dead letters; false: only others");
    all.put("q", "only the run of this id");
    all.put("kind", "agent: runs of Mainstay's agents; client: calls that a client grouped");
    all.putAll(Range.parameters(MEASURES, "runs"));
    return all;
  }

  private final RunStore store;
  private final RunReader own;
  private final @Nullable ClientRuns clients;
  private final BiPredicate<Run, Caller> sees;

  RunList(
      RunStore store, RunReader own, @Nullable ClientRuns clients, BiPredicate<Run, Caller> sees) {
    this.store = store;
    this.own = own;
    this.clients = clients;
    this.sees = sees;
  }

  /** What is asked for. */
  private record Selection(
      int limit,
      @Nullable String status,
      @Nullable String kind,
      @Nullable String label,
      @Nullable Boolean failed,
      @Nullable String id,
      Map<Measure, Range> ranges,
      RunStore.Filter filter,
      @Nullable Instant from,
      @Nullable Instant to) {}

  /** A run of either kind at its place in the list. */
  private record Row(
      Place place, @Nullable Run own, @Nullable CallRun client, @Nullable JsonNode end) {}

  Reply list(String query, Caller caller) {
    var parameters = new QueryStringDecoder("?" + query).parameters();
    var asked = asked(parameters, caller);
    var cursor = parameter(parameters, "cursor");
    var rows = new Rows(asked, cursor == null ? null : place(cursor));
    var json = Tree.object();
    var list = json.putArray("runs");
    int seen = 0;
    var last = rows.next();
    Row shown = null;
    while (last != null && list.size() < asked.limit() && seen < MOST_SEEN) {
      var summary = summary(last, caller);
      if (summary != null && fits(summary, asked)) {
        list.add(summary);
      }
      seen++;
      shown = last;
      last = rows.next();
    }
    json.put("next", last == null || shown == null ? null : shown.place().cursor(LIST));
    return new Reply(200, json);
  }

  private @Nullable ObjectNode summary(Row row, Caller caller) {
    var run = row.own();
    if (run != null) {
      return sees.test(run, caller) ? own.summary(run) : null;
    }
    var of = row.client();
    if (of == null || clients == null) {
      return null;
    }
    // What a tool of a run calls under the run's own id belongs to that run.
    return of.id().run().startsWith("run_") && own.find(of.id().run()) != null
        ? null
        : clients.summary(of, row.end());
  }

  private static boolean fits(ObjectNode run, Selection asked) {
    var status = run.path("status").asString();
    if (asked.status() != null && !asked.status().equals(status)) {
      return false;
    }
    if (asked.failed() != null && asked.failed() != FAILED.contains(status)) {
      return false;
    }
    if (asked.id() != null && !asked.id().equals(run.path("run").asString())) {
      return false;
    }
    for (var each : asked.ranges().entrySet()) {
      var value = run.path(each.getKey().wireName());
      if (!each.getValue().includes(value.isNumber() ? value.decimalValue() : null)) {
        return false;
      }
    }
    var label = asked.label();
    if (label == null) {
      return true;
    }
    int equals = label.indexOf('=');
    var name = equals < 0 ? label : label.substring(0, equals);
    var value = run.path("labels").path(name);
    return equals < 0
        ? !value.isMissingNode()
        : value.asString("").equals(label.substring(equals + 1)) && !value.isMissingNode();
  }

  /** Both sources, merged by time. */
  private final class Rows {
    private static final int AT_ONCE = 100;
    private final Selection asked;
    private final ArrayDeque<Row> runs = new ArrayDeque<>();
    private final ArrayDeque<Row> calls = new ArrayDeque<>();
    private @Nullable Place runsAfter;
    private @Nullable Place callsAfter;
    private boolean moreRuns;
    private boolean moreCalls;

    Rows(Selection asked, @Nullable Place after) {
      this.asked = asked;
      runsAfter = after;
      callsAfter = after;
      moreRuns = !"client".equals(asked.kind());
      var filter = asked.filter();
      moreCalls =
          clients != null
              && !"agent".equals(asked.kind())
              && filter.agent() == null
              && filter.session() == null
              && asked.label() == null;
    }

    @Nullable Row next() {
      if (runs.isEmpty() && moreRuns) {
        readRuns();
      }
      if (calls.isEmpty() && moreCalls) {
        readCalls();
      }
      var a = runs.peek();
      var b = calls.peek();
      if (a == null || b == null) {
        return a == null ? calls.poll() : runs.poll();
      }
      int order = a.place().at().compareTo(b.place().at());
      return order > 0 || (order == 0 && a.place().run().compareTo(b.place().run()) >= 0)
          ? runs.poll()
          : calls.poll();
    }

    private void readRuns() {
      var page =
          join(
              store.list(
                  new RunStore.Query(
                      AT_ONCE, runsAfter, asked.filter(), asked.from(), asked.to())));
      page.forEach(
          run -> runs.add(new Row(new Place(run.acceptedAt(), run.id()), run, null, null)));
      moreRuns = page.size() == AT_ONCE;
      runsAfter = page.isEmpty() ? runsAfter : runs.getLast().place();
    }

    private void readCalls() {
      if (clients == null) {
        return;
      }
      var filter = asked.filter();
      var page =
          clients.list(
              new CallRun.Query(
                  AT_ONCE,
                  callsAfter,
                  null,
                  filter.client(),
                  filter.parent(),
                  asked.from(),
                  asked.to()));
      var ends = clients.ends(page.stream().map(CallRun::id).toList());
      page.forEach(
          run ->
              calls.add(
                  new Row(
                      new Place(run.firstAt(), run.id().run()), null, run, ends.get(run.id()))));
      moreCalls = page.size() == AT_ONCE;
      callsAfter = page.isEmpty() ? callsAfter : calls.getLast().place();
    }
  }

  // ---- parameters

  private static Selection asked(Map<String, List<String>> parameters, Caller caller) {
    for (var given : parameters.entrySet()) {
      var name = given.getKey();
      if (given.getValue().size() > 1) {
        throw new Refused(
            400,
            "invalid_request",
            "%s is given %d times, not once.".formatted(name, given.getValue().size()));
      }
      if (!PARAMETERS.containsKey(name)) {
        throw new Refused(
                400,
                "unknown_parameter",
                "There is no parameter %s. Parameters: %s."
                    .formatted(name, String.join(", ", PARAMETERS.keySet())))
            .allowing(PARAMETERS.keySet());
      }
    }
    var status = parameter(parameters, "status");
    if (status != null && !STATUSES.contains(status)) {
      throw new Refused(
              400,
              "invalid_request",
              "status must be one of "
                  + String.join(", ", STATUSES.stream().sorted().toList())
                  + ".")
          .allowing(STATUSES.stream().sorted().toList());
    }
    var kind = parameter(parameters, "kind");
    if (kind != null && !kind.equals("agent") && !kind.equals("client")) {
      throw new Refused(400, "invalid_request", "kind must be agent or client.")
          .allowing(List.of("agent", "client"));
    }
    var failed = parameter(parameters, "failed");
    if (failed != null && !failed.equals("true") && !failed.equals("false")) {
      throw new Refused(400, "invalid_request", "failed must be true or false.")
          .allowing(List.of("true", "false"));
    }
    var from = time(parameters, "from", false);
    var to = time(parameters, "to", true);
    if (from != null && to != null && !to.isAfter(from)) {
      throw new Refused(400, "invalid_request", "to is not after from.");
    }
    var client = parameter(parameters, "client");
    if (caller.client() != null) {
      if (client != null && !client.equals(caller.client())) {
        throw new Refused(
            403, "client_not_allowed", "A client's key shows the runs of that client alone.");
      }
      client = caller.client();
    }
    return new Selection(
        limit(parameters, 50, MOST),
        status,
        kind,
        parameter(parameters, "label"),
        failed == null ? null : (Boolean) failed.equals("true"),
        parameter(parameters, "q"),
        ranges(parameters),
        new RunStore.Filter(
            stored(status),
            outcome(status),
            parameter(parameters, "agent"),
            client,
            parameter(parameters, "parent"),
            parameter(parameters, "session")),
        from,
        to);
  }

  private static Map<Measure, Range> ranges(Map<String, List<String>> parameters) {
    try {
      return Range.of(MEASURES, name -> parameter(parameters, name));
    } catch (IllegalArgumentException e) {
      throw new Refused(400, "invalid_request", e.getMessage() + ".");
    }
  }

  private static RunStore.@Nullable Status stored(@Nullable String status) {
    return switch (status) {
      case null -> null;
      case "queued" -> RunStore.Status.QUEUED;
      case "running" -> RunStore.Status.RUNNING;
      case "waiting", "in_doubt" -> RunStore.Status.PARKED;
      default -> RunStore.Status.ENDED;
    };
  }

  private static @Nullable String outcome(@Nullable String status) {
    return stored(status) == RunStore.Status.ENDED ? status : null;
  }

  static @Nullable String parameter(Map<String, List<String>> parameters, String name) {
    var values = parameters.get(name);
    return values == null || values.getFirst().isEmpty() ? null : values.getFirst();
  }

  /**
   * The rows that a page may have.
   *
   * @param most a larger limit is this one
   */
  static int limit(Map<String, List<String>> parameters, int otherwise, int most) {
    var value = parameter(parameters, "limit");
    if (value == null) {
      return otherwise;
    }
    if (!value.matches("0*[1-9]\\d{0,6}")) {
      throw new Refused(
          400, "invalid_request", "limit must be a whole number from 1 to %d.".formatted(most));
    }
    return Math.clamp(Integer.parseInt(value), 1, most);
  }

  private static @Nullable Instant time(
      Map<String, List<String>> parameters, String name, boolean end) {
    var text = parameter(parameters, name);
    if (text == null) {
      return null;
    }
    try {
      if (text.length() == 10) {
        var day = LocalDate.parse(text);
        return (end ? day.plusDays(1) : day).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new Refused(
          400,
          "invalid_request",
          name + " is a day such as 2026-11-21 or a time such as 2026-11-21T12:00:00Z.");
    }
  }

  private static Place place(String cursor) {
    try {
      return Place.of(LIST, cursor);
    } catch (IllegalArgumentException e) {
      throw new Refused(400, "invalid_request", "not a cursor: " + cursor);
    }
  }
}
