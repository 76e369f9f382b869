package dev.mainstay.call.upstream;

import dev.mainstay.call.api.Peers;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The providers of one generation of the configuration, with a client each. Calls that began in a
 * generation end in it: its clients close when the last of their leases is back. Thread-safe.
 */
public final class Upstreams {
  private final Map<String, Provider> providers;

  private Upstreams(Map<String, Provider> providers) {
    this.providers = providers;
  }

  /**
   * Makes the clients; opens no connection.
   *
   * @param retryBudget retries at a provider as a share of the requests to it
   * @param clients makes the client of a provider that has none yet
   * @param peers the other gateways on the store
   * @param before the generation that this one replaces, or null; a provider that is still the same
   *     goes on with its connections, key pool and retry budget, one at the same place with its
   *     budget and what is known of the keys it still has
   * @throws IllegalArgumentException when a certificate cannot be read
   */
  public static Upstreams create(
      List<ProviderSpec> specs,
      double retryBudget,
      Function<UpstreamOptions, UpstreamClient> clients,
      Peers peers,
      @Nullable Upstreams before) {
    var made = new LinkedHashMap<String, Provider>();
    for (var spec : specs) {
      var old = before == null ? null : before.provider(spec.name());
      made.put(spec.name(), Provider.of(spec, retryBudget, clients, peers, old));
    }
    return new Upstreams(made);
  }

  /** Whether the provider {@code name} is the same API at the same place in both generations. */
  public boolean keeps(String name, Upstreams before) {
    var now = providers.get(name);
    var old = before.provider(name);
    return now != null && old != null && now.isAt(old.spec);
  }

  /** What the provider was made with, or null where there is none of that name. */
  public @Nullable ProviderSpec spec(String name) {
    var provider = providers.get(name);
    return provider == null ? null : provider.spec;
  }

  public @Nullable Provider provider(String name) {
    return providers.get(name);
  }

  /** Values of the route's providers that must not be in anything that is shown. */
  public List<String> secrets(Route route) {
    var values = new ArrayList<String>();
    for (var target : route.targets()) {
      var spec = spec(target.provider());
      if (spec != null) {
        values.addAll(spec.keys());
        values.addAll(spec.headers().values());
      }
    }
    return values;
  }

  /**
   * Closes each client once its last lease is back.
   *
   * @param after the generation that replaces this one, whose clients stay, or null
   */
  @SuppressWarnings("ReferenceEquality") // a client is the same or it is another
  public void retire(@Nullable Upstreams after) {
    for (var provider : providers.values()) {
      var next = after == null ? null : after.provider(provider.spec.name());
      if (next == null || next.client != provider.client) {
        provider.client.retire();
      }
    }
  }

  /** How each provider's pool stands, for health pages. */
  public List<PoolState> pools() {
    var pools = new ArrayList<PoolState>();
    for (var provider : providers.values()) {
      var connections = provider.client.connections();
      pools.add(
          new PoolState(
              provider.spec.name(),
              provider.keys.size(),
              provider.keys.setAside(),
              provider.keys.refusedModels(),
              connections.busy(),
              connections.idle()));
    }
    return pools;
  }

  /**
   * A provider's pool at one instant.
   *
   * @param keys how many it has
   * @param setAside how many of them are set aside for all models
   * @param refusedModels models for which every key is set aside, as after a used-up quota
   * @param busy connections in use
   * @param idle connections kept open
   */
  public record PoolState(
      String provider, int keys, int setAside, Set<String> refusedModels, int busy, int idle) {}

  /** Tells the other gateways that a person closed the breaker of {@code target} here. */
  public void breakerReset(TargetId target) {
    var known = providers.get(target.provider());
    if (known != null) {
      known.peers.breakerReset(target);
    }
  }

  /** A key of a provider was rate limited at another gateway; nothing where it is not here. */
  public void keyRestsElsewhere(
      String provider, String key, String model, Duration rest, long nowNanos) {
    var known = providers.get(provider);
    if (known != null) {
      known.keys.restsElsewhere(key, model, nowNanos + rest.toNanos(), nowNanos);
    }
  }

  /**
   * A key of a provider was set aside at another gateway; nothing where it is not here.
   *
   * @param model for which alone; empty: for all
   */
  public void keySetAsideElsewhere(String provider, String key, String model, long nowNanos) {
    var known = providers.get(provider);
    if (known != null) {
      known.keys.setAsideElsewhere(key, model, nowNanos);
    }
  }

  /** A key of a provider works again for a model at another gateway. */
  public void keyWorksElsewhere(String provider, String key, String model, long nowNanos) {
    var known = providers.get(provider);
    if (known != null) {
      known.keys.worksElsewhere(key, model, nowNanos);
    }
  }

  /** How the keys of provider {@code name} stand; none where there is no such provider. */
  public List<KeyState> keys(String name, long nowNanos) {
    var provider = providers.get(name);
    return provider == null ? List.of() : provider.keys.states(nowNanos);
  }

  /**
   * A key at one instant; its value is not in it.
   *
   * @param number 1 for the first in the configuration
   * @param setAside whether it is set aside for all models
   * @param probeInNanos until it is probed, where it is set aside
   * @param resting models for which it rests or is set aside, with the nanoseconds until it serves
   */
  public record KeyState(
      int number, boolean setAside, long probeInNanos, Map<String, Long> resting) {}
}
