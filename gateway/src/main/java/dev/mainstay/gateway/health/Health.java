package dev.mainstay.gateway.health;

import dev.mainstay.call.Calls;
import dev.mainstay.engine.Generation;
import dev.mainstay.gateway.alert.ServiceLevelMonitor;
import dev.mainstay.gateway.api.ApiAnswers;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.BuildVersion;
import dev.mainstay.gateway.api.HealthLevel;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.gateway.api.TargetBreaker;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /health/live}, {@code /health/ready}, {@code /health}, which says more, and {@code
 * /metrics}.
 */
public final class Health {
  private final Supplier<Generation> current;
  private final Calls calls;
  private final Recorder recorder;
  private final @Nullable DurableState state;
  private final Metrics metrics;
  private final ServiceLevelMonitor service;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private volatile boolean draining;

  public Health(
      Supplier<Generation> current,
      Calls calls,
      Recorder recorder,
      @Nullable DurableState state,
      Metrics metrics,
      ServiceLevelMonitor service,
      InstantSource clock,
      LongSupplier nanos) {
    this.service = service;
    this.clock = clock;
    this.current = current;
    this.calls = calls;
    this.recorder = recorder;
    this.state = state;
    this.metrics = metrics;
    this.nanos = nanos;
  }

  /** From now on not ready. */
  public void drain() {
    draining = true;
  }

  /** Whether new calls are to go elsewhere. */
  public boolean draining() {
    return draining;
  }

  public boolean answers(String path) {
    return path.equals("/health/live")
        || path.equals("/health/ready")
        || path.equals("/health")
        || path.equals("/metrics");
  }

  public void handle(Exchange exchange) {
    if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
      ApiAnswers.refuse(exchange, ApiException.notAllowed(List.of("GET", "HEAD")));
      return;
    }
    switch (exchange.path()) {
      case "/health/live" -> exchange.respond(200, "application/json", "{\"status\":\"live\"}");
      case "/metrics" ->
          exchange.respond(
              200,
              "text/plain; version=0.0.4; charset=utf-8",
              metrics.text(
                  current.get(), calls.running(), recorder.health(), state, nanos.getAsLong()));
      default -> ready(exchange, exchange.path().equals("/health"));
    }
  }

  private void ready(Exchange exchange, boolean detail) {
    var generation = current.get();
    boolean ready = !draining && !generation.config().providers().isEmpty();
    var body = new LinkedHashMap<String, Object>();
    if (detail) {
      var level = level(generation);
      body.put("version", BuildVersion.get());
      body.put("time", clock.instant().toString());
      body.put("level", level.level());
      body.put("reason", level.reason());
    }
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
      if (detail) {
        provider.put("pool", keys(generation, pool.provider()));
        provider.put("targets", targets(generation, pool.provider()));
      }
      providers.add(provider);
    }
    body.put("providers", providers);
    body.put("memory", memory());
    var health = recorder.health();
    var ledger = new LinkedHashMap<String, Object>();
    ledger.put("ok", health.ok());
    ledger.put("trouble", health.trouble());
    ledger.put("written", health.written());
    ledger.put("waiting", health.waiting());
    ledger.put("dropped_calls", health.droppedCalls());
    ledger.put("dropped_bodies", health.droppedBodies());
    body.put("ledger", ledger);
    if (state != null) {
      var trouble = trouble(state);
      var durable = new LinkedHashMap<String, Object>();
      durable.put("ok", trouble == null);
      durable.put("trouble", trouble);
      durable.put("failed", state.failed());
      durable.put("kept", kept(state.kept()));
      body.put("state", durable);
    }
    exchange.respond(ready ? 200 : 503, "application/json", Json.of(body));
  }

  private HealthLevel level(Generation generation) {
    return HealthLevel.of(
        new HealthLevel.Facts(
            generation.config(),
            generation.guards().states(nanos.getAsLong()),
            generation.upstreams().pools(),
            recorder.health(),
            state == null ? null : trouble(state),
            state == null ? null : state.kept(),
            service.moreRetries()));
  }

  private static Map<String, Object> memory() {
    var budget = MemoryBudget.process();
    var map = new LinkedHashMap<String, Object>();
    map.put("limit_bytes", budget.limit());
    map.put("used_bytes", budget.used());
    var held = new LinkedHashMap<String, Object>();
    var refused = new LinkedHashMap<String, Object>();
    for (var use : MemoryBudget.Use.values()) {
      held.put(use.label(), budget.used(use));
      refused.put(use.label(), budget.refused(use));
    }
    map.put("held_bytes", held);
    map.put("refused", refused);
    return map;
  }

  private static @Nullable String trouble(DurableState state) {
    var trouble = state.trouble();
    return trouble != null || !state.kept().full()
        ? trouble
        : "Mainstay refuses durable calls: running calls and dead letters have reached"
            + " store.max-kept; redrive or discard dead letters";
  }

  private static Map<String, Object> kept(DurableState.Kept kept) {
    var map = new LinkedHashMap<String, Object>();
    map.put("bytes", kept.bytes());
    map.put("max_bytes", kept.maxBytes());
    map.put("forgotten", kept.forgotten());
    map.put("refused", kept.refused());
    return map;
  }

  private List<Object> keys(Generation generation, String provider) {
    var keys = new ArrayList<Object>();
    for (var key : generation.upstreams().keys(provider, nanos.getAsLong())) {
      var map = new LinkedHashMap<String, Object>();
      map.put("key", key.number());
      map.put(
          "state", key.setAside() ? "set_aside" : key.resting().isEmpty() ? "ready" : "resting");
      map.put("probe_ms", key.setAside() ? (Long) (key.probeInNanos() / 1_000_000) : null);
      var resting = new LinkedHashMap<String, Object>();
      key.resting().forEach((model, left) -> resting.put(model, left / 1_000_000));
      map.put("resting_ms", resting);
      keys.add(map);
    }
    return keys;
  }

  private List<Object> targets(Generation generation, String provider) {
    long now = nanos.getAsLong();
    var targets = new ArrayList<Object>();
    for (var state : generation.guards().states(now)) {
      if (state.target().provider().equals(provider)) {
        targets.add(TargetBreaker.of(state, now));
      }
    }
    return targets;
  }
}
