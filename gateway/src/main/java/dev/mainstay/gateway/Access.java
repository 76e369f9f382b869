package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.http.Authority;
import dev.mainstay.http.Exchange;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who may come in. Keys are kept as digests and compared in constant time. Thread-safe. */
final class Access {
  @SuppressWarnings("ArrayRecordComponent") // compared in constant time, never as a record
  private record Known(byte[] digest, Config.Client client) {}

  private final List<Known> clients = new ArrayList<>();
  private final byte @Nullable [] adminToken;

  Access(Config config) {
    for (var client : config.clients()) {
      clients.add(new Known(digest(client.key().value()), client));
    }
    adminToken = config.adminToken().isEmpty() ? null : digest(config.adminToken().value());
  }

  /** Whether somebody may come in, and as whom. */
  sealed interface Entry {
    /** In; {@code client} is null where no keys are configured. */
    record In(Config.@Nullable Client client) implements Entry {}

    /** Out for want of a key; {@code why} is for the caller. */
    record Unauthorised(String why) implements Entry {}

    /** Out although no key is needed; {@code why} is for the caller. */
    record Forbidden(String why) implements Entry {}
  }

  /** Whether the exchange may call models. */
  Entry client(Exchange exchange) {
    if (clients.isEmpty()) {
      if (!exchange.remote().getAddress().isLoopbackAddress()) {
        return new Entry.Unauthorised(
            "this gateway has no client keys, so only its own machine may call it");
      }
      return isForeign(exchange.headers())
          ? new Entry.Forbidden(
              "this gateway has no client keys, so Host and Origin must name the loopback"
                  + " (localhost, 127.0.0.1 or [::1]); with clients in its configuration it answers"
                  + " to any name")
          : new Entry.In(null);
    }
    var key = key(exchange);
    if (key == null) {
      return new Entry.Unauthorised("a client key is needed");
    }
    var given = digest(key);
    Config.Client found = null;
    for (var known : clients) {
      // All are compared, so that the time says nothing about which one it was.
      if (MessageDigest.isEqual(known.digest(), given)) {
        found = known.client();
      }
    }
    return found == null
        ? new Entry.Unauthorised("the client key is not known")
        : new Entry.In(found);
  }

  /** Whether the exchange may use the admin API; a message for the caller where not, else null. */
  @Nullable String adminRefusal(Exchange exchange) {
    if (adminToken != null) {
      var given = bearer(exchange);
      return given != null && MessageDigest.isEqual(adminToken, digest(given))
          ? null
          : "the admin token is needed";
    }
    if (!exchange.remote().getAddress().isLoopbackAddress()) {
      return "without an admin token only this machine may ask";
    }
    return isForeign(exchange.headers())
        ? "without an admin token only requests to and from the loopback are answered"
        : null;
  }

  /**
   * Whether a page of another site may have made a browser on this machine ask. It can, but not
   * under a name of the loopback's (its own name may lead here, by DNS), not without its origin,
   * or, where a browser sends none (of a picture, a script, a form's GET), not as the same site.
   */
  private static boolean isForeign(HttpHeaders headers) {
    var host = headers.get(HttpHeaderNames.HOST);
    var origins = headers.getAll(HttpHeaderNames.ORIGIN);
    return host == null
        || !namesLoopback(host)
        || !origins.stream().allMatch(Access::isFromLoopback)
        || (origins.isEmpty() && "cross-site".equalsIgnoreCase(headers.get("sec-fetch-site")));
  }

  private static boolean isFromLoopback(String origin) {
    int authority = origin.indexOf("://") + 3;
    return authority > 3 && namesLoopback(origin.substring(authority));
  }

  private static boolean namesLoopback(String authority) {
    var named = Authority.parse(authority);
    return named != null && named.isLoopback();
  }

  private static @Nullable String key(Exchange exchange) {
    var bearer = bearer(exchange);
    if (bearer != null) {
      return bearer;
    }
    var key = exchange.headers().get("x-api-key");
    if (key == null) {
      key = exchange.headers().get("x-goog-api-key");
    }
    return key == null ? decoded(query(exchange.query(), "key")) : key;
  }

  private static @Nullable String decoded(@Nullable String text) {
    try {
      return text == null ? null : URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  static @Nullable String query(String query, String name) {
    for (var pair : query.split("&")) {
      if (pair.startsWith(name + "=")) {
        return pair.substring(name.length() + 1);
      }
    }
    return null;
  }

  private static @Nullable String bearer(Exchange exchange) {
    var value = exchange.headers().get(HttpHeaderNames.AUTHORIZATION);
    return value != null && value.regionMatches(true, 0, "Bearer ", 0, 7)
        ? value.substring(7).strip()
        : null;
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
