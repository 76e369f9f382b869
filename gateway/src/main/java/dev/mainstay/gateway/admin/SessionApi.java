package dev.mainstay.gateway.admin;

import dev.mainstay.config.Config;
import dev.mainstay.gateway.api.ApiAnswers;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.api.TypedBody;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.wire.json.Tree;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** {@code /api/session}: signs in, says who one is, signs out. */
public final class SessionApi {
  private static final String PATH = "/api/session";

  /** Passwords judged at a time: each takes 200 ms of a core. */
  private static final int AT_ONCE = 2;

  /** How long an answer waits for the store to know that a session has ended. */
  private static final Duration STORE_PATIENCE = Duration.ofSeconds(10);

  private final Supplier<Access> access;
  private final Supplier<Config> config;
  private final Sessions sessions;
  private final SignInLimit limit;
  private final Audit audit;
  private final Semaphore judging = new Semaphore(AT_ONCE);

  public SessionApi(
      Supplier<Access> access,
      Supplier<Config> config,
      Sessions sessions,
      SignInLimit limit,
      Audit audit) {
    this.access = access;
    this.config = config;
    this.sessions = sessions;
    this.limit = limit;
    this.audit = audit;
  }

  /** What signs in: a name and its password, or the admin token. */
  record Credentials(@Nullable String name, @Nullable String password, @Nullable String token) {
    @Override
    public String toString() {
      return "Credentials[***]";
    }
  }

  /**
   * Who one is.
   *
   * @param by {@code loopback}, {@code token} or {@code session}
   * @param csrfToken to be sent as {@code x-csrf-token} with every request of a session that
   *     changes something; null where that is not needed
   */
  record Who(
      String name,
      Role role,
      String by,
      boolean seesBodies,
      @Nullable String csrfToken,
      @Nullable Instant expiresAt) {}

  public List<Route> routes() {
    return List.of(
        new Route(
                "GET",
                PATH,
                null,
                "whoAmI",
                "The signed-in account and its role; 401 if you must sign in",
                (Route.Handler.OnLoop) (exchange, asked) -> who(exchange))
            .gives(Who.class),
        new Route(
                "POST",
                PATH,
                null,
                "signIn",
                "Signs in with a name and password, or with the admin token; five tries per minute",
                (Route.Handler.OnLoop) this::signIn)
            .takes(Credentials.class)
            .gives(Who.class),
        new Route(
                "DELETE",
                PATH,
                null,
                "signOut",
                "Signs out",
                (Route.Handler.OnLoop) (exchange, asked) -> signOut(exchange))
            .gives(TypedBody.Nothing.class));
  }

  static boolean isSignIn(Exchange exchange) {
    return exchange.method().equals("POST") && exchange.path().equals(PATH);
  }

  private void who(Exchange exchange) {
    switch (access.get().admin(exchange)) {
      case Access.Admin.Out out -> ApiAnswers.error(exchange, out.status(), out.why());
      case Access.Admin.In in -> exchange.respond(200, "application/json", Json.of(who(in)));
    }
  }

  private static Who who(Access.Admin.In in) {
    var session = in.session();
    return new Who(
        in.caller().name(),
        in.caller().role(),
        in.by(),
        in.caller().role().includes(Role.OPERATOR),
        session == null ? null : session.csrf(),
        session == null ? null : session.expiresAt());
  }

