package dev.mainstay.agent.api;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.engine.CallFilters;
import dev.mainstay.http.CursorScope;
import dev.mainstay.http.QueryTimes;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.Measure;
import dev.mainstay.ledger.Range;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.run.RunStore;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which runs a list shows.
 *
 * @param scope what cursors of its pages belong to
 * @param after the place behind which the page begins, or null
 * @param kind agent or client; null for both
 * @param filter what the stores compare
 * @param call what one call of the run must be; empty lets all through
 * @param traits what only a run's summary tells
 */
record RunQuery(
    int limit,
    String scope,
    @Nullable Place after,
    @Nullable String kind,
    RunStore.Filter filter,
    Map<Field, String> call,
    Traits traits,
    @Nullable Instant from,
    @Nullable Instant to) {
  private static final int MOST = 1000;

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

  /** Of runs. */
  private static final List<String> KINDS = List.of("agent", "client");

  /** What one call of a run can be asked to be. */
  private static final Set<Field> CALL =
      EnumSet.of(Field.MODEL, Field.TARGET, Field.CLASS, Field.KIND, Field.RECOVERY);

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
    all.put("run", "only the run of this id");
    all.put("q", "as run");
    all.put(
        "kind",
        "agent: runs of Mainstay's agents; client: calls that a client grouped; or the kind of a"
            + " failure: only runs with a call whose verdict has it");
    all.put("model", "only runs with a call that requested this model");
    all.put("target", "only runs with a call that this provider/model answered");
    all.put("class", "only runs with a call whose verdict has this class");
    all.put("recovery", "only runs with a call that needed this recovery");
    all.putAll(Range.parameters(MEASURES, "runs"));
    return all;
  }

  /** What a run's summary must show; null, or empty, lets all through. */
  record Traits(
      @Nullable String status,
      @Nullable String label,
      @Nullable Boolean failed,
      Map<Measure, Range> ranges) {
    boolean includes(ObjectNode run) {
      var stands = run.path("status").asString();
      if (status != null && !status.equals(stands)) {
        return false;
      }
      if (failed != null && failed != FAILED.contains(stands)) {
        return false;
      }
      for (var each : ranges.entrySet()) {
        var value = run.path(each.getKey().wireName());
        if (!each.getValue().includes(value.isNumber() ? value.decimalValue() : null)) {
          return false;
        }
      }
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
  }

  /**
   * Reads a query string, whose parameters are known and given once.
   *
   * @throws Refused where it asks for what does not exist
   */
  static RunQuery of(String query, Caller caller) {
    var parameters = Decoded.parameters(query);
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
    boolean ofRun = kind != null && KINDS.contains(kind);
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
    var cursor = parameter(parameters, "cursor");
    var scope = scope(parameters);
    return new RunQuery(
        limit(parameters, 50, MOST),
        scope,
        cursor == null ? null : place(scope, cursor),
        ofRun ? kind : null,
        new RunStore.Filter(
            run(parameters),
            stored(status),
            outcome(status),
            parameter(parameters, "agent"),
            client,
            parameter(parameters, "parent"),
            parameter(parameters, "session")),
        call(parameters, ofRun),
        new Traits(
            status,
            parameter(parameters, "label"),
            failed == null ? null : (Boolean) failed.equals("true"),
            ranges(parameters)),
        from,
        to);
  }

  private static @Nullable String run(Map<String, List<String>> parameters) {
    var run = parameter(parameters, "run");
    var words = parameter(parameters, "q");
    if (run != null && words != null && !run.equals(words)) {
      throw new Refused(400, "invalid_request", "run and q must not name different runs.");
    }
    return run == null ? words : run;
  }

  /** What a call must be; a run and a call each have a kind. */
  private static Map<Field, String> call(Map<String, List<String>> parameters, boolean ofRun) {
    var call = new EnumMap<Field, String>(Field.class);
    for (var field : CALL) {
      var value = parameter(parameters, field.wireName());
      if (value == null || (field == Field.KIND && ofRun)) {
        continue;
      }
      var read = CallFilters.read(field, value);
      if (read == null) {
        var allowed = new ArrayList<>(field == Field.KIND ? KINDS : List.of());
        allowed.addAll(CallFilters.allowed(field));
        throw new Refused(
                400, "invalid_request", "%s is not %s.".formatted(field.wireName(), value))
            .allowing(allowed);
      }
      call.put(field, read);
    }
    return call;
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
   * @param most a larger limit is refused
   */
  static int limit(Map<String, List<String>> parameters, int otherwise, int most) {
    var value = parameter(parameters, "limit");
    if (value == null) {
      return otherwise;
    }
    int limit = value.matches("\\d{1,9}") ? Integer.parseInt(value) : 0;
    if (limit < 1 || limit > most) {
      throw new Refused(
              400, "invalid_request", "limit must be a whole number from 1 to %d.".formatted(most))
          .allowing(List.of("1 to " + most));
    }
    return limit;
  }

  private static @Nullable Instant time(
      Map<String, List<String>> parameters, String name, boolean end) {
    var text = parameter(parameters, name);
    if (text == null) {
      return null;
    }
    try {
      return QueryTimes.parse(text, end);
    } catch (DateTimeException e) {
      throw new Refused(
          400,
          "invalid_request",
          name
              + " is a day such as 2026-11-21 or a time such as 2026-11-21T12:00:00Z, of the years"
              + " 1970 to 9999.");
    }
  }

  private static String scope(Map<String, List<String>> parameters) {
    var given = new TreeMap<String, String>();
    for (var name : parameters.keySet()) {
      var value = parameter(parameters, name);
      if (value != null) {
        given.put(name, value);
      }
    }
    return CursorScope.of("runs", given);
  }

  private static Place place(String scope, String cursor) {
    try {
      return Place.of(scope, cursor);
    } catch (IllegalArgumentException e) {
      throw new Refused(
          400, "invalid_request", "not a cursor of this list with these filters: " + cursor);
    }
  }

  /** The cursor of the page that begins behind {@code place}. */
  String cursor(Place place) {
    return place.cursor(scope);
  }
}
