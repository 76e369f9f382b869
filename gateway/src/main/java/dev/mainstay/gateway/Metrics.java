package dev.mainstay.gateway;

import dev.mainstay.call.CallListener;
import dev.mainstay.call.Upstreams;
import dev.mainstay.gateway.telemetry.Operations;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts calls and attempts for Prometheus. Names are OpenTelemetry's for GenAI where there is one,
 * in Prometheus' spelling. Labels are bounded: a client may ask for any model, so that beyond
 * {@link #MOST_TARGETS} targets all others count as one. Thread-safe.
 */
final class Metrics implements CallListener {
  private static final int MOST_TARGETS = 500;
  private static final String OTHER = "other";

  /** The conventions' bounds for durations, in seconds. */
  private static final double[] SECONDS = {
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92
  };

  /** The conventions' bounds for the time to the first token, in seconds. */
  private static final double[] FIRST_TOKEN = {
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10
  };

  /** The conventions' bounds for tokens. */
  private static final double[] TOKENS = {
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864
  };

  private final Family calls =
      Family.counter("mainstay_calls", "Calls that have ended, by what the client got.");
  private final Family recoveries =
      Family.counter("mainstay_recoveries", "Calls that took this to be answered.");
  private final Family attempts =
      Family.counter("mainstay_attempts", "Upstream requests, by what came of them.");
  private final Family tokens =
      Family.counter("mainstay_tokens", "Tokens used, in disjoint buckets.");
  private final Family cost =
      Family.counter("mainstay_cost_nanodollars", "What attempts cost, where the price is known.");
  private final Family unpriced =
      Family.counter(
          "mainstay_attempts_without_price", "Attempts that used tokens whose price is unknown.");
  private final Family shared =
      Family.counter(
          "mainstay_requests_without_call", "Requests that needed no call of their own, by why.");
  private final Family alerts =
      Family.counter("mainstay_alert_deliveries", "Tries to deliver an alert to the webhook.");
  private final Family callSeconds =
      Family.histogram("gen_ai_server_request_duration_seconds", "Time of a call.", SECONDS);
  private final Family callFirst =
      Family.histogram(
          "gen_ai_server_time_to_first_token_seconds", "Time to the commit point.", FIRST_TOKEN);
  private final Family attemptSeconds =
      Family.histogram(
          "gen_ai_client_operation_duration_seconds", "Time of an upstream request.", SECONDS);
  private final Family attemptTokens =
      Family.histogram("gen_ai_client_token_usage", "Tokens of an upstream request.", TOKENS);
  private final List<Family> families =
      List.of(
          calls,
          recoveries,
          attempts,
          tokens,
          cost,
          unpriced,
          shared,
          alerts,
          callSeconds,
          callFirst,
          attemptSeconds,
          attemptTokens);
  private final LongAdder behind = new LongAdder();
  private final Set<String> targets = ConcurrentHashMap.newKeySet();

  @Override
  public void ended(CallRecord call, List<AttemptRecord> made) {
    var verdict = call.verdict();
    var operation = Operations.name(call.path());
    calls.add(1, "dialect", call.dialect(), "outcome", verdict == null ? "answered" : verdict);
    for (var how : call.recovery()) {
      recoveries.add(1, "recovery", how);
    }
    callSeconds.observe(
        seconds(call.total()), "gen_ai_operation_name", operation, "dialect", call.dialect());
    var firstToken = call.firstToken();
    if (firstToken != null) {
      callFirst.observe(
          seconds(firstToken), "gen_ai_operation_name", operation, "dialect", call.dialect());
    }
    for (var attempt : made) {
      attempt(attempt, operation);
    }
  }

  /**
   * A request needed no call of its own.
   *
   * @param how {@code joined}, {@code joined_retry}, {@code replayed} or {@code conflict}
   */
  void withoutCall(String how) {
    shared.add(1, "how", how);
  }

  /**
   * An alert was to be delivered.
   *
   * @param outcome {@code delivered}, {@code failed}, {@code given_up} or {@code error}
   */
  void alertTried(String outcome) {
    alerts.add(1, "outcome", outcome);
  }

  /** A request was refused because the process could not keep up. */
  void refusedBehind() {
    behind.increment();
  }

  private void attempt(AttemptRecord attempt, String operation) {
    var target = bounded(attempt.target());
    var verdict = attempt.verdict();
    attempts.add(
        1,
        "target",
        target,
        "outcome",
        verdict == null ? "answered" : verdict,
        "decision",
        attempt.decision());
    int slash = target.indexOf('/');
    var provider = slash < 0 ? target : target.substring(0, slash);
    var model = target.substring(slash + 1);
    attemptSeconds.observe(
        seconds(Duration.between(attempt.startedAt(), attempt.endedAt())),
        "gen_ai_operation_name",
        operation,
        "gen_ai_provider_name",
        provider,
        "gen_ai_request_model",
        model,
        "error_type",
        verdict == null ? "" : verdict);
    var used = attempt.tokens();
    if (used == null) {
      return;
    }
    tokens.add(used.input(), "target", target, "type", "input");
    tokens.add(used.cachedInput(), "target", target, "type", "cached_input");
    tokens.add(used.cacheWrite(), "target", target, "type", "cache_write");
    tokens.add(used.output(), "target", target, "type", "output");
    tokens.add(used.reasoning(), "target", target, "type", "reasoning");
    usage(
        operation, provider, model, "input", used.input() + used.cachedInput() + used.cacheWrite());
    usage(operation, provider, model, "output", used.output() + used.reasoning());
    var nanos = attempt.costNanos();
    if (nanos == null) {
      unpriced.add(1, "target", target);
    } else {
      cost.add(nanos, "target", target);
    }
  }

  private void usage(String operation, String provider, String model, String type, long count) {
    attemptTokens.observe(
        (double) count,
        "gen_ai_operation_name",
        operation,
        "gen_ai_provider_name",
        provider,
        "gen_ai_request_model",
        model,
        "gen_ai_token_type",
        type);
  }

  private String bounded(String target) {
    if (targets.contains(target)) {
      return target;
    }
    if (targets.size() >= MOST_TARGETS) {
      return OTHER;
    }
    targets.add(target);
    return target;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  /** All of it, in Prometheus' text format. */
  String text(
      Generation generation,
      int running,
      Recorder.Health ledger,
      @Nullable DurableState durable,
      long nowNanos) {
    var out = new StringBuilder(8192);
    families.forEach(family -> family.append(out));
    one(out, "mainstay_calls_running", "gauge", "Calls under way.", running);
    one(
        out,
        "mainstay_refused_behind_total",
        "counter",
        "Requests refused because this process could not keep up.",
        behind.sum());
    var states = Family.gauge("mainstay_breaker_state", "0 closed, 1 half open, 2 open.");
    var busy = Family.gauge("mainstay_attempts_running", "Upstream requests under way.");
    for (var state : generation.guards().states(nowNanos)) {
      var target = bounded(state.target().toString());
      states.add(
          switch (state.breaker().state()) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
          },
          "target",
          target);
      busy.add(state.busy(), "target", target);
    }
    states.append(out);
    busy.append(out);
    pools(out, generation.upstreams().pools());
    one(out, "mainstay_ledger_written_total", "counter", "Calls on disk.", ledger.written());
    one(out, "mainstay_ledger_waiting", "gauge", "Calls not yet on disk.", ledger.waiting());
    one(
        out,
        "mainstay_ledger_dropped_calls_total",
        "counter",
        "Calls of which nothing was kept.",
        ledger.droppedCalls());
    one(
        out,
        "mainstay_ledger_dropped_bodies_total",
        "counter",
        "Bodies given up on.",
        ledger.droppedBodies());
    one(
        out,
        "mainstay_ledger_trouble",
        "gauge",
        "1 while calls cannot be written.",
        ledger.ok() ? 0 : 1);
    if (durable != null) {
      one(
          out,
          "mainstay_state_trouble",
          "gauge",
          "1 while keys, budgets, alerts and kept calls cannot be written.",
          durable.trouble() == null ? 0 : 1);
      one(
          out,
          "mainstay_state_failed_total",
          "counter",
          "Operations on that state that failed.",
          durable.failed());
      kept(out, durable.kept());
    }
    return out.toString();
  }

  private static void kept(StringBuilder out, DurableState.Kept kept) {
    one(
        out,
        "mainstay_kept_bytes",
        "gauge",
        "What is kept to be given or made again.",
        kept.bytes());
    one(
        out,
        "mainstay_kept_max_bytes",
        "gauge",
        "What that may take: store.max-kept.",
        kept.maxBytes());
    one(
        out,
        "mainstay_kept_forgotten_total",
        "counter",
        "Answers forgotten before their time to make room.",
        kept.forgotten());
    one(
        out,
        "mainstay_kept_refused_total",
        "counter",
        "Calls that must not be lost, refused because those that are owed fill the room.",
        kept.refused());
  }

  private static void pools(StringBuilder out, List<Upstreams.PoolState> pools) {
    var keys = Family.gauge("mainstay_keys", "Keys of a provider, by how they stand.");
    var connections = Family.gauge("mainstay_connections", "Connections to a provider.");
    for (var pool : pools) {
      keys.add(pool.keys() - pool.setAside(), "provider", pool.provider(), "state", "in_use");
      keys.add(pool.setAside(), "provider", pool.provider(), "state", "set_aside");
      connections.add(pool.busy(), "provider", pool.provider(), "state", "busy");
      connections.add(pool.idle(), "provider", pool.provider(), "state", "idle");
    }
    keys.append(out);
    connections.append(out);
  }

  private static void one(StringBuilder out, String name, String type, String help, long value) {
    Family.head(out, name, type, help);
    out.append(name).append(' ').append(value).append('\n');
  }

  /** All series of one name. Their number is bounded by whoever gives the labels. */
  private static final class Family {
    private final String name;
    private final String type;
    private final String help;
    private final double[] bounds;
    private final ConcurrentHashMap<Labels, Series> series = new ConcurrentHashMap<>();

    private Family(String name, String type, String help, double[] bounds) {
      this.name = name;
      this.type = type;
      this.help = help;
      this.bounds = bounds;
    }

    static Family counter(String name, String help) {
      return new Family(name + "_total", "counter", help, new double[0]);
    }

    static Family gauge(String name, String help) {
      return new Family(name, "gauge", help, new double[0]);
    }

    static Family histogram(String name, String help, double[] bounds) {
      return new Family(name, "histogram", help, bounds);
    }

    /** Adds to the series of these labels, names and values in turn; 0 makes none. */
    void add(long count, String... labels) {
      if (count != 0 || type.equals("gauge")) {
        of(labels).buckets[0].add(count);
      }
    }

    void observe(double value, String... labels) {
      of(labels).observe(value, bounds);
    }

    private Series of(String... labels) {
      var key = new Labels(labels);
      var known = series.get(key);
      return known != null
          ? known
          : series.computeIfAbsent(key, all -> new Series(bounds.length + 1));
    }

    static void head(StringBuilder out, String name, String type, String help) {
      out.append("# HELP ").append(name).append(' ').append(help).append('\n');
      out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    void append(StringBuilder out) {
      if (series.isEmpty()) {
        return;
      }
      head(out, name, type, help);
      series.entrySet().stream()
          .map(each -> Map.entry(each.getKey().text(), each.getValue()))
          .sorted(Map.Entry.comparingByKey())
          .forEach(
              each -> {
                if (bounds.length == 0) {
                  out.append(name).append('{').append(each.getKey()).append("} ");
                  out.append(each.getValue().buckets[0].sum()).append('\n');
                } else {
                  each.getValue().append(out, name, each.getKey(), bounds);
                }
              });
    }
  }

  /**
   * Names and values in turn. They become text when somebody asks for it: a call is counted in a
   * dozen series, and to write out their labels each time cost more than the counting.
   */
  private static final class Labels {
    private final String[] namesAndValues;
    private final int hash;

    Labels(String[] namesAndValues) {
      this.namesAndValues = namesAndValues;
      int all = 0;
      for (int i = 1; i < namesAndValues.length; i += 2) {
        all = all * 31 + namesAndValues[i].hashCode();
      }
      hash = all;
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Labels labels
          && hash == labels.hash
          && Arrays.equals(namesAndValues, labels.namesAndValues);
    }

    String text() {
      var text = new StringBuilder(96);
      for (int i = 0; i < namesAndValues.length; i += 2) {
        text.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
        escape(text, namesAndValues[i + 1]);
        text.append('"');
      }
      return text.toString();
    }

    private static void escape(StringBuilder out, String value) {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        switch (c) {
          case '\\' -> out.append("\\\\");
          case '"' -> out.append("\\\"");
          case '\n' -> out.append("\\n");
          default -> out.append(c);
        }
      }
    }
  }

  /** One series: a count, or one a bucket with their sum. */
  private static final class Series {
    private final LongAdder[] buckets;
    private final DoubleAdder sum = new DoubleAdder();

    Series(int count) {
      buckets = new LongAdder[count];
      for (int i = 0; i < count; i++) {
        buckets[i] = new LongAdder();
      }
    }

    void observe(double value, double[] bounds) {
      int i = 0;
      while (i < bounds.length && value > bounds[i]) {
        i++;
      }
      buckets[i].increment();
      sum.add(value);
    }

    void append(StringBuilder out, String name, String labels, double[] bounds) {
      long total = 0;
      for (int i = 0; i < buckets.length; i++) {
        total += buckets[i].sum();
        out.append(name).append("_bucket{").append(labels).append(",le=\"");
        out.append(i < bounds.length ? bound(bounds[i]) : "+Inf");
        out.append("\"} ").append(total).append('\n');
      }
      out.append(name).append("_sum{").append(labels).append("} ").append(sum.sum()).append('\n');
      out.append(name).append("_count{").append(labels).append("} ").append(total).append('\n');
    }

    private static String bound(double value) {
      return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
  }
}