  private void signIn(Exchange exchange, Route.ApiRequest asked) {
    if (!config.get().admin().isGuarded()) {
      ApiAnswers.error(
          exchange, 409, "this gateway has no accounts and no admin token to sign in with");
      return;
    }
    if (Access.isForeignPage(exchange)) {
      ApiAnswers.error(exchange, 403, "a page of another site cannot sign in here");
      return;
    }
    var given = asked.body();
    if (!given.path("token").isString()
        && !(given.path("name").isString() && given.path("password").isString())) {
      throw ApiException.invalid(
          "the body has neither a token nor a name and its password", "name, password", "token");
    }
    var name = Tree.text(given, "name");
    var from = exchange.remote().getAddress().getHostAddress();
    long wait = limit.begin("from " + from, "name " + name);
    if (wait > 0) {
      tooOften(exchange, wait);
      return;
    }
    exchange
        .loop()
        .blocking(
            () -> judge(name, given, "from " + from, "name " + name),
            (judged, thrown) -> {
              if (judged == null) {
                ApiAnswers.error(exchange, 503, "this gateway cannot judge it now: try again");
              } else if (judged.waitSeconds() > 0) {
                tooOften(exchange, judged.waitSeconds());
              } else if (judged.begun() != null) {
                limit.succeeded("from " + from, "name " + name);
                welcome(exchange, judged.begun());
              } else {
                audit.add(name.isEmpty() ? "?" : name, "", "sign-in refused", exchange);
                ApiAnswers.error(exchange, 401, "the name and password, or the token, are wrong");
              }
            });
  }

  /** Who is in, or how long to wait; neither where it was the wrong one. */
  private record Judged(Sessions.@Nullable Begun begun, long waitSeconds) {}

  private Judged judge(String name, JsonNode given, String... who) throws Exception {
    long wait = limit.beginEverywhere(who);
    if (wait > 0) {
      return new Judged(null, wait);
    }
    judging.acquire();
    try {
      var credential =
          given.path("token").isString()
              ? access.get().credential(given.path("token").asString())
              : access.get().credential(name, Tree.text(given, "password").toCharArray());
      if (credential == null) {
        return new Judged(null, 0);
      }
      var account = given.path("token").isString() ? null : name;
      return new Judged(sessions.begin(account, credential).toCompletableFuture().get(), 0);
    } finally {
      judging.release();
    }
  }

  private void welcome(Exchange exchange, Sessions.Begun begun) {
    var in = access.get().of(begun.session(), begun.cookie());
    if (in == null) {
      ApiAnswers.error(exchange, 401, "the account has just changed; sign in again");
      return;
    }
    audit.add(in.caller().name(), in.caller().role().wireName(), "signed in", exchange);
    respond(exchange, Json.of(who(in)), begun.cookie() + "; Max-Age=" + Sessions.LIFE.toSeconds());
  }

  private void signOut(Exchange exchange) {
    var cookie = Access.cookie(exchange);
    var asks = access.get().admin(exchange);
    if (asks instanceof Access.Admin.Out out && out.status() == 403) {
      // The session goes on, and its caller must not believe otherwise.
      ApiAnswers.error(exchange, out.status(), out.why());
      return;
    }
    if (cookie == null || !(asks instanceof Access.Admin.In in)) {
      respond(exchange, "{}", "; Max-Age=0");
      return;
    }
    audit.add(in.caller().name(), in.caller().role().wireName(), "signed out", exchange);
    exchange
        .loop()
        .blocking(
            () ->
                sessions
                    .end(cookie)
                    .toCompletableFuture()
                    .get(STORE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS),
            (ended, thrown) -> {
              if (thrown == null) {
                respond(exchange, "{}", "; Max-Age=0");
              } else {
                ApiAnswers.error(
                    exchange,
                    503,
                    "this session has ended on this gateway; on others it ends once the store"
                        + " answers again");
              }
            });
  }

  private static void respond(Exchange exchange, String json, String cookie) {
    exchange.respond(
        200,
        new DefaultHttpHeaders()
            .set("content-type", "application/json")
            .set("cache-control", "no-store")
            .set(
                "set-cookie",
                Sessions.COOKIE
                    + "="
                    + cookie
                    + "; Path=/; HttpOnly; SameSite=Strict"
                    + (exchange.secure() ? "; Secure" : "")),
        Unpooled.copiedBuffer(json, StandardCharsets.UTF_8));
  }

  private static void tooOften(Exchange exchange, long seconds) {
    var body =
        ApiException.of(429, "too_many_requests", "too many tries: wait " + seconds + " s").body();
    exchange.respond(
        429,
        new DefaultHttpHeaders()
            .set("content-type", "application/json")
            .set("retry-after", Long.toString(seconds)),
        Unpooled.copiedBuffer(Json.of(body), StandardCharsets.UTF_8));
  }
}
