package dev.mainstay.http;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Where a client's requests go, worked out once.
 *
 * @param hostHeader as it stands in requests: with the port where it is not the scheme's own
 * @param prefix what comes before every request's path: the base URL's path, or the whole URL for a
 *     plain proxy
 * @param proxy the proxy to connect to instead, or null
 * @param proxyAuth value of {@code proxy-authorization}, or null
 * @param tls null for http
 */
record Origin(
    String host,
    int port,
    String hostHeader,
    String prefix,
    @Nullable URI proxy,
    @Nullable String proxyAuth,
    @Nullable SslContext tls) {

  static Origin of(UpstreamOptions options) {
    URI base = options.baseUrl();
    boolean secure = "https".equalsIgnoreCase(base.getScheme());
    String bracketed = base.getHost();
    String host =
        bracketed.startsWith("[") ? bracketed.substring(1, bracketed.length() - 1) : bracketed;
    int usual = secure ? 443 : 80;
    int port = base.getPort() < 0 ? usual : base.getPort();
    String hostHeader = port == usual ? bracketed : bracketed + ":" + port;
    String path = base.getRawPath() == null ? "" : base.getRawPath();
    while (path.endsWith("/")) path = path.substring(0, path.length() - 1);
    @Nullable URI proxy = options.proxy().forTarget(base);
    boolean plainProxy = proxy != null && !secure;
    return new Origin(
        host,
        port,
        hostHeader,
        plainProxy ? "http://" + hostHeader + path : path,
        proxy,
        proxy == null ? null : basic(proxy),
        secure ? tls(options) : null);
  }

  /** The host to open a connection to. */
  String connectHost() {
    if (proxy == null) return host;
    String name = proxy.getHost();
    return name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
  }

  /** The port to open a connection to. */
  int connectPort() {
    if (proxy == null) return port;
    return proxy.getPort() < 0 ? 80 : proxy.getPort();
  }

  /** Whether a tunnel has to be asked for. */
  boolean tunnel() {
    return proxy != null && tls != null;
  }

  private static @Nullable String basic(URI proxy) {
    String user = proxy.getUserInfo();
    return user == null
        ? null
        : "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
  }

  private static SslContext tls(UpstreamOptions options) {
    try {
      var builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
      if (options.ca() != null) builder.trustManager(options.ca().toFile());
      return builder.build();
    } catch (SSLException e) {
      throw new IllegalArgumentException(
          "cannot use the certificates for " + options.baseUrl().getHost(), e);
    }
  }
}
