package dev.mainstay.gateway.health;

import dev.mainstay.call.api.CallListener;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.Generation;
import dev.mainstay.gateway.telemetry.Operations;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts calls and attempts for Prometheus. Names are OpenTelemetry's for GenAI where there is one,
 * in Prometheus' spelling. A client may ask for any model, so that beyond {@link #MOST_TARGETS}
 * targets all others count as one; {@link MetricFamily} bounds what there is of each name.
 * Thread-safe.
 */
public final class Metrics implements CallListener {
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

  private final MetricFamily calls =
      MetricFamily.counter("mainstay_calls", "Ended calls, by their outcome.");
  private final MetricFamily recoveries =
      MetricFamily.counter("mainstay_recoveries", "Calls that needed this recovery.");
  private final MetricFamily attempts =
      MetricFamily.counter("mainstay_attempts", "Upstream requests, by their outcome.");
  private final MetricFamily tokens =
      MetricFamily.counter("mainstay_tokens", "Tokens used, in disjoint buckets.");
  private final MetricFamily cost =
      MetricFamily.counter("mainstay_cost_nanodollars", "Cost of attempts whose price is known.");
  private final MetricFamily unpriced =
      MetricFamily.counter(
          "mainstay_attempts_without_price", "Attempts that used tokens whose price is unknown.");
  private final MetricFamily shared =
      MetricFamily.counter(
          "mainstay_requests_without_call",
          "Requests that needed no call of their own, by reason.");
  private final MetricFamily refusals =
      MetricFamily.counter(
          "mainstay_refusals", "Requests that Mainstay refused before any attempt, by client.");
  private final MetricFamily alerts =
      MetricFamily.counter(
          "mainstay_alert_deliveries", "Attempts to deliver an alert, by outcome.");
  private final MetricFamily callSeconds =
      MetricFamily.histogram("gen_ai_server_request_duration_seconds", "Time of a call.", SECONDS);
  private final MetricFamily callFirst =
      MetricFamily.histogram(
          "gen_ai_server_time_to_first_token_seconds", "Time to the commit point.", FIRST_TOKEN);
  private final MetricFamily attemptSeconds =
      MetricFamily.histogram(
          "gen_ai_client_operation_duration_seconds", "Time of an upstream request.", SECONDS);
  private final MetricFamily attemptTokens =
      MetricFamily.histogram("gen_ai_client_token_usage", "Tokens of an upstream request.", TOKENS);
  private final List<MetricFamily> families =
      List.of(
          calls,
          recoveries,
          attempts,
          tokens,
          cost,
          unpriced,
          shared,
          refusals,
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
  public void withoutCall(String how) {
    shared.add(1, "how", how);
  }

  /** A request was refused before any attempt. */
  public void refused(CallRecord call, CallRefusal refusal) {
    refusals.add(
        1,
        "client",
        call.client() == null ? "" : call.client(),
        "status",
        Integer.toString(call.status()),
        "reason",
        refusal.code());
  }

  /**
   * An alert was to be delivered.
   *
   * @param outcome {@code delivered}, {@code failed}, {@code given_up} or {@code error}
   */
  public void alertTried(String outcome) {
    alerts.add(1, "outcome", outcome);
  }

  /** A request was refused because the process could not keep up. */
  public void refusedBehind() {
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
    MetricFamily.one(
        out,
        "mainstay_refused_behind_total",
        "counter",
        "Requests refused because this process could not keep up.",
        behind.sum());
    ProcessGauges.append(out, generation, running, ledger, durable, nowNanos, this::bounded);
    return out.toString();
  }
}
