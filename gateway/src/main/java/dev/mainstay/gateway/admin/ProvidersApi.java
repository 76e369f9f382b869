package dev.mainstay.gateway.admin;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.config.Config;
import dev.mainstay.engine.Generation;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/providers}: providers, their keys' health without the keys, and breakers. */
public final class ProvidersApi {
  private final Supplier<Generation> current;
  private final LongSupplier nanos;

  public ProvidersApi(Supplier<Generation> current, LongSupplier nanos) {
    this.current = current;
    this.nanos = nanos;
  }

  /** All providers of the configuration. */
  record Providers(List<Provider> providers, @Nullable String next) {}

  /** A provider: who it is, and how it is. */
  record Provider(
      String name,
      String dialect,
      String baseUrl,
      List<Key> keys,
      List<Breaker> breakers,
      List<String> models) {}

  /**
   * A key by its place in the configuration.
   *
   * @param state {@code ready}, {@code resting} or {@code set_aside}
   * @param probeMs until it is tried again, or null
   * @param restingMs how long it rests, by model
   */
  record Key(int number, String state, @Nullable Long probeMs, Map<String, Long> restingMs) {}

  /** A target's breaker; its reason is null while it is closed. */
  record Breaker(
      String target,
      String state,
      @Nullable String reason,
      @Nullable Long nextProbeMs,
      long requests,
      long failures) {}

  public List<Route> routes() {
    return List.of(
        Cursors.sliced(
                Route.get(
                    "/api/providers",
                    Role.VIEWER,
                    "listProviders",
                    "Providers, the health of their keys (never the keys), and their breakers",
                    (Route.Handler.Blocking) asked -> Route.Reply.ok(providers(asked))),
                "providers")
            .gives(Providers.class));
  }

  private Providers providers(Route.ApiRequest asked) {
    var generation = current.get();
    var config = generation.config();
    var list = new ArrayList<Provider>();
    for (var each : config.providers().entrySet()) {
      var name = each.getKey();
      list.add(
          new Provider(
              name,
              each.getValue().api().name().toLowerCase(Locale.ROOT),
              each.getValue().baseUrl().toString(),
              keys(generation, name),
              breakers(generation, name),
              models(config, name)));
    }
    var page = Cursors.slice("providers", list, asked);
    return new Providers(page.rows(), page.next());
  }

  /** The names of models that go there. */
  private static List<String> models(Config config, String provider) {
    return config.models().entrySet().stream()
        .filter(
            model ->
                model.getValue().targets().stream()
                    .anyMatch(target -> target.target().provider().equals(provider)))
        .map(Map.Entry::getKey)
        .toList();
  }

  private List<Key> keys(Generation generation, String provider) {
    var keys = new ArrayList<Key>();
    for (var key : generation.upstreams().keys(provider, nanos.getAsLong())) {
      var resting = new LinkedHashMap<String, Long>();
      key.resting().forEach((model, left) -> resting.put(model, left / 1_000_000));
      keys.add(
          new Key(
              key.number(),
              key.setAside() ? "set_aside" : resting.isEmpty() ? "ready" : "resting",
              key.setAside() ? (Long) (key.probeInNanos() / 1_000_000) : null,
              resting));
    }
    return keys;
  }

  private List<Breaker> breakers(Generation generation, String provider) {
    long now = nanos.getAsLong();
    var breakers = new ArrayList<Breaker>();
    for (Guards.TargetState state : generation.guards().states(now)) {
      if (state.target().provider().equals(provider)) {
        var breaker = state.breaker();
        var probe = breaker.nextProbeNanos();
        breakers.add(
            new Breaker(
                state.target().toString(),
                breaker.state().name().toLowerCase(Locale.ROOT),
                breaker.reason(),
                probe == null ? null : (Long) (Math.max(0, probe - now) / 1_000_000),
                breaker.requests(),
                breaker.failures()));
      }
    }
    return breakers;
  }
}
