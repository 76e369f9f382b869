package dev.mainstay.gateway;

import dev.mainstay.call.passthrough.PassThroughRequest;
import dev.mainstay.config.Config;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.Refusals;
import dev.mainstay.engine.money.Spending;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.UrlPath;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
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
      Set.of("accept", "accept-language", "range", "openai-beta", "traceparent", "tracestate");

  /** The same, by how the names begin; Gemini's resumable uploads are among these. */
  private static final List<String> FAMILIES_TO_PROVIDER =
      List.of("content-", "if-", "anthropic-", "x-goog-upload-", "x-goog-fieldmask", "x-goog-hash");

  /** Of those families: what is set here, or is the client's own affair. */
  private static final Set<String> NOT_TO_PROVIDER =
      Set.of("content-length", "anthropic-dangerous-direct-browser-access");

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

  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

  private final Engine engine;

  PassThroughEndpoint(Engine engine) {
    this.engine = engine;
  }

  /**
   * Where a request goes.
   *
   * @param path what follows the provider's base URL
   * @param before what stands in this gateway's paths for that base URL
   */
  private record Way(Config.Provider provider, String path, String before) {}

  /** Whether there is a provider for this path. */
  boolean answers(Exchange exchange) {
    return way(exchange, engine.current().config()) != null;
  }

  private static @Nullable Way way(Exchange exchange, Config config) {
    var path = exchange.path();
    if (UrlPath.flaw(path) != null) {
      return null;
    }
    var way = way(path, exchange.headers(), config);
    // What was harmless behind a prefix may not be at the beginning.
    return way == null || UrlPath.flaw(way.path() + query(exchange.query())) != null ? null : way;
  }

  private static @Nullable Way way(String path, HttpHeaders headers, Config config) {
    if (path.startsWith(PROVIDERS)) {
      int slash = path.indexOf('/', PROVIDERS.length());
      var name = path.substring(PROVIDERS.length(), slash < 0 ? path.length() : slash);
      var provider = config.providers().get(name);
      return provider == null || slash < 0
          ? null
          : new Way(provider, path.substring(slash), PROVIDERS + name);
    }
    if (path.startsWith("/v1beta/") || path.startsWith("/upload/")) {
      return first(config, Api.GEMINI, path);
    }
    if (!path.startsWith("/v1/")) {
      return null;
    }
    var owner = owner(path, headers);
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
    return provider.api() == Api.OPENAI
        ? new Way(provider, path.substring("/v1".length()), "/v1")
        : new Way(provider, path, "");
  }

  void handle(Exchange exchange, Config.@Nullable Client client) {
    var id = engine.newId();
    var dialect = Faces.dialect(exchange.path(), exchange.headers());
    var via = exchange.headers().get("x-mainstay-via");
    var refusal = refusal(exchange, client, via);
    if (refusal != null) {
      refuse(exchange, client, id, refusal);
      return;
    }
    while (true) {
      var generation = engine.current();
      var way = way(exchange, generation.config());
      if (way == null) {
        if (client != null) {
          engine.limits().ended(client.name(), 0);
        }
        refuse(
            exchange,
            client,
            id,
            CallRefusal.caller(
                404,
                Kind.NOT_FOUND,
                "unknown_url",
                UnknownPath.why(exchange.path(), exchange.headers())));
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
              length(exchange.headers()),
              self(exchange) + way.before(),
              generation.config().recording().bodies()
                  && !"off".equals(exchange.headers().get("x-mainstay-record")),
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

  private @Nullable CallRefusal refusal(
      Exchange exchange, Config.@Nullable Client client, @Nullable String via) {
    if (client != null && !client.models().isEmpty()) {
      return CallRefusal.caller(
          403,
          Kind.PERMISSION,
          "path_not_allowed",
          "this client may ask for its models alone, and this path names none");
    }
    if (Spending.limits(client, exchange.headers().get("x-mainstay-run"))) {
      return CallRefusal.caller(
          403,
          Kind.BUDGET_EXCEEDED,
          "price_unknown",
          "this client has a budget in money, and the cost of this path is unknown");
    }
    if (via != null && via.contains(engine.instance())) {
      return CallRefusal.loop();
    }
    var wait = client == null ? null : engine.limits().take(client);
    return wait == null ? null : CallRefusal.limited(wait.limit(), wait.time());
  }

  private void refuse(
      Exchange exchange, Config.@Nullable Client client, String id, CallRefusal refusal) {
    var dialect = Faces.dialect(exchange.path(), exchange.headers());
    engine.refuse(
        refusal,
        Refusals.Request.unread(id, dialect, exchange.path(), client),
        new ExchangeRecipient(exchange));
  }

  /** The query without a client's key in it. */
  private static String query(String query) {
    var kept = new StringBuilder();
    for (var pair : query.split("&")) {
      int equals = pair.indexOf('=');
      var name = equals < 0 ? pair : pair.substring(0, equals);
      if (!pair.isEmpty() && !isKey(name)) {
        kept.append(kept.isEmpty() ? '?' : '&').append(pair);
      }
    }
    return kept.toString();
  }

  private static boolean isKey(String name) {
    try {
      return URLDecoder.decode(name, StandardCharsets.UTF_8).equals("key");
    } catch (IllegalArgumentException e) {
      // Whatever it is, it is no name of a parameter.
      return true;
    }
  }

  private static Map<String, String> toProvider(Exchange exchange) {
    var chosen = new HashMap<String, String>();
    for (var header : exchange.headers()) {
      var name = header.getKey().toLowerCase(Locale.ROOT);
      boolean known =
          TO_PROVIDER.contains(name) || FAMILIES_TO_PROVIDER.stream().anyMatch(name::startsWith);
      if (known && !NOT_TO_PROVIDER.contains(name)) {
        chosen.merge(name, header.getValue(), (a, b) -> a + "," + b);
      }
    }
    return chosen;
  }

  /** Bytes of the request's body, or -1 where only its end will tell. */
  private static long length(HttpHeaders headers) {
    var length = headers.get(HttpHeaderNames.CONTENT_LENGTH, "0");
    boolean told = !headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
    return told && LENGTH.matcher(length).matches() ? Long.parseLong(length) : -1;
  }

  /** This gateway's address as the client wrote it. */
  private static String self(Exchange exchange) {
    boolean secure =
        exchange.secure() || "https".equals(exchange.headers().get("x-forwarded-proto"));
    return (secure ? "https://" : "http://") + exchange.headers().get("host", "");
  }
}
