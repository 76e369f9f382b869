package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes of a request what is asked, of one that comes and of one that was kept. Thread-safe. */
final class InboundRequests {
  /** The client's own words to the provider; everything else stays here. */
  private static final List<String> TO_PROVIDER =
      List.of("anthropic-version", "anthropic-beta", "openai-beta", "traceparent", "tracestate");

  /** What is kept of an SDK's own timeout for the way back. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final Supplier<Generation> current;
  private final String instance;

  /**
   * @param instance this process's name in {@code x-mainstay-via}
   */
  InboundRequests(Supplier<Generation> current, String instance) {
    this.current = current;
    this.instance = instance;
  }

  /**
   * What a kept request asks now.
   *
   * @throws IllegalArgumentException where it cannot be asked any more, with the reason
   */
  InboundRequest of(String id, KeptCalls.Request request) {
    var headers = new DefaultHttpHeaders();
    request.headers().forEach(header -> headers.add(header.getKey(), header.getValue()));
    var face = Faces.of(request.path(), headers);
    if (face == null) {
      throw new IllegalArgumentException("nothing is offered at its path any more");
    }
    var client = client(request.client());
    try {
      var head = RequestReader.read(face.operation(), request.body());
      var model = face.model() != null ? face.model() : head.model();
      if (model == null || model.isEmpty()) {
        throw new IllegalArgumentException("it names no model");
      }
      return ask(
          id,
          face,
          client,
          request.path(),
          request.query(),
          model,
          head,
          request.body(),
          headers,
          request);
    } catch (MalformedRequest e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private Config.@Nullable Client client(String name) {
    if (name.isEmpty()) {
      return null;
    }
    for (var client : current.get().config().clients()) {
      if (client.name().equals(name)) {
        return client;
      }
    }
    throw new IllegalArgumentException("its client is not in the configuration any more");
  }

  /** What a request asks whose body was read. */
  InboundRequest ask(
      String id,
      Faces.Face face,
      Config.@Nullable Client client,
      String path,
      String query,
      String model,
      RequestHead head,
      byte[] body,
      HttpHeaders headers,
      KeptCalls.@Nullable Request lasting) {
    var via = headers.get("x-mainstay-via");
    boolean stream = face.model() != null ? face.stream() : head.stream();
    var limits = limits(headers, stream);
    return new InboundRequest(
        id,
        face,
        client,
        path,
        query,
        model,
        head,
        body,
        // Nobody waits for it: how long its client's SDK would have does not matter.
        lasting != null && lasting.async() ? new Limits(limits.maxAttempts(), null) : limits,
        stream,
        Faces.openAiSdk(headers),
        toProvider(headers),
        via == null ? instance : via + "," + instance,
        headers.get("x-mainstay-run"),
        headers.get("x-mainstay-parent"),
        !"off".equals(headers.get("x-mainstay-record")),
        lasting);
  }

  private static Map<String, String> toProvider(HttpHeaders headers) {
    var chosen = new HashMap<String, String>(4);
    for (var name : TO_PROVIDER) {
      var values = headers.getAll(name);
      if (!values.isEmpty()) {
        chosen.put(name, String.join(",", values));
      }
    }
    return chosen;
  }

  /** What the caller grants a stream or a whole answer; what is no number is ignored. */
  static Limits limits(HttpHeaders headers, boolean stream) {
    var attempts = number(headers.get("x-mainstay-attempts"));
    var deadlineMs = number(headers.get("x-mainstay-deadline-ms"));
    var deadline = deadlineMs == null || deadlineMs < 1 ? null : Duration.ofMillis(deadlineMs);
    var seconds = number(headers.get("x-stainless-timeout"));
    if (seconds == null && !stream) {
      // The Python SDKs'; it is for each read, and a stream that waits is kept alive.
      seconds = number(headers.get("x-stainless-read-timeout"));
    }
    if (seconds != null && seconds > 0) {
      var sdk = Duration.ofSeconds(seconds);
      var kept = sdk.compareTo(MARGIN.multipliedBy(2)) > 0 ? sdk.minus(MARGIN) : sdk.dividedBy(2);
      deadline = deadline == null || kept.compareTo(deadline) < 0 ? kept : deadline;
    }
    return new Limits(
        attempts == null || attempts < 1 ? null : (Integer) (int) Math.min(attempts, 1000),
        deadline);
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
