package dev.mainstay.gateway.endpoint;

import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.engine.InboundRequest;
import dev.mainstay.engine.KeptRequestReader;
import dev.mainstay.http.Exchange;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes of a request what is asked, of one that comes and of one that was kept. Thread-safe. */
public final class InboundRequests implements KeptRequestReader {
  /** The client's own words to the provider; everything else stays here. */
  private static final List<AsciiString> TO_PROVIDER =
      List.of(
          RequestHeaders.ANTHROPIC_VERSION,
          RequestHeaders.ANTHROPIC_BETA,
          RequestHeaders.OPENAI_BETA,
          RequestHeaders.TRACEPARENT,
          RequestHeaders.TRACESTATE);

  /** What is kept of an SDK's own timeout for the way back. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  /** What of a request decides what is made of it; no key is among them. */
  private static final List<AsciiString> KEPT_HEADERS =
      List.of(
          RequestHeaders.USER_AGENT,
          RequestHeaders.ANTHROPIC_VERSION,
          RequestHeaders.ANTHROPIC_BETA,
          RequestHeaders.OPENAI_BETA,
          RequestHeaders.RUN,
          RequestHeaders.PARENT,
          RequestHeaders.ATTEMPTS,
          RequestHeaders.RECORD);

  private final Supplier<Config> current;
  private final Supplier<String> instance;

  /**
   * @param instance this process's name in {@code x-mainstay-via}
   */
  public InboundRequests(Supplier<Config> current, Supplier<String> instance) {
    this.current = current;
    this.instance = instance;
  }

