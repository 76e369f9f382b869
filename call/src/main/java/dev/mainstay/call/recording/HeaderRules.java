package dev.mainstay.call.recording;

import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which headers pass the gateway, each way. */
public final class HeaderRules {
  /** Of a provider's answer these are about its own connection, or are set by the gateway. */
  private static final Set<String> NOT_TO_CLIENT =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "content-length",
          "content-encoding",
          "date",
          "server",
          "via",
          "set-cookie",
          "alt-svc",
          "strict-transport-security",
          "nel",
          "report-to",
          "cf-cache-status",
          "retry-after",
          "retry-after-ms",
          "x-should-retry",
          // Only a repeated answer of this gateway's own is one.
          "idempotent-replayed",
          // These send a client, or a proxy before this gateway, to another address.
          "location",
          "content-location",
          "refresh",
          "x-accel-redirect",
          "x-sendfile",
          // These are about every site at the gateway's address.
          "clear-site-data",
          "service-worker-allowed");

  private static final DefaultHttpHeadersFactory FACTORY =
      DefaultHttpHeadersFactory.headersFactory().withValidation(false);

  private static final AsciiString JSON = AsciiString.cached("application/json");
  private static final AsciiString EVENTS = AsciiString.cached("text/event-stream");
  private static final AsciiString MAINSTAY = AsciiString.cached("mainstay");
  private static final AsciiString VIA = AsciiString.cached("x-mainstay-via");
  private static final AsciiString ATTEMPTS = AsciiString.cached("x-mainstay-attempts");
  private static final AsciiString ANTHROPIC_VERSION = AsciiString.cached("anthropic-version");
  private static final AsciiString DEADLINE = AsciiString.cached("x-mainstay-deadline-ms");

  /** What a client says about the way of its request, whatever the dialect. */
  private static final List<String> TRACE = List.of("traceparent", "tracestate");

  private HeaderRules() {}

  /**
   * The headers of an attempt: the content's type, what the client may say to the provider, the
   * provider's own from the configuration, and its key where the dialect wants it.
   *
   * @param crosses whether the provider speaks another dialect than the client, so that what the
   *     client says to its own is not for it
   * @param number the attempt's, from 1
   * @param key null where the provider needs none
   */
  public static HttpHeaders request(
      CallRequest call,
      ProviderSpec provider,
      boolean crosses,
      int number,
      @Nullable String key,
      int attemptsLeft,
      long leftMs) {
    var headers = fresh();
    headers.set(HttpHeaderNames.CONTENT_TYPE, JSON);
    headers.set(HttpHeaderNames.ACCEPT, call.content().stream() ? EVENTS : JSON);
    headers.set(HttpHeaderNames.USER_AGENT, MAINSTAY);
    if (crosses) {
      TRACE.forEach(name -> set(headers, name, call.origin().headers().get(name)));
    } else {
      call.origin().headers().forEach(headers::set);
    }
    var trace = call.origin().trace();
    if (trace != null) {
      headers.set("traceparent", trace.apply(number));
    }
    if (provider.api() == Api.ANTHROPIC && !headers.contains(ANTHROPIC_VERSION)) {
      headers.set(ANTHROPIC_VERSION, "2023-06-01");
    }
    // For a Mainstay behind this one: one budget of attempts and time, and no loop.
    headers.set(VIA, call.origin().via());
    headers.set(ATTEMPTS, attemptsLeft);
    headers.set(DEADLINE, leftMs);
    provider.headers().forEach(headers::set);
    if (key != null) {
      authorise(headers, provider.api(), key);
    }
    return headers;
  }

  /**
   * Without Netty's own checks: what would break the framing is kept out where heads are written.
   */
  private static HttpHeaders fresh() {
    return FACTORY.newHeaders();
  }

  private static void set(HttpHeaders headers, String name, @Nullable String value) {
    if (value != null) {
      headers.set(name, value);
    }
  }

  public static void authorise(HttpHeaders headers, Api api, String key) {
    switch (api) {
      case OPENAI, MISTRAL -> headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + key);
      case ANTHROPIC -> headers.set("x-api-key", key);
      case GEMINI -> headers.set("x-goog-api-key", key);
    }
  }

  /** What of a provider's answer headers goes to the client. */
  public static HttpHeaders answer(@Nullable HttpHeaders from) {
    var headers = fresh();
    if (from != null) {
      for (var entry : from) {
        var name = entry.getKey().toLowerCase(Locale.ROOT);
        if (!NOT_TO_CLIENT.contains(name)
            && !name.startsWith("x-mainstay-")
            && !name.startsWith("access-control-")) {
          headers.add(name, entry.getValue());
        }
      }
    }
    return headers;
  }

  /** Hosts that are known to take {@code stream_options.include_usage}. */
  private static final Set<String> TAKE_USAGE =
      Set.of(
          "api.openai.com",
          "api.groq.com",
          "api.deepseek.com",
          "openrouter.ai",
          "api.together.xyz",
          "api.fireworks.ai",
          "api.x.ai");

  /** Whether a chat stream of {@code provider} may be asked for its usage. */
  public static boolean takesUsage(ProviderSpec provider) {
    var host = provider.options().baseUrl().getHost();
    return provider.api() == Api.OPENAI
        && host != null
        && (TAKE_USAGE.contains(host) || host.endsWith(".openai.azure.com"));
  }

  /** The content type of a stream in {@code dialect}. */
  static String streamType(Dialect dialect) {
    return dialect == Dialect.GEMINI ? "text/event-stream" : "text/event-stream; charset=utf-8";
  }
}
