package dev.mainstay.gateway.telemetry;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes spans of what was recorded of a call: a server's for the call, a client's under it for each
 * attempt. Names are those of the OpenTelemetry conventions for GenAI of version 1.41 where there
 * is one, ours otherwise; nothing of what was asked or answered is in them.
 */
final class SpanWriter {
  /** A client may write anything for a model's name. */
  private static final int MOST_OF_NAME = 200;

  private final Function<String, Traces.@Nullable Origin> origins;

  /**
   * @param origins who a provider of the configuration is, by its name
   */
  SpanWriter(Function<String, Traces.@Nullable Origin> origins) {
    this.origins = origins;
  }

  List<Span> spans(Traces.Context context, CallRecord call, List<AttemptRecord> attempts) {
    var spans = new ArrayList<Span>(attempts.size() + 1);
    spans.add(call(context, call));
    for (var attempt : attempts) {
      spans.add(attempt(context, call, attempt));
    }
    return spans;
  }

  private static Span call(Traces.Context context, CallRecord call) {
    var attributes = new LinkedHashMap<String, Object>();
    var operation = Operations.name(call.path());
    put(attributes, "gen_ai.operation.name", operation);
    put(attributes, "gen_ai.request.model", cut(call.modelAsked()));
    var target = call.target();
    if (target != null) {
      put(attributes, "gen_ai.response.model", cut(model(target)));
      put(attributes, "mainstay.target", cut(target));
    }
    usage(attributes, call.tokens());
    put(attributes, "http.request.method", "POST");
    put(attributes, "url.path", cut(call.path()));
    put(attributes, "http.response.status_code", (long) call.status());
    put(attributes, "error.type", call.verdict());
    put(attributes, "mainstay.call", call.id());
    put(attributes, "mainstay.run", cut(call.run()));
    put(attributes, "mainstay.client", call.client());
    put(attributes, "mainstay.dialect", call.dialect());
    put(attributes, "mainstay.stream", call.stream());
    put(attributes, "mainstay.attempts", (long) call.attempts());
    if (!call.recovery().isEmpty()) {
      put(attributes, "mainstay.recovery", String.join(",", call.recovery()));
    }
    var firstToken = call.firstToken();
    put(
        attributes,
        "mainstay.time_to_first_token",
        firstToken == null ? null : (Double) (firstToken.toNanos() / 1e9));
    return new Span(
        context.place(),
        context.parent(),
        context.state(),
        named(operation, call.modelAsked()),
        Span.Kind.SERVER,
        call.startedAt(),
        call.startedAt().plus(call.total()),
        new Span.Said(attributes, null, call.verdict()));
  }

  private Span attempt(Traces.Context context, CallRecord call, AttemptRecord attempt) {
    var attributes = new LinkedHashMap<String, Object>();
    var operation = Operations.name(call.path());
    put(attributes, "gen_ai.operation.name", operation);
    int slash = attempt.target().indexOf('/');
    var provider = slash < 0 ? attempt.target() : attempt.target().substring(0, slash);
    var origin = origins.apply(provider);
    put(attributes, "gen_ai.provider.name", origin == null ? provider : origin.provider());
    put(attributes, "gen_ai.request.model", cut(model(attempt.target())));
    if (origin != null) {
      put(attributes, "server.address", origin.address());
      put(attributes, "server.port", (long) origin.port());
    }
    usage(attributes, attempt.tokens());
    var status = attempt.status();
    put(attributes, "http.response.status_code", status == null ? null : (Long) status.longValue());
    put(attributes, "error.type", attempt.verdict());
    put(attributes, "mainstay.call", call.id());
    put(attributes, "mainstay.attempt", (long) attempt.number());
    put(attributes, "mainstay.target", cut(attempt.target()));
    put(attributes, "mainstay.decision", attempt.decision());
    put(attributes, "mainstay.rule", attempt.rule());
    if (attempt.number() > 1) {
      put(attributes, "http.request.resend_count", (long) attempt.number() - 1);
      put(attributes, "mainstay.waited", attempt.waited().toNanos() / 1e9);
    }
    var firstToken = attempt.firstTokenAt();
    put(
        attributes,
        "mainstay.time_to_first_token",
        firstToken == null
            ? null
            : (Double)
                (java.time.Duration.between(attempt.startedAt(), firstToken).toNanos() / 1e9));
    return new Span(
        context.under(attempt.number()),
        context.place().span(),
        context.state(),
        named(operation, model(attempt.target())),
        Span.Kind.CLIENT,
        attempt.startedAt(),
        attempt.endedAt(),
        new Span.Said(attributes, decided(attempt), attempt.verdict()));
  }

  /** What was decided at an attempt's end, but for its success. */
  private static Span.@Nullable Event decided(AttemptRecord attempt) {
    if (attempt.decision().equals("proceed")) {
      return null;
    }
    var attributes = new LinkedHashMap<String, Object>();
    put(attributes, "mainstay.call", attempt.call());
    put(attributes, "mainstay.verdict", attempt.verdict());
    put(attributes, "mainstay.target", cut(attempt.target()));
    put(attributes, "mainstay.decision", attempt.decision());
    put(attributes, "mainstay.attempt", (long) attempt.number());
    return new Span.Event(attempt.endedAt(), "mainstay.decision", attributes);
  }

  /** Prompt tokens include those read from and written to the cache, as the conventions say. */
  private static void usage(Map<String, Object> attributes, @Nullable Tokens tokens) {
    if (tokens == null) {
      return;
    }
    put(
        attributes,
        "gen_ai.usage.input_tokens",
        tokens.input() + tokens.cachedInput() + tokens.cacheWrite());
    put(attributes, "gen_ai.usage.output_tokens", tokens.output() + tokens.reasoning());
    put(attributes, "gen_ai.usage.cache_read.input_tokens", tokens.cachedInput());
    put(attributes, "gen_ai.usage.cache_creation.input_tokens", tokens.cacheWrite());
    put(attributes, "gen_ai.usage.reasoning.output_tokens", tokens.reasoning());
    if (tokens.estimated()) {
      put(attributes, "mainstay.usage.estimated", true);
    }
  }

  private static String named(String operation, @Nullable String model) {
    return model == null ? operation : operation + " " + cut(model);
  }

  private static String model(String target) {
    return target.substring(target.indexOf('/') + 1);
  }

  private static @Nullable String cut(@Nullable String text) {
    return text == null || text.length() <= MOST_OF_NAME ? text : text.substring(0, MOST_OF_NAME);
  }

  private static void put(Map<String, Object> attributes, String name, @Nullable Object value) {
    if (value != null) {
      attributes.put(name, value);
    }
  }
}
