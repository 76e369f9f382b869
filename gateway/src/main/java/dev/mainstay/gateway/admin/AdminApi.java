package dev.mainstay.gateway.admin;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.engine.Generation;
import dev.mainstay.gateway.api.ApiAnswers;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.api.Route.Handler;
import dev.mainstay.gateway.api.Route.Reply;
import dev.mainstay.gateway.api.RouteTable;
import dev.mainstay.gateway.api.TargetBreaker;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.LedgerReader;
import java.lang.reflect.Type;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /api}: what people and the studio ask. Reading the ledger happens off the loop. */
public final class AdminApi {
  private final Supplier<Generation> current;
  private final Supplier<Access> access;
  private final LongSupplier nanos;
  private final StateApi state;
  private final List<Routes> more;
  private final RouteTable table;
  private final RouteTable described;
  private final Audit audit;

  /** In an address. No name has it, and PostgreSQL's texts cannot hold it. */
  private static final String NUL = "%00";

  /** Who has not shown who it is. */
  private static final Caller NO_ONE = new Caller(null, Role.VIEWER, "");

  public AdminApi(
      Supplier<Generation> current,
      Supplier<Access> access,
      @Nullable LedgerReader reader,
      LongSupplier nanos,
      StateApi state,
      List<Route> parts,
      Audit audit,
      List<Routes> more) {
    this.audit = audit;
    this.state = state;
    this.more = more;
    this.current = current;
    this.access = access;
    this.nanos = nanos;
    Supplier<LedgerReader> ledger =
        () -> {
          if (reader == null) {
            throw ApiException.of(503, "unavailable", "no ledger is kept");
          }
          return reader;
        };
    var routes = new ArrayList<Route>();
    var search = new TextAccess(() -> current.get().config().recording());
    routes.addAll(new CallsApi(ledger, search, state).routes());
    routes.add(new StatsApi(ledger, InstantSource.system()).route());
    routes.add(
        new CostsApi(ledger, () -> current.get().config().alerts().spike(), InstantSource.system())
            .route());
    routes.add(new SearchApi(ledger, search, InstantSource.system()).route());
    routes.add(audit.route());
    routes.addAll(parts);
    routes.addAll(state.routes());
    routes.addAll(own());
    table = new RouteTable(routes);
    described = new RouteTable(more.stream().flatMap(AdminApi::described).toList());
  }

  /** The routes of a part, each with the role that it needs. */
  private static Stream<Route> described(Routes part) {
    return part.described().stream()
        .map(
            each ->
                new Route(
                    part.needs(each.method(), each.path()),
                    each,
                    (Handler.OnLoop) (exchange, asked) -> part.handle(exchange, asked.caller())));
  }

  private List<Route> own() {
    return List.of(
        Route.get(
                "/api/openapi.json",
                Role.VIEWER,
                "openapi",
                "This description",
                blocking(
                    asked -> new Reply(200, "application/json", OpenApi.of(routes(), schemas()))))
            .gives(Json.Raw.class),
        Cursors.sliced(
                Route.get(
                    "/api/breakers",
                    Role.VIEWER,
                    "listBreakers",
                    "The breaker of every target that has received a call",
                    blocking(
                        asked -> {
                          var page = Cursors.slice("breakers", breakers(), asked);
                          return Reply.ok(new Breakers(page.rows(), page.next()));
                        })),
                "breakers")
            .gives(Breakers.class),
        Route.post(
                "/api/breakers/{target}/reset",
                Role.OPERATOR,
                "resetBreaker",
                "Closes a breaker",
                blocking(asked -> reset(asked.segment("target"))))
            .gives(ResetBreaker.class),
        Route.get(
                "/api/config",
                Role.VIEWER,
                "showConfig",
                "The configuration in force with the source of each value; secrets appear as stars",
                blocking(
                    asked ->
                        asked.caller().role().includes(Role.OPERATOR)
                            ? Reply.ok(ConfigView.of(current.get().config()))
                            : new Reply(
                                200,
                                "application/json",
                                ConfigView.withoutPrompts(current.get().config()))))
            .gives(ConfigView.Shown.class),
        Route.get(
                "/api/config/schema",
                Role.VIEWER,
                "configSchema",
                "The JSON Schema of the configuration file",
                blocking(asked -> new Reply(200, "application/schema+json", ConfigLoader.schema())))
            .gives(Json.Raw.class, "application/schema+json"));
  }

  private static Handler blocking(Handler.Blocking handler) {
    return handler;
  }

  /** All routes that are described. */
  List<Route> routes() {
    var all = new ArrayList<>(table.routes());
    all.addAll(described.routes());
    return all;
  }

