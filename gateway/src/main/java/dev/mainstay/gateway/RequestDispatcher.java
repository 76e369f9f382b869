package dev.mainstay.gateway;

import dev.mainstay.config.Client;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.Refusals;
import dev.mainstay.gateway.admin.Access;
import dev.mainstay.gateway.admin.AdminApi;
import dev.mainstay.gateway.api.ApiAnswers;
import dev.mainstay.gateway.endpoint.ExchangeRecipient;
import dev.mainstay.gateway.endpoint.Faces;
import dev.mainstay.gateway.endpoint.ModelCallEndpoint;
import dev.mainstay.gateway.endpoint.ModelList;
import dev.mainstay.gateway.endpoint.PassThroughEndpoint;
import dev.mainstay.gateway.endpoint.UnknownPath;
import dev.mainstay.gateway.health.Health;
import dev.mainstay.gateway.health.Metrics;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Handler;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.Refusal;
import dev.mainstay.http.Routes;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every request comes in here: who may, and who answers. Thread-safe. */
final class RequestDispatcher implements Handler {
  private static final Logger LOG = LoggerFactory.getLogger(RequestDispatcher.class);

  private final Engine engine;
  private final Supplier<Access> access;
  private final ModelCallEndpoint face;
  private final PassThroughEndpoint pass;
  private final ModelList models;
  private final AdminApi admin;
  private final Health health;
  private final Metrics metrics;
  private final List<Routes> pages;

  RequestDispatcher(
      Engine engine,
      Supplier<Access> access,
      ModelCallEndpoint face,
      PassThroughEndpoint pass,
      ModelList models,
      AdminApi admin,
      Health health,
      Metrics metrics,
      List<Routes> pages) {
    this.engine = engine;
    this.access = access;
    this.face = face;
    this.pass = pass;
    this.models = models;
    this.admin = admin;
    this.health = health;
    this.metrics = metrics;
    this.pages = pages;
  }

  @Override
  public void admit(Exchange exchange) {
    var path = exchange.path();
    if (!isForModels(path)) {
      return;
    }
    if (health.draining()) {
      refuse(exchange, CallRefusal.draining());
      return;
    }
    if (!exchange.loop().takesOn()) {
      metrics.refusedBehind();
      refuse(
          exchange,
          CallRefusal.overloaded(
              "this gateway has more requests than it can answer; try again shortly"));
      return;
    }
    if (!MemoryBudget.process().hasRoom(MemoryBudget.Use.REQUEST)) {
      refuse(
          exchange,
          CallRefusal.overloaded(
              "this gateway's memory for requests and answers is full; try again shortly"));
      return;
    }
    switch (access.get().client(exchange)) {
      case Access.Entry.Unauthorised out -> unauthorised(exchange, out.why());
      case Access.Entry.Forbidden out -> forbidden(exchange, out.why());
      case Access.Entry.In in -> {
        if (Faces.of(path, exchange.headers()) != null || models.answers(exchange, in.client())) {
          return;
        }
        if (!UnknownPath.isTwice(path) && pass.answers(exchange)) {
          pass.handle(exchange, in.client());
        } else {
          notFound(exchange);
        }
      }
    }
  }

  /** Whether a path is of model traffic: calls on record, and errors in the client's dialect. */
  private boolean isForModels(String path) {
    return !health.answers(path) && !isAdmin(path) && page(path) == null;
  }

  private static boolean isAdmin(String path) {
    return path.startsWith("/api/") || path.equals("/api");
  }

  @Override
  public void handle(Exchange exchange) {
    var path = exchange.path();
    if (health.answers(path)) {
      health.handle(exchange);
      return;
    }
    if (isAdmin(path)) {
      admin.handle(exchange);
      return;
    }
    var page = page(path);
    if (page != null) {
      page.handle(exchange, Routes.Caller.OPERATOR);
      return;
    }
    Client client;
    switch (access.get().client(exchange)) {
      case Access.Entry.In in -> client = in.client();
      case Access.Entry.Unauthorised out -> {
        unauthorised(exchange, out.why());
        return;
      }
      case Access.Entry.Forbidden out -> {
        forbidden(exchange, out.why());
        return;
      }
    }
    if (models.answers(exchange, client)) {
      models.handle(exchange, client);
      return;
    }
    var asked = Faces.of(path, exchange.headers());
    if (asked == null) {
      notFound(exchange);
    } else if (!exchange.method().equals("POST")) {
      refuse(
          exchange,
          CallRefusal.caller(
              405, Kind.INVALID_REQUEST, "method_not_allowed", "this path accepts only POST"));
    } else {
      face.handle(exchange, asked, client);
    }
  }

  private @Nullable Routes page(String path) {
    for (var each : pages) {
      if (each.covers(path)) {
        return each;
      }
    }
    return null;
  }

  @Override
  public void refused(Exchange exchange, Refusal refusal) {
    if (!isForModels(exchange.path())) {
      ApiAnswers.error(exchange, refusal.status(), refusal.message());
      return;
    }
    refuse(
        exchange,
        refusal == Refusal.OVERLOADED
            ? CallRefusal.overloaded(refusal.message())
            : CallRefusal.caller(
                refusal.status(),
                refusal.status() == 413 ? Kind.PAYLOAD_TOO_LARGE : Kind.INVALID_REQUEST,
                refusal.name().toLowerCase(java.util.Locale.ROOT),
                refusal.message()));
  }

  @Override
  public void threw(Exchange exchange, Throwable thrown) {
    LOG.error("A fault of Mainstay's own ended a request: {}", CallRefusal.at(thrown));
    if (exchange.begun()) {
      exchange.abort();
    } else if (!isForModels(exchange.path())) {
      ApiAnswers.fault(exchange);
    } else {
      refuse(exchange, CallRefusal.fault());
    }
  }

  private void unauthorised(Exchange exchange, String why) {
    refuse(
        exchange, new CallRefusal(401, Kind.AUTH, "FATAL", "caller", "invalid_api_key", why, null));
  }

  private void forbidden(Exchange exchange, String why) {
    refuse(
        exchange, new CallRefusal(403, Kind.PERMISSION, "FATAL", "caller", "forbidden", why, null));
  }

  private void notFound(Exchange exchange) {
    refuse(
        exchange,
        CallRefusal.caller(
            404,
            Kind.NOT_FOUND,
            "unknown_url",
            UnknownPath.why(exchange.path(), exchange.headers())));
  }

  private void refuse(Exchange exchange, CallRefusal refusal) {
    var client = access.get().client(exchange) instanceof Access.Entry.In in ? in.client() : null;
    var dialect = Faces.dialect(exchange.path(), exchange.headers());
    engine.refuse(
        refusal,
        Refusals.Request.unread(engine.newId(), dialect, exchange.path(), client),
        new ExchangeRecipient(exchange));
  }
}
