package dev.mainstay.gateway.admin;

import dev.mainstay.config.Admin.Account;
import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.config.PasswordHash;
import dev.mainstay.gateway.endpoint.RequestHeaders;
import dev.mainstay.http.Authority;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Caller;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who may come in. Keys are kept as digests and compared in constant time. Thread-safe. */
public final class Access {
  @SuppressWarnings("ArrayRecordComponent") // compared in constant time, never as a record
  private record Known(byte[] digest, Client client) {}

  /** What the request before named: clients of one gateway name it alike. */
  private static volatile String lastLoopback = "localhost";

  private final List<Known> clients = new ArrayList<>();
  private final byte @Nullable [] adminToken;
  private final List<Account> accounts;
  private final boolean guarded;
  private final Sessions sessions;

  /** Who signs in under a name that is not known is told so no sooner. */
  private static final PasswordHash NOBODY =
      Objects.requireNonNull(
          PasswordHash.parse(
              "pbkdf2-sha256:600000:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));

  public Access(Config config, Sessions sessions) {
    this.sessions = sessions;
    accounts = config.admin().accounts();
    guarded = config.admin().isGuarded();
    for (var client : config.clients()) {
      clients.add(new Known(digest(client.key().value()), client));
    }
    adminToken = config.adminToken().isEmpty() ? null : digest(config.adminToken().value());
  }

  /** Whether somebody may come in, and as whom. */
  public sealed interface Entry {
    /** In; {@code client} is null where no keys are configured. */
    record In(@Nullable Client client) implements Entry {}

    /** Out for want of a key; {@code why} is for the caller. */
    record Unauthorised(String why) implements Entry {}

    /** Out although no key is needed; {@code why} is for the caller. */
    record Forbidden(String why) implements Entry {}
  }

  /** Whether the exchange may call models. */
  public Entry client(Exchange exchange) {
    if (clients.isEmpty()) {
      if (!exchange.remote().getAddress().isLoopbackAddress()) {
        return new Entry.Unauthorised(
            "this gateway has no client keys, so it accepts only calls from its own machine");
      }
      return isForeign(exchange.headers())
          ? new Entry.Forbidden(
              "this gateway has no client keys, so Host and Origin must name the loopback"
                  + " (localhost, 127.0.0.1 or [::1]). Add clients to its configuration to use any"
                  + " name")
          : new Entry.In(null);
    }
    var key = key(exchange);
    if (key == null) {
      return new Entry.Unauthorised("this gateway requires a client key");
    }
    var given = digest(key);
    Client found = null;
    for (var known : clients) {
      // All are compared, so that the time says nothing about which one it was.
      if (MessageDigest.isEqual(known.digest(), given)) {
        found = known.client();
      }
    }
    return found == null
        ? new Entry.Unauthorised("this gateway does not know the client key")
        : new Entry.In(found);
  }

  /** Whether somebody may use the admin API, and as whom. */
  public sealed interface Admin {
    /**
     * In.
     *
     * @param by {@code loopback}, {@code token} or {@code session}
     * @param session the one it came in by, or null
     */
    record In(Caller caller, String by, Sessions.@Nullable Session session) implements Admin {}

    /** Out; {@code why} is for the caller. */
    record Out(int status, String why) implements Admin {}
  }

  /**
   * Asks the store about the session of the exchange, if it comes by one; to be completed before
   * {@link #admin}. Never fails; false where the store is away and this gateway has not seen it.
   */
  public CompletionStage<Boolean> refreshed(Exchange exchange) {
    var cookie = guarded && bearer(exchange) == null ? cookie(exchange) : null;
    return cookie == null ? CompletableFuture.completedFuture(true) : sessions.refresh(cookie);
  }

  /** Whether the exchange may use the admin API. What it asks for may need more than that. */
  public Admin admin(Exchange exchange) {
    if (!guarded) {
      if (!exchange.remote().getAddress().isLoopbackAddress()) {
        return new Admin.Out(
            401,
            "without an admin token or accounts, this gateway accepts admin requests only from its"
                + " own machine");
      }
      return isForeign(exchange.headers())
          ? new Admin.Out(
              403,
              "without an admin token, this gateway accepts admin requests only to and from the"
                  + " loopback: Host and Origin must name it (localhost, 127.0.0.1 or [::1])")
          : new Admin.In(new Caller(null, Role.ADMIN, "loopback"), "loopback", null);
    }
    var given = bearer(exchange);
    if (given != null) {
      return isAdminToken(given)
          ? new Admin.In(new Caller(null, Role.ADMIN, "admin token"), "token", null)
          : new Admin.Out(401, "this request needs the admin token");
    }
    var cookie = cookie(exchange);
    var session = cookie == null ? null : sessions.find(cookie);
    var in = session == null || cookie == null ? null : of(session, cookie);
    if (session == null || in == null) {
      return new Admin.Out(
          401,
          cookie == null
              ? "this request needs the admin token or a session: POST /api/session"
              : "the session has ended; sign in again");
    }
    // SameSite keeps the cookie from other sites; the token also from pages of this one that a
    // provider's text might have made.
    boolean changes = !exchange.method().equals("GET") && !exchange.method().equals("HEAD");
    var csrf = exchange.headers().get("x-csrf-token");
    return changes && (csrf == null || !same(csrf, session.csrf()) || isForeignPage(exchange))
        ? new Admin.Out(
            403,
            "x-csrf-token is missing or belongs to another session; GET /api/session returns it")
        : in;
  }

  /** Whose session it is; null where the account or the token is no longer the one it was. */
  Admin.@Nullable In of(Sessions.Session session, String cookie) {
    if (session.account() == null) {
      return adminToken != null && session.isBy(cookie, hex(adminToken))
          ? new Admin.In(new Caller(null, Role.ADMIN, "admin token"), "session", session)
          : null;
    }
    for (var account : accounts) {
      if (account.name().equals(session.account())
          && session.isBy(cookie, account.passwordHash().text())) {
        return new Admin.In(new Caller(null, account.role(), account.name()), "session", session);
      }
    }
    return null;
  }

  /** What a session by the admin token hangs on; null where {@code token} is another one. */
  @Nullable String credential(String token) {
    return adminToken != null && isAdminToken(token) ? hex(adminToken) : null;
  }

  /**
   * What a session of an account hangs on; null where the password is another one. Takes 200 ms.
   */
  @Nullable String credential(String name, char[] password) {
    for (var account : accounts) {
      if (account.name().equals(name)) {
        return account.passwordHash().matches(password) ? account.passwordHash().text() : null;
      }
    }
    // As long as for a name that is known.
    var unused = NOBODY.matches(password);
    return null;
  }

  private boolean isAdminToken(String given) {
    return adminToken != null && MessageDigest.isEqual(adminToken, digest(given));
  }

  private static boolean same(String a, String b) {
    return MessageDigest.isEqual(digest(a), digest(b));
  }

  private static String hex(byte[] digest) {
    return HexFormat.of().formatHex(digest);
  }

  /** The cookie of a session, or null. */
  static @Nullable String cookie(Exchange exchange) {
    for (var header : exchange.headers().getAll(HttpHeaderNames.COOKIE)) {
      for (var part : header.split(";")) {
        var pair = part.strip();
        if (pair.startsWith(Sessions.COOKIE + "=")) {
          return pair.substring(Sessions.COOKIE.length() + 1);
        }
      }
    }
    return null;
  }

  /** Whether a browser says that the page which asks is of another site. */
  static boolean isForeignPage(Exchange exchange) {
    var host = exchange.headers().get(HttpHeaderNames.HOST);
    for (var origin : exchange.headers().getAll(HttpHeaderNames.ORIGIN)) {
      int authority = origin.indexOf("://") + 3;
      if (host == null || authority < 4 || !origin.substring(authority).equalsIgnoreCase(host)) {
        return true;
      }
    }
    return "cross-site".equalsIgnoreCase(exchange.headers().get(RequestHeaders.SEC_FETCH_SITE));
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
        || (origins.isEmpty()
            && "cross-site".equalsIgnoreCase(headers.get(RequestHeaders.SEC_FETCH_SITE)));
  }

  private static boolean isFromLoopback(String origin) {
    int authority = origin.indexOf("://") + 3;
    return authority > 3 && namesLoopback(origin.substring(authority));
  }

  private static boolean namesLoopback(String authority) {
    if (authority.equals(lastLoopback)) {
      return true;
    }
    var named = Authority.parse(authority);
    if (named == null || !named.isLoopback()) {
      return false;
    }
    lastLoopback = authority;
    return true;
  }

  private static @Nullable String key(Exchange exchange) {
    var bearer = bearer(exchange);
    if (bearer != null) {
      return bearer;
    }
    var key = exchange.headers().get(RequestHeaders.X_API_KEY);
    if (key == null) {
      key = exchange.headers().get(RequestHeaders.X_GOOG_API_KEY);
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
