package dev.mainstay.gateway.health;

import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.engine.Generation;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** How the process stands now, for Prometheus: what is not counted but read at each scrape. */
final class ProcessGauges {
  private ProcessGauges() {}

  /**
   * Appends all of it.
   *
   * @param running calls under way
   * @param bounded the name under which a target is counted
   */
  static void append(
      StringBuilder out,
      Generation generation,
      int running,
      Recorder.Health ledger,
      @Nullable DurableState durable,
      long nowNanos,
      UnaryOperator<String> bounded) {
    MetricFamily.one(out, "mainstay_calls_running", "gauge", "Calls under way.", running);
    memory(out);
    var states = MetricFamily.gauge("mainstay_breaker_state", "0 closed, 1 half open, 2 open.");
    var busy = MetricFamily.gauge("mainstay_attempts_running", "Upstream requests under way.");
    for (var state : generation.guards().states(nowNanos)) {
      var target = bounded.apply(state.target().toString());
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
    MetricFamily.one(
        out, "mainstay_ledger_written_total", "counter", "Calls on disk.", ledger.written());
    MetricFamily.one(
        out, "mainstay_ledger_waiting", "gauge", "Calls not yet on disk.", ledger.waiting());
    MetricFamily.one(
        out,
        "mainstay_ledger_dropped_calls_total",
        "counter",
        "Calls that Mainstay could not record.",
        ledger.droppedCalls());
    MetricFamily.one(
        out,
        "mainstay_ledger_dropped_bodies_total",
        "counter",
        "Bodies that Mainstay could not record.",
        ledger.droppedBodies());
    MetricFamily.one(
        out,
        "mainstay_ledger_trouble",
        "gauge",
        "1 while Mainstay cannot write calls to the ledger.",
        ledger.ok() ? 0 : 1);
    if (durable != null) {
      MetricFamily.one(
          out,
          "mainstay_state_trouble",
          "gauge",
          "1 while Mainstay cannot write idempotency keys, budgets, alerts and kept calls.",
          durable.trouble() == null ? 0 : 1);
      MetricFamily.one(
          out,
          "mainstay_state_failed_total",
          "counter",
          "Failed operations on idempotency keys, budgets, alerts and kept calls.",
          durable.failed());
      kept(out, durable.kept());
    }
  }

  private static void memory(StringBuilder out) {
    var budget = MemoryBudget.process();
    MetricFamily.one(
        out,
        "mainstay_memory_limit_bytes",
        "gauge",
        "The most bytes of requests, answers and output that the process holds.",
        budget.limit());
    var held = MetricFamily.gauge("mainstay_memory_bytes", "Bytes held, by use.");
    var refused =
        MetricFamily.counter("mainstay_memory_refused", "Refused requests for memory, by use.");
    for (var use : MemoryBudget.Use.values()) {
      held.add(budget.used(use), "use", use.label());
      refused.add(budget.refused(use), "use", use.label());
    }
    held.append(out);
    refused.append(out);
  }

  private static void kept(StringBuilder out, DurableState.Kept kept) {
    MetricFamily.one(
        out,
        "mainstay_kept_bytes",
        "gauge",
        "Bytes of answers and requests kept to return or repeat.",
        kept.bytes());
    MetricFamily.one(
        out,
        "mainstay_kept_max_bytes",
        "gauge",
        "The bound of those bytes: store.max-kept.",
        kept.maxBytes());
    MetricFamily.one(
        out,
        "mainstay_kept_forgotten_total",
        "counter",
        "Kept answers deleted before their time to make room.",
        kept.forgotten());
    MetricFamily.one(
        out,
        "mainstay_kept_refused_total",
        "counter",
        "Durable calls refused because running calls and dead letters have reached store.max-kept.",
        kept.refused());
  }

  private static void pools(StringBuilder out, List<Upstreams.PoolState> pools) {
    var keys = MetricFamily.gauge("mainstay_keys", "Keys of a provider, by state.");
    var connections = MetricFamily.gauge("mainstay_connections", "Connections to a provider.");
    for (var pool : pools) {
      keys.add(pool.keys() - pool.setAside(), "provider", pool.provider(), "state", "in_use");
      keys.add(pool.setAside(), "provider", pool.provider(), "state", "set_aside");
      connections.add(pool.busy(), "provider", pool.provider(), "state", "busy");
      connections.add(pool.idle(), "provider", pool.provider(), "state", "idle");
    }
    keys.append(out);
    connections.append(out);
  }
}
