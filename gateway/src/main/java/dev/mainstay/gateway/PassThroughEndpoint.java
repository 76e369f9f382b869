package dev.mainstay.gateway;

import dev.mainstay.call.PassThroughRequest;
import dev.mainstay.config.Config;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.money.Spending;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whatever else a provider offers: {@code /providers/NAME/…}, and unknown paths under {@code /v1}
 * and {@code /v1beta} at the first provider whose dialect owns them. Thread-safe.
 */
@SuppressWarnings("ReferenceEquality") // a generation is the same or it is another
final class PassThroughEndpoint {
  private static final String PROVIDERS = "/providers/";

  /** What of the client's headers describes the request itself. */
  private static final Set<String> TO_PROVIDER =
      Set.of(
          "content-type",
          "content-encoding",
          "accept",
          "accept-encoding",
          "range",
          "if-none-match",
          "anthropic-version",
          "anthropic-beta",
          "openai-beta",
          "x-goog-fieldmask",
          "traceparent",
          "tracestate");

  /**
   * Paths that one of the APIs alone has. Sources: https://docs.mistral.ai/api and
   * https://docs.claude.com/en/api
   */
  private static final Map<String, Api> ONLY =
      Map.of(
          "/v1/fim/", Api.MISTRAL,
          "/v1/ocr", Api.MISTRAL,
          "/v1/agents", Api.MISTRAL,
          "/v1/libraries", Api.MISTRAL,
          "/v1/batch/", Api.MISTRAL,
          "/v1/classifications", Api.MISTRAL,
          "/v1/chat/classifications", Api.MISTRAL,
          "/v1/chat/moderations", Api.MISTRAL,
          "/v1/messages/", Api.ANTHROPIC);

  /** Gemini's resumable uploads. */
  private static final String UPLOAD = "x-goog-upload-";

  private final Engine engine;

  PassThroughEndpoint(Engine engine) {
    this.engine = engine;
  }

  /** Where a request goes: a provider, and the path after its base URL. */
  private record Way(Config.Provider provider, String path) {}

  /** Whether there is a provider for this path. */
  boolean answers(Exchange exchange) {
    return way(exchange, engine.current().config()) != null;
  }

  private static @Nullable Way way(Exchange exchange, Config config) {
    var path = exchange.path();
    if (UnknownPath.isNone(path)) {
      return null;
    }
    if (path.startsWith(PROVIDERS)) {
      int slash = path.indexOf('/', PROVIDERS.length());
      var name = path.substring(PROVIDERS.length(), slash < 0 ? path.length() : slash);
      var provider = config.providers().get(name);
      return provider == null || slash < 0 ? null : new Way(provider, path.substring(slash));
    }
    if (path.startsWith("/v1beta/") || path.startsWith("/upload/v1beta/")) {
      return first(config, Api.GEMINI, path);
    }
    if (!path.startsWith("/v1/")) {
      return null;
    }
    var owner = owner(path, exchange.headers());
    if (owner == Api.ANTHROPIC || owner == Api.GEMINI) {
      return first(config, owner, path);
    }
    var own = owner == null ? null : first(config, owner, path);
    if (own != null) {
      return own;
    }
    // Files, batches, jobs: OpenAI and Mistral both have them, and so do those who speak like them.
    for (var provider : config.providers().values()) {
      if (provider.api() == Api.OPENAI || provider.api() == Api.MISTRAL) {
        return way(provider, path);
      }
    }
    return null;
  }

  /** Whose a path under {@code /v1} is, by the path or by the client; null where nothing tells. */
  private static @Nullable Api owner(String path, HttpHeaders headers) {
    var dialect = Faces.dialect(path, headers);
    if (dialect == Dialect.ANTHROPIC || dialect == Dialect.GEMINI) {
      return dialect == Dialect.GEMINI ? Api.GEMINI : Api.ANTHROPIC;
    }
    for (var only : ONLY.entrySet()) {
      if (path.startsWith(only.getKey())) {
        return only.getValue();
      }
    }
    if (dialect == Dialect.MISTRAL) {
      return Api.MISTRAL;
    }
    var agent = headers.get("user-agent");
    return agent != null && agent.toLowerCase(Locale.ROOT).contains("openai") ? Api.OPENAI : null;
  }

