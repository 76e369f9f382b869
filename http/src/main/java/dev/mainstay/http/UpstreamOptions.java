package dev.mainstay.http;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a provider's client is made with.
 *
 * @param baseUrl http or https, with the path that comes before every request's own
 * @param ca PEM file of certificates to trust instead of the JDK's; null (the default) for the
 *     JDK's
 * @param proxy the way out; default {@link Proxy#fromEnvironment}
 * @param connect most time for name, route, proxy and TLS together; default 3 s
 * @param idle how long an unused connection is kept, unless the provider's {@code keep-alive:
 *     timeout=} says less; default 30 s, below the 60 s and more of the hosted providers; a
 *     provider that closes first is noticed at once
 * @param maxIdle most unused connections kept on each loop; default 1024
 * @param maxHeaders most bytes of an answer's headers together; default 64 KiB
 */
public record UpstreamOptions(
    URI baseUrl,
    @Nullable Path ca,
    Proxy proxy,
    Duration connect,
    Duration idle,
    int maxIdle,
    int maxHeaders) {

  /** Checks the URL and the ranges. */
  public UpstreamOptions {
    String scheme = baseUrl.getScheme();
    if (!"http".equalsIgnoreCase(scheme) && !"https".equalsIgnoreCase(scheme)) {
      throw new IllegalArgumentException("a base URL begins with http:// or https://");
    }
    if (baseUrl.getHost() == null) throw new IllegalArgumentException("the base URL names no host");
    if (baseUrl.getRawUserInfo() != null
        || baseUrl.getRawQuery() != null
        || baseUrl.getRawFragment() != null) {
      throw new IllegalArgumentException("a base URL has no user, query or fragment");
    }
    if (!connect.isPositive()) throw new IllegalArgumentException("connect must be above 0");
    if (!idle.isPositive()) throw new IllegalArgumentException("idle must be above 0");
    if (maxIdle < 0) throw new IllegalArgumentException("maxIdle must not be below 0");
    if (maxHeaders <= 0) throw new IllegalArgumentException("maxHeaders must be above 0");
  }

  /** The defaults for a base URL. */
  public static UpstreamOptions of(String baseUrl) {
    return new UpstreamOptions(
        URI.create(baseUrl),
        null,
        Proxy.fromEnvironment(System.getenv()),
        Duration.ofSeconds(3),
        Duration.ofSeconds(30),
        1024,
        64 << 10);
  }

  /** The same with another limit for connecting. */
  public UpstreamOptions withConnect(Duration newConnect) {
    return new UpstreamOptions(baseUrl, ca, proxy, newConnect, idle, maxIdle, maxHeaders);
  }

  /** The same with another time for unused connections. */
  public UpstreamOptions withIdle(Duration newIdle) {
    return new UpstreamOptions(baseUrl, ca, proxy, connect, newIdle, maxIdle, maxHeaders);
  }

  /** The same trusting the certificates in a PEM file instead of the JDK's. */
  public UpstreamOptions withCa(Path newCa) {
    return new UpstreamOptions(baseUrl, newCa, proxy, connect, idle, maxIdle, maxHeaders);
  }

  /** The same by another way out. */
  public UpstreamOptions withProxy(Proxy newProxy) {
    return new UpstreamOptions(baseUrl, ca, newProxy, connect, idle, maxIdle, maxHeaders);
  }
}
