package dev.mainstay.gateway.endpoint;

import dev.mainstay.call.passthrough.PassThroughRouter.ProviderPath;
import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.config.Provider;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.InboundPassThrough;
import dev.mainstay.engine.Refusals;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.UrlPath;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.request.MalformedRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
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
public final class PassThroughEndpoint {
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

  public PassThroughEndpoint(Engine engine) {
    this.engine = engine;
  }

  /** Whether there is a provider for this path. */
  public boolean answers(Exchange exchange) {
    return !ways(exchange, engine.current().config()).isEmpty();
  }

  /** The ways of a request: the usual one, and those to objects that others have made. */
  private static List<ProviderPath> ways(Exchange exchange, Config config) {
    var path = exchange.path();
    if (UrlPath.flaw(path) != null) {
      return List.of();
    }
    var ways = ways(path, exchange, config);
    // What was harmless behind a prefix may not be at the beginning.
    return ways.stream().anyMatch(way -> UrlPath.flaw(way.path()) != null) ? List.of() : ways;
  }

  private static List<ProviderPath> ways(String path, Exchange exchange, Config config) {
    if (path.startsWith(PROVIDERS)) {
      int slash = path.indexOf('/', PROVIDERS.length());
      var name = path.substring(PROVIDERS.length(), slash < 0 ? path.length() : slash);
      var provider = config.providers().get(name);
      return provider == null || slash < 0
          ? List.of()
          : List.of(way(provider, path.substring(slash), PROVIDERS + name, exchange));
    }
    if (path.startsWith("/v1beta/") || path.startsWith("/upload/")) {
      return ways(Set.of(Api.GEMINI), null, path, exchange, config);
    }
    if (!path.startsWith("/v1/")) {
      return List.of();
    }
    var owner = owner(path, exchange.headers());
    // Files, batches, jobs: OpenAI and Mistral both have them, and so do those who speak like them.
    return owner == Api.ANTHROPIC || owner == Api.GEMINI
        ? ways(Set.of(owner), owner, path, exchange, config)
        : ways(Set.of(Api.OPENAI, Api.MISTRAL), owner, path, exchange, config);
  }

  /**
   * A way to each provider of {@code apis}.
   *
   * @param first whose providers come first, or null
   */
  private static List<ProviderPath> ways(
      Set<Api> apis, @Nullable Api first, String path, Exchange exchange, Config config) {
    return config.providers().values().stream()
        .filter(provider -> apis.contains(provider.api()))
        .sorted(Comparator.comparing(provider -> provider.api() != first))
        .map(
            provider ->
                // OpenAI's base URL ends in the /v1 that the client's path begins with.
                provider.api() == Api.OPENAI
                    ? way(provider, path.substring("/v1".length()), "/v1", exchange)
                    : way(provider, path, "", exchange))
        .toList();
  }

  private static ProviderPath way(
      Provider provider, String path, String before, Exchange exchange) {
    return new ProviderPath(
        provider.name(), path + query(exchange.query()), self(exchange) + before);
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
    var agent = headers.get(RequestHeaders.USER_AGENT);
    return agent != null && agent.toLowerCase(Locale.ROOT).contains("openai") ? Api.OPENAI : null;
  }

  public void handle(Exchange exchange, @Nullable Client client) {
    var headers = exchange.headers();
    var id = engine.newId();
    var dialect = Faces.dialect(exchange.path(), headers);
    var to = new ExchangeRecipient(exchange);
    boolean record;
    try {
      record = RequestHeaders.isOn(headers, RequestHeaders.RECORD, true);
    } catch (MalformedRequest e) {
      engine.refuse(
          RequestHeaders.invalid(e),
          Refusals.Request.unread(id, dialect, exchange.path(), client),
          to);
      return;
    }
    engine.pass(
        new InboundPassThrough(
            id,
            dialect,
            exchange.method(),
            length(headers),
            record,
            new InboundPassThrough.Origin(
                client,
                exchange.path(),
                headers.get(RequestHeaders.VIA),
                headers.get(RequestHeaders.RUN),
                headers.get(RequestHeaders.PARENT)),
            toProvider(exchange),
            config -> ways(exchange, config)),
        exchange,
        to);
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
