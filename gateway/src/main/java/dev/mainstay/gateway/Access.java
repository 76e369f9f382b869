package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.http.Exchange;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    /** Out; {@code why} is for the caller. */
    record Out(String why) implements Entry {}
  }

  /** Whether the exchange may call models. */
  Entry client(Exchange exchange) {
    if (clients.isEmpty()) {
      return exchange.remote().getAddress().isLoopbackAddress()
          ? new Entry.In(null)
          : new Entry.Out("this gateway has no client keys, so only its own machine may call it");
    }
    var key = key(exchange);
    if (key == null) {
      return new Entry.Out("a client key is needed");
    }
    var given = digest(key);
    Config.Client found = null;
    for (var known : clients) {
      // All are compared, so that the time says nothing about which one it was.
      if (MessageDigest.isEqual(known.digest(), given)) {
        found = known.client();
      }
    }
    return found == null ? new Entry.Out("the client key is not known") : new Entry.In(found);
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
    // A page of another site can make a browser on this machine ask, but not under our name.
    var host = exchange.headers().get(HttpHeaderNames.HOST);
    var origin = exchange.headers().get(HttpHeaderNames.ORIGIN);
    return host != null && namesLoopback(host) && (origin == null || fromLoopback(origin))
        ? null
        : "without an admin token only requests to and from the loopback are answered";
  }

  private static boolean fromLoopback(String origin) {
    try {
      var authority = URI.create(origin).getAuthority();
      return authority != null && namesLoopback(authority);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  static boolean namesLoopback(String authority) {
    var host = authority.toLowerCase(Locale.ROOT);
    if (host.startsWith("[")) {
      return host.startsWith("[::1]");
    }
    int colon = host.indexOf(':');
    host = colon < 0 ? host : host.substring(0, colon);
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || (host.startsWith("127.")
            && host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9')));
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
