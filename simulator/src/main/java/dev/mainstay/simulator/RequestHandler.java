package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import dev.mainstay.http.Handler;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Finds out what a request is about and what it gets. */
final class RequestHandler implements Handler {
  private final ScriptProgress stage;
  private final RequestLog log;
  private final ControlPaths control;
  private final AtomicLong ids = new AtomicLong();

  RequestHandler(ScriptProgress stage, RequestLog log) {
    this.stage = stage;
    this.log = log;
    this.control = new ControlPaths(stage, log);
  }

  @Override
  public void handle(Exchange exchange) {
    if (exchange.path().equals("/_sim") || exchange.path().startsWith("/_sim/")) {
      control.handle(exchange);
      return;
    }
    JsonNode body = Json.read(ByteBufUtil.getBytes(exchange.body()));
    switch (Route.of(exchange.method(), exchange.path(), exchange.query(), body)) {
      case Route.Models models -> models(exchange, models);
      case Route.ModelRequest asked -> ask(exchange, asked, body);
      case Route.Unknown _ ->
          exchange.respond(
              404,
              "application/json",
              OpenAiErrors.body(
                  "Invalid URL (" + exchange.method() + " " + exchange.path() + ")",
                  "invalid_request_error",
                  null,
                  null));
    }
  }

  /** In the shape that the asker's own header calls for, since the paths are shared. */
  private void models(Exchange exchange, Route.Models asked) {
    boolean anthropic = exchange.headers().contains("anthropic-version");
    var models =
        exchange.headers().contains("x-goog-api-key")
            ? new Route.Models(asked.provider(), asked.model(), true)
            : asked;
    exchange.respond(200, "application/json", ModelList.of(models, anthropic, stage.script()));
  }

  private void ask(Exchange exchange, Route.ModelRequest route, JsonNode body) {
    long id = ids.incrementAndGet();
    SimulatedRequest ask =
        route
            .format()
            .read(id, System.currentTimeMillis() / 1000, route.provider(), exchange, body);
    String key = key(exchange);
    Continues continues = stage.continues(ask.provider(), ask.model());
    Step step =
        continues == Continues.REFUSING_PREFILLS
                && ask.begun().prefilled()
                && route.format() instanceof Format.Prefilled format
            ? Step.of(format.prefillRefused()).named("prefill refused")
            : step(route.format(), ask, key);
    Reply reply =
        step.fault() instanceof Fault.Reply
            ? Reply.whole(Json.object())
            : route.format().answer(ask, said(route.format(), ask, step, continues));
    step = step.fitting(reply);
    var entry = log.add(exchange, route.format(), ask, key, step.name());
    String header = route.format().label().equals("anthropic") ? "request-id" : "x-request-id";
    var headers = Map.of(header, "req_sim" + id);
    List<Action> actions = ActionPlan.of(step, route.format(), ask, reply, headers);
    new ActionRunner(exchange, actions, entry).play();
  }

  private static Answer said(Format format, SimulatedRequest ask, Step step, Continues continues) {
    return ask.tailored(step.answer(), format.continues(continues, ask))
        .within(format.mostTokens(ask));
  }

  private Step step(Format format, SimulatedRequest ask, String key) {
    if (!ask.body().isObject()) return Step.of(format.unreadable()).named("unreadable");
    Step keyed = stage.keyed(key);
    if (keyed != null) return keyed;
    if (format instanceof Format.Checked checked) {
      try {
        checked.check(ask);
      } catch (RequestRefused why) {
        return Step.of(checked.refused(why)).named("refused: " + why.message());
      }
    }
    return switch (stage.next(ask.provider(), ask.model(), key, ask.inputTokens())) {
      case ScriptProgress.Next.Play play -> play.step();
      case ScriptProgress.Next.Limited limited ->
          Step.of(
                  format.rateLimited(
                      ask.model(), limited.tokens(), limited.limit(), limited.waitMillis()))
              .named("rate limit");
      case ScriptProgress.Next.UnknownModel _ ->
          Step.of(format.unknownModel(ask.model())).named("unknown model");
    };
  }

  private static String key(Exchange exchange) {
    for (String name : new String[] {"x-api-key", "x-goog-api-key", "api-key"}) {
      @Nullable String value = exchange.headers().get(name);
      if (value != null) return value;
    }
    @Nullable String bearer = exchange.headers().get("authorization");
    if (bearer != null) {
      return bearer.toLowerCase(Locale.ROOT).startsWith("bearer ")
          ? bearer.substring(7).strip()
          : bearer;
    }
    for (String part : exchange.query().split("&", -1)) {
      if (part.startsWith("key=")) return part.substring(4);
    }
    return "";
  }
}
