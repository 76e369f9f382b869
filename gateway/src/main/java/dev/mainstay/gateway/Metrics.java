package dev.mainstay.gateway;

import dev.mainstay.call.CallListener;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts calls and attempts and writes them in Prometheus' text format. Labels are targets, kinds
 * and decisions, so that their number is bounded by the configuration. Thread-safe.
 */
final class Metrics implements CallListener {
  /** Upper bounds in milliseconds; after the GenAI conventions' buckets for durations. */
  private static final long[] BOUNDS = {
    10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 40960, 81920
  };

  private final ConcurrentSkipListMap<String, LongAdder> counters = new ConcurrentSkipListMap<>();
  private final ConcurrentSkipListMap<String, Histogram> histograms = new ConcurrentSkipListMap<>();

  @Override
  public void ended(CallRecord call, List<AttemptRecord> attempts) {
    var outcome = call.verdict() == null ? "answered" : call.verdict();
    add("mainstay_calls_total{dialect=\"" + call.dialect() + "\",outcome=\"" + outcome + "\"}", 1);
    for (var how : call.recovery()) {
      add("mainstay_recoveries_total{recovery=\"" + how + "\"}", 1);
    }
    observe("gen_ai_server_request_duration_seconds", call.dialect(), call.total());
    var firstToken = call.firstToken();
    if (firstToken != null) {
      observe("gen_ai_server_time_to_first_token_seconds", call.dialect(), firstToken);
    }
    for (var attempt : attempts) {
      var what = attempt.verdict() == null ? "answered" : attempt.verdict();
      add(
          "mainstay_attempts_total{target=\""
              + escaped(attempt.target())
              + "\",outcome=\""
              + what
              + "\",decision=\""
              + attempt.decision()
              + "\"}",
          1);
      var tokens = attempt.tokens();
      if (tokens != null) {
        tokens(attempt.target(), "input", tokens.input());
        tokens(attempt.target(), "cached_input", tokens.cachedInput());
        tokens(attempt.target(), "cache_write", tokens.cacheWrite());
        tokens(attempt.target(), "output", tokens.output());
        tokens(attempt.target(), "reasoning", tokens.reasoning());
      }
    }
  }

  private void tokens(String target, String type, long count) {
    if (count > 0) {
      add(
          "gen_ai_client_tokens_total{target=\""
              + escaped(target)
              + "\",gen_ai_token_type=\""
              + type
              + "\"}",
          count);
    }
  }

  private void add(String series, long count) {
    counters.computeIfAbsent(series, key -> new LongAdder()).add(count);
  }

  private void observe(String name, String dialect, Duration duration) {
    histograms
        .computeIfAbsent(name + "|dialect=\"" + dialect + "\"", key -> new Histogram())
        .add(duration.toMillis());
  }

  String text(Generation generation, int running, Recorder.Health ledger, long nowNanos) {
    var out = new StringBuilder(4096);
    counters.forEach((series, count) -> out.append(series).append(' ').append(count).append('\n'));
    histograms.forEach((series, histogram) -> histogram.append(out, series));
    out.append("mainstay_calls_running ").append(running).append('\n');
    for (var state : generation.guards().states(nowNanos)) {
      var label = "{target=\"" + escaped(state.target().toString()) + "\"} ";
      int open =
          switch (state.breaker().state()) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
          };
      out.append("mainstay_breaker_state").append(label).append(open).append('\n');
      out.append("mainstay_attempts_running").append(label).append(state.busy()).append('\n');
    }
    out.append("mainstay_ledger_written_total ").append(ledger.written()).append('\n');
    out.append("mainstay_ledger_waiting ").append(ledger.waiting()).append('\n');
    out.append("mainstay_ledger_dropped_calls_total ").append(ledger.droppedCalls()).append('\n');
    out.append("mainstay_ledger_dropped_bodies_total ").append(ledger.droppedBodies()).append('\n');
    return out.toString();
  }

  private static String escaped(String label) {
    return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static final class Histogram {
    private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
    private final LongAdder sum = new LongAdder();

    Histogram() {
      for (int i = 0; i < buckets.length; i++) {
        buckets[i] = new LongAdder();
      }
    }

    void add(long millis) {
      int i = 0;
      while (i < BOUNDS.length && millis > BOUNDS[i]) {
        i++;
      }
      buckets[i].increment();
      sum.add(millis);
    }

    void append(StringBuilder out, String series) {
      int split = series.indexOf('|');
      var name = series.substring(0, split);
      var labels = series.substring(split + 1);
      long total = 0;
      for (int i = 0; i < buckets.length; i++) {
        total += buckets[i].sum();
        out.append(name).append("_bucket{").append(labels).append(",le=\"");
        out.append(i < BOUNDS.length ? String.valueOf(BOUNDS[i] / 1000.0) : "+Inf");
        out.append("\"} ").append(total).append('\n');
      }
      out.append(name).append("_count{").append(labels).append("} ").append(total).append('\n');
      out.append(name).append("_sum{").append(labels).append("} ");
      out.append(sum.sum() / 1000.0).append('\n');
    }
  }
}