  private static @Nullable Way first(Config config, Api api, String path) {
    for (var provider : config.providers().values()) {
      if (provider.api() == api) {
        return way(provider, path);
      }
    }
    return null;
  }

  private static Way way(Config.Provider provider, String path) {
    // OpenAI's base URL ends in the /v1 that the client's path begins with.
    return new Way(provider, provider.api() == Api.OPENAI ? path.substring("/v1".length()) : path);
  }

  void handle(Exchange exchange, Config.@Nullable Client client) {
    var id = engine.newId();
    var dialect = Faces.dialect(exchange.path(), exchange.headers());
    if (client != null && !client.models().isEmpty()) {
      CallRefusal.caller(
              403,
              Kind.PERMISSION,
              "path_not_allowed",
              "this client may ask for its models alone, and this path names none")
          .send(new ExchangeRecipient(exchange), dialect, id);
      return;
    }
    if (Spending.limits(client, exchange.headers().get("x-mainstay-run"))) {
      CallRefusal.caller(
              403,
              Kind.BUDGET_EXCEEDED,
              "price_unknown",
              "this client has a budget in money, and nobody knows what this path costs")
          .send(new ExchangeRecipient(exchange), dialect, id);
      return;
    }
    var via = exchange.headers().get("x-mainstay-via");
    if (via != null && via.contains(engine.instance())) {
      CallRefusal.loop().send(new ExchangeRecipient(exchange), dialect, id);
      return;
    }
    var wait = client == null ? null : engine.limits().take(client);
    if (wait != null) {
      CallRefusal.limited(wait.limit(), wait.time())
          .send(new ExchangeRecipient(exchange), dialect, id);
      return;
    }
    while (true) {
      var generation = engine.current();
      var way = way(exchange, generation.config());
      if (way == null) {
        if (client != null) {
          engine.limits().ended(client.name(), 0);
        }
        CallRefusal.caller(
                404,
                Kind.NOT_FOUND,
                "unknown_url",
                UnknownPath.why(exchange.path(), exchange.headers()))
            .send(new ExchangeRecipient(exchange), dialect, id);
        return;
      }
      var request =
          new PassThroughRequest(
              way.provider().name(),
              dialect,
              exchange.method(),
              way.path() + query(exchange.query()),
              exchange.path(),
              toProvider(exchange),
              generation.config().calls(),
              via == null ? engine.instance() : via + "," + engine.instance(),
              client == null ? null : client.name(),
              exchange.headers().get("x-mainstay-run"),
              exchange.headers().get("x-mainstay-parent"));
      try {
        engine.calls().pass(id, request, generation.upstreams(), exchange);
        return;
      } catch (IllegalStateException e) {
        if (generation == engine.current()) {
          throw e;
        }
      }
    }
  }

  /** The query without a client's key in it. */
  private static String query(String query) {
    var kept = new StringBuilder();
    for (var pair : query.split("&")) {
      if (!pair.isEmpty() && !pair.startsWith("key=")) {
        kept.append(kept.isEmpty() ? '?' : '&').append(pair);
      }
    }
    return kept.toString();
  }

  private static Map<String, String> toProvider(Exchange exchange) {
    var chosen = new HashMap<String, String>();
    for (var header : exchange.headers()) {
      var name = header.getKey().toLowerCase(Locale.ROOT);
      if (TO_PROVIDER.contains(name) || name.startsWith(UPLOAD)) {
        chosen.merge(name, header.getValue(), (a, b) -> a + "," + b);
      }
    }
    return chosen;
  }
}
