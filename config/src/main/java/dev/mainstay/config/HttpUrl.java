package dev.mainstay.config;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/** URLs of HTTP servers, as people give them. */
public final class HttpUrl {
  private static final int HIGHEST_PORT = 65_535;

  private HttpUrl() {}

  /**
   * An http or https URL with a host, a port that exists and no user, or null. A user's password in
   * a URL would end up in logs and journals.
   */
  public static @Nullable URI parse(String text) {
    try {
      var url = URI.create(text.strip());
      boolean http =
          "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
      return http && hasServer(url) && url.getRawUserInfo() == null ? url : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether {@code url} names a host, and no port that does not exist. */
  public static boolean hasServer(URI url) {
    return url.getHost() != null && url.getPort() <= HIGHEST_PORT;
  }
}