  @Override
  public InboundRequest read(String id, KeptCalls.Request kept) {
    var headers = new DefaultHttpHeaders();
    kept.headers().forEach(header -> headers.add(header.getKey(), header.getValue()));
    var face = Faces.of(kept.path(), headers);
    if (face == null) {
      throw new IllegalArgumentException("its path no longer exists");
    }
    var client = client(kept.client());
    try {
      var head = RequestReader.read(face.operation(), kept.body());
      var model = face.model() != null ? face.model() : head.model();
      if (model == null || model.isEmpty()) {
        throw new IllegalArgumentException("it names no model");
      }
      return request(
          id,
          input(face, model, head, kept.body()),
          client,
          kept.path(),
          kept.query(),
          headers,
          kept);
    } catch (MalformedRequest e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private @Nullable Client client(String name) {
    if (name.isEmpty()) {
      return null;
    }
    for (var client : current.get().clients()) {
      if (client.name().equals(name)) {
        return client;
      }
    }
    throw new IllegalArgumentException("its client is no longer in the configuration");
  }

  /**
   * The request of an exchange whose body was read.
   *
   * @throws MalformedRequest if a header of ours asks for something unknown
   */
  InboundRequest request(
      String id,
      Faces.Face face,
      @Nullable Client client,
      Exchange exchange,
      String model,
      RequestHead head,
      byte[] body)
      throws MalformedRequest {
    var headers = exchange.headers();
    var name = client == null ? "" : client.name();
    var path = exchange.path();
    var query = exchange.query();
    return request(
        id,
        input(face, model, head, body),
        client,
        path,
        query,
        headers,
        kept(headers, name, path, query, body));
  }

  private static InboundRequest.Input input(
      Faces.Face face, String model, RequestHead head, byte[] body) {
    return new InboundRequest.Input(
        face.operation(),
        face.dialect(),
        model,
        head,
        body,
        face.model() != null ? face.stream() : head.stream());
  }

  private InboundRequest request(
      String id,
      InboundRequest.Input input,
      @Nullable Client client,
      String path,
      String query,
      HttpHeaders headers,
      KeptCalls.@Nullable Request durable)
      throws MalformedRequest {
    var via = headers.get(RequestHeaders.VIA);
    var limits = limits(headers, input.stream());
    return new InboundRequest(
        id,
        input,
        new InboundRequest.Origin(
            client,
            path,
            query,
            Faces.openAiSdk(headers),
            via == null ? instance.get() : via + "," + instance.get(),
            headers.get(RequestHeaders.RUN),
            headers.get(RequestHeaders.PARENT)),
        // Nobody waits for it: how long its client's SDK would have does not matter.
        durable != null && durable.async() ? new Limits(limits.maxAttempts(), null, null) : limits,
        toProvider(headers),
        RequestHeaders.isOn(headers, RequestHeaders.RECORD, true),
        resend(headers),
        durable,
        UnaryOperator.identity());
  }

  private static InboundRequest.Resend resend(HttpHeaders headers) {
    var key = headers.get(RequestHeaders.IDEMPOTENCY_KEY);
    var retry = headers.get(RequestHeaders.SDK_RETRY_COUNT);
    return new InboundRequest.Resend(
        key == null || key.isBlank() ? null : key,
        retry == null ? null : (Integer) (isRetry(retry) ? 1 : 0),
        headers.get(RequestHeaders.LAST_EVENT_ID));
  }

  private static boolean isRetry(String count) {
    for (int i = 0; i < count.length(); i++) {
      if (count.charAt(i) >= '1' && count.charAt(i) <= '9') {
        return true;
      }
    }
    return false;
  }

  /** The request as it is kept, or null where its headers do not ask for that. */
  private static KeptCalls.@Nullable Request kept(
      HttpHeaders headers, String client, String path, String query, byte[] body)
      throws MalformedRequest {
    boolean async = isAsync(headers);
    if (!RequestHeaders.isOn(headers, RequestHeaders.KEEP, false) && !async) {
      return null;
    }
    var kept = new ArrayList<Map.Entry<String, String>>();
    for (var name : KEPT_HEADERS) {
      var value = headers.get(name);
      if (value != null) {
        kept.add(Map.entry(name.toString(), value));
      }
    }
    // A call that its client waits for has its key in the table of answers.
    var key = async ? headers.get(RequestHeaders.IDEMPOTENCY_KEY) : null;
    return new KeptCalls.Request(
        client, async, key, InboundRequest.hash(path, query, body), path, query, kept, body);
  }

  /** https://www.rfc-editor.org/rfc/rfc7240#section-4.1 */
  private static boolean isAsync(HttpHeaders headers) {
    if (!headers.contains(RequestHeaders.PREFER)) {
      return false;
    }
    for (var value : headers.getAll(RequestHeaders.PREFER)) {
      for (var part : value.split(",")) {
        if (part.strip().toLowerCase(Locale.ROOT).equals("respond-async")) {
          return true;
        }
      }
    }
    return false;
  }

  private static Map<String, String> toProvider(HttpHeaders headers) {
    var chosen = new HashMap<String, String>(4);
    for (var name : TO_PROVIDER) {
      if (headers.contains(name)) {
        chosen.put(name.toString(), String.join(",", headers.getAll(name)));
      }
    }
    return chosen;
  }

  /**
   * What the caller grants a stream or a whole answer. An SDK's time that is no number is ignored:
   * its user did not write it.
   *
   * @throws MalformedRequest if a header of ours is no number
   */
  static Limits limits(HttpHeaders headers, boolean stream) throws MalformedRequest {
    var attempts = RequestHeaders.count(headers, RequestHeaders.ATTEMPTS);
    var deadlineMs = RequestHeaders.count(headers, RequestHeaders.DEADLINE_MS);
    var deadline = deadlineMs == null ? null : Duration.ofMillis(deadlineMs);
    var seconds = number(headers.get(RequestHeaders.SDK_TIMEOUT));
    if (seconds == null && !stream) {
      // The Python SDKs'; it is for each read, and a stream that waits is kept alive.
      seconds = number(headers.get(RequestHeaders.SDK_READ_TIMEOUT));
    }
    Duration lastAttempt = null;
    if (seconds != null && seconds > 0) {
      // The attempt under way goes on: the SDK asks again, and its retry joins it.
      var sdk = Duration.ofSeconds(seconds);
      lastAttempt =
          sdk.compareTo(MARGIN.multipliedBy(2)) > 0 ? sdk.minus(MARGIN) : sdk.dividedBy(2);
    }
    return new Limits(
        attempts == null ? null : (Integer) (int) Math.min(attempts, 1000), deadline, lastAttempt);
  }

  private static @Nullable Long number(@Nullable String text) {
    if (text == null || text.isEmpty() || text.length() > 15) {
      return null;
    }
    // The SDKs write seconds as 600 or 600.0.
    int dot = text.indexOf('.');
    var whole = dot < 0 ? text : text.substring(0, dot);
    for (int i = 0; i < whole.length(); i++) {
      if (whole.charAt(i) < '0' || whole.charAt(i) > '9') {
        return null;
      }
    }
    return whole.isEmpty() ? null : (Long) Long.parseLong(whole);
  }
}