  private Map<Type, Map<String, Object>> schemas() {
    var all = new HashMap<Type, Map<String, Object>>();
    more.forEach(part -> all.putAll(part.schemas()));
    return all;
  }

  public void handle(Exchange exchange) {
    var asked = access.get().refreshed(exchange).toCompletableFuture();
    if (asked.isDone()) {
      known(exchange, asked.join());
    } else {
      asked.whenComplete((known, failed) -> exchange.loop().execute(() -> known(exchange, known)));
    }
  }

  /**
   * Who asks is known by now.
   *
   * @param session whether it is known how the session stands by which it comes
   */
  private void known(Exchange exchange, boolean session) {
    try {
      if (!session && !SessionApi.isSignIn(exchange)) {
        // A 401 would end a session that may well go on.
        throw ApiException.of(
            503,
            "store_unavailable",
            "the store is away, and this gateway has not seen your session: try again, or sign in");
      }
      if (exchange.path().contains(NUL) || exchange.query().contains(NUL)) {
        throw ApiException.invalid("the path contains the character 0 (%00), which no name has");
      }
      var match = table.find(exchange.method(), exchange.path());
      if (match != null && match.route().needs() == null) {
        ApiAnswers.answer(exchange, match, NO_ONE);
        return;
      }
      switch (access.get().admin(exchange)) {
        case Access.Admin.In in -> admitted(exchange, match, in.caller());
        case Access.Admin.Out out -> refused(exchange, out);
      }
    } catch (RuntimeException e) {
      ApiAnswers.failed(exchange, e);
    }
  }

  /** A client may see what is its own with its own key. */
  private void refused(Exchange exchange, Access.Admin.Out out) {
    var others = others(exchange.path());
    var client = others == null ? null : clientName(exchange);
    if (others != null && client != null) {
      pass(exchange, others, offered(exchange), new Caller(client));
    } else if (!state.ownAnswer(exchange)) {
      ApiAnswers.error(exchange, out.status(), out.why());
    }
  }

  private void admitted(Exchange exchange, RouteTable.@Nullable Match match, Caller caller) {
    var others = others(exchange.path());
    if (others != null) {
      var route = offered(exchange);
      // A client's key speaks for its client, also where every program on this machine may ask.
      var client = clientName(exchange);
      if (client != null) {
        pass(exchange, others, route, new Caller(client));
        return;
      }
      permit(exchange, caller, route.needs());
      pass(exchange, others, route, caller);
      return;
    }
    if (match == null) {
      throw nothingHere();
    }
    permit(exchange, caller, match.route().needs());
    ApiAnswers.answer(exchange, match, caller);
  }

  private static void pass(Exchange exchange, Routes others, Route route, Caller caller) {
    ApiAnswers.read(exchange, route, (query, body) -> others.handle(exchange, caller));
  }

  /** The route of a part: what is not described, and so has no role, cannot be reached. */
  private Route offered(Exchange exchange) {
    var match = described.find(exchange.method(), exchange.path());
    if (match == null) {
      throw nothingHere();
    }
    return match.route();
  }

  private static ApiException nothingHere() {
    return ApiException.notFound("this path does not exist; /api/openapi.json lists all paths");
  }

  /** What changes something is noted before it is done. */
  private void permit(Exchange exchange, Caller caller, @Nullable Role needed) {
    if (needed != null && !caller.role().includes(needed)) {
      throw ApiException.of(
          403,
          "forbidden",
          "this request needs the role %s; %s has the role %s"
              .formatted(needed.wireName(), caller.name(), caller.role().wireName()));
    }
    if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
      audit.add(
          caller.name(),
          caller.role().wireName(),
          exchange.method() + " " + exchange.path(),
          exchange);
    }
  }

  private @Nullable Routes others(String path) {
    for (var each : more) {
      if (each.covers(path)) {
        return each;
      }
    }
    return null;
  }

  /** The name of the client whose key was given, or null. */
  private @Nullable String clientName(Exchange exchange) {
    return access.get().client(exchange) instanceof Access.Entry.In in && in.client() != null
        ? in.client().name()
        : null;
  }

  /** A page of breakers; {@code next} is the cursor of the next page, null on the last. */
  record Breakers(List<TargetBreaker> breakers, @Nullable String next) {}

  /** A breaker that a person has closed. */
  record ResetBreaker(String target, String state) {}

  private List<TargetBreaker> breakers() {
    long now = nanos.getAsLong();
    return current.get().guards().states(now).stream()
        .map(state -> TargetBreaker.of(state, now))
        .toList();
  }

  private Reply reset(String name) {
    if (name.indexOf('/') > 0 && current.get().resetBreaker(TargetId.of(name))) {
      return Reply.ok(new ResetBreaker(name, "closed"));
    }
    throw ApiException.notFound("no call has used a target " + name);
  }
}
