package dev.mainstay.gateway;

import dev.mainstay.call.Calls;
import dev.mainstay.http.Exchange;
import dev.mainstay.ledger.Recorder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** {@code /health/live}, {@code /health/ready} and {@code /metrics}. */
final class Health {
  private final Supplier<Generation> current;
  private final Calls calls;
  private final Recorder recorder;
  private final Metrics metrics;
  private final LongSupplier nanos;
  private volatile boolean draining;

  Health(
      Supplier<Generation> current,
      Calls calls,
      Recorder recorder,
      Metrics metrics,
      LongSupplier nanos) {
    this.current = current;
    this.calls = calls;
    this.recorder = recorder;
    this.metrics = metrics;
    this.nanos = nanos;
  }

  /** From now on not ready. */
  void drain() {
    draining = true;
  }

  boolean answers(String path) {
    return path.equals("/health/live")
        || path.equals("/health/ready")
        || path.equals("/health")
        || path.equals("/metrics");
  }

  void handle(Exchange exchange) {
    switch (exchange.path()) {
      case "/health/live" -> exchange.respond(200, "application/json", "{\"status\":\"live\"}");
      case "/metrics" ->
          exchange.respond(
              200,
              "text/plain; version=0.0.4; charset=utf-8",
              metrics.text(current.get(), calls.running(), recorder.health(), nanos.getAsLong()));
      default -> ready(exchange);
    }
  }

  private void ready(Exchange exchange) {
    var generation = current.get();
    boolean ready = !draining && !generation.config().providers().isEmpty();
    var body = new LinkedHashMap<String, Object>();
    body.put("status", ready ? "ready" : draining ? "draining" : "no provider has a key");
    body.put("calls", calls.running());
    var providers = new ArrayList<Object>();
    for (var pool : generation.upstreams().pools()) {
      var provider = new LinkedHashMap<String, Object>();
      provider.put("provider", pool.provider());
      provider.put("keys", pool.keys());
      provider.put("keys_set_aside", pool.setAside());
      provider.put("connections_busy", pool.busy());
      provider.put("connections_idle", pool.idle());
      providers.add(provider);
    }
    body.put("providers", providers);
    var health = recorder.health();
    var ledger = new LinkedHashMap<String, Object>();
    ledger.put("ok", health.ok());
    ledger.put("trouble", health.trouble());
    ledger.put("written", health.written());
    ledger.put("waiting", health.waiting());
    ledger.put("dropped_calls", health.droppedCalls());
    ledger.put("dropped_bodies", health.droppedBodies());
    body.put("ledger", ledger);
    exchange.respond(ready ? 200 : 503, "application/json", Json.of(body));
  }
}
