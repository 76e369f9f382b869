package dev.mainstay.call.upstream;

import dev.mainstay.core.recovery.Route;
import dev.mainstay.http.Lease;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the HTTP clients of a route's providers open for one call, across reloads. Closing it again
 * does nothing. Thread-safe.
 */
public final class RouteLease implements AutoCloseable {
  private final List<Lease> leases;

  private RouteLease(List<Lease> leases) {
    this.leases = leases;
  }

  /**
   * Takes a lease on the client of each provider of {@code route}.
   *
   * @throws IllegalStateException when that generation has closed already: take the newest
   * @throws IllegalArgumentException when the route names a provider that is not there
   */
  public static RouteLease of(Route route, Upstreams upstreams) {
    var leases = new ArrayList<Lease>(2);
    try {
      for (var target : route.targets()) {
        var provider = upstreams.provider(target.provider());
        if (provider == null) {
          throw new IllegalArgumentException("no such provider: " + target.provider());
        }
        leases.add(provider.client.acquire());
      }
    } catch (RuntimeException e) {
      leases.forEach(Lease::close);
      throw e;
    }
    return new RouteLease(leases);
  }

  @Override
  public void close() {
    leases.forEach(Lease::close);
  }
}
