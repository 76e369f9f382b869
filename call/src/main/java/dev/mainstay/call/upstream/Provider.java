package dev.mainstay.call.upstream;

import dev.mainstay.call.api.Peers;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.core.guard.RetryBudget;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.http.UpstreamOptions;
import dev.mainstay.http.UpstreamRequest;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A provider at work: its client, its pool, its retry budget. Where a reload changes nothing of it,
 * the next generation goes on with the very same one.
 */
public final class Provider {
  public final ProviderSpec spec;
  public final UpstreamClient client;
  public final KeyPool keys;
  public final RetryBudget retries;
  public final RateLimiter limiter;
  public final Peers peers;
  private final double retryBudget;
  private final SecretMask mask;

  private Provider(
      ProviderSpec spec,
      UpstreamClient client,
      KeyPool keys,
      RetryBudget retries,
      RateLimiter limiter,
      Peers peers,
      double retryBudget) {
    this.peers = peers;
    this.limiter = limiter;
    this.spec = spec;
    this.client = client;
    this.keys = keys;
    this.retries = retries;
    this.retryBudget = retryBudget;
    mask = SecretMask.of(spec.keys(), spec.headers());
  }

  /** Sends {@code request}; what comes back has this provider's keys masked. */
  public UpstreamCall send(UpstreamRequest request, GuardedLoop loop, UpstreamListener listener) {
    return client.send(request, loop, loop.guarded(new ProviderAnswer(listener, mask)));
  }

  /**
   * The provider of {@code spec}.
   *
   * @param clients makes the client of a provider that has none yet
   * @param before the one of the same name in the generation that this one replaces, or null
   */
  static Provider of(
      ProviderSpec spec,
      double retryBudget,
      Function<UpstreamOptions, UpstreamClient> clients,
      Peers peers,
      @Nullable Provider before) {
    if (before == null || !before.isAt(spec)) {
      return new Provider(
          spec,
          clients.apply(spec.options()),
          new KeyPool(spec.name(), spec.keys()),
          new RetryBudget(retryBudget),
          new RateLimiter(),
          peers,
          retryBudget);
    }
    boolean sameBudget = before.retryBudget == retryBudget;
    // A file of certificates may have other contents under the same name.
    boolean sameClient =
        before.spec.options().equals(spec.options()) && spec.options().ca() == null;
    boolean same = before.spec.equals(spec);
    if (same && sameBudget && sameClient) {
      return before;
    }
    return new Provider(
        spec,
        sameClient ? before.client : clients.apply(spec.options()),
        same ? before.keys : before.keys.with(spec.keys()),
        sameBudget ? before.retries : new RetryBudget(retryBudget),
        before.limiter,
        peers,
        retryBudget);
  }

  /** This gateway's part of what the account allows. */
  public RateLimits limits() {
    return spec.limits().shared(peers::share);
  }

  /** Whether {@code other} is the same API at the same place. */
  boolean isAt(ProviderSpec other) {
    return spec.api() == other.api() && spec.options().baseUrl().equals(other.options().baseUrl());
  }
}
