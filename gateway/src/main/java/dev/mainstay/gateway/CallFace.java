package dev.mainstay.gateway;

import dev.mainstay.call.Calls;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.gateway.config.Config;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns a client's request into a call. Thread-safe. */
final class CallFace {
  /** The client's own words to the provider; everything else stays here. */
  private static final List<String> TO_PROVIDER =
      List.of("anthropic-version", "anthropic-beta", "openai-beta", "traceparent", "tracestate");

  /** What is kept of an SDK's own timeout for the way back. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final Calls calls;
  private final Once once;
  private final String instance;

  /**
   * @param instance this process's name in {@code x-mainstay-via}
   */
  CallFace(Calls calls, Once once, String instance) {
    this.calls = calls;
    this.once = once;
    this.instance = instance;
  }

  void handle(Exchange exchange, Faces.Face face, Config.@Nullable Client client) {
    var id = calls.newId();
    var headers = exchange.headers();
    var via = headers.get("x-mainstay-via");
    if (via != null && via.contains(instance)) {
      Refuse.caller(
              508,
              Kind.INVALID_REQUEST,
              "loop",
              "this request has come through this gateway before: a provider's base-url leads back"
                  + " to it")
          .send(exchange, face.dialect(), id);
      return;
    }
    byte[] body = ByteBufUtil.getBytes(exchange.body());
    RequestHead head;
    try {
      head = RequestReader.read(face.operation(), body);
    } catch (MalformedRequest e) {
      refuse(exchange, face, id, 400, Kind.INVALID_REQUEST, "invalid_json", e.getMessage());
      return;
    }
    var model = face.model() != null ? face.model() : head.model();
    if (model == null || model.isEmpty()) {
      refuse(
          exchange,
          face,
          id,
          400,
          Kind.INVALID_REQUEST,
          "missing_model",
          "the field model is missing");
      return;
    }
    if (client != null && !client.models().isEmpty() && !client.models().contains(model)) {
      refuse(
          exchange,
          face,
          id,
          403,
          Kind.PERMISSION,
          "model_not_allowed",
          "this client may not ask for this model");
      return;
    }
    once.answer(
        exchange,
        new Ask(
            id,
            face,
            client,
            exchange.path(),
            exchange.query(),
            model,
            head,
            body,
            limits(headers),
            face.model() != null ? face.stream() : head.stream(),
            toProvider(headers),
            via == null ? instance : via + "," + instance,
            headers.get("x-mainstay-run"),
            headers.get("x-mainstay-parent"),
            !"off".equals(headers.get("x-mainstay-record"))));
  }

  private static void refuse(
      Exchange exchange,
      Faces.Face face,
      String id,
      int status,
      Kind kind,
      String code,
      @Nullable String message) {
    Refuse.caller(status, kind, code, String.valueOf(message)).send(exchange, face.dialect(), id);
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

  /** What the caller grants; anything that is no number is ignored. */
  static Limits limits(HttpHeaders headers) {
    var attempts = number(headers.get("x-mainstay-attempts"));
    var deadlineMs = number(headers.get("x-mainstay-deadline-ms"));
    var deadline = deadlineMs == null || deadlineMs < 1 ? null : Duration.ofMillis(deadlineMs);
    var seconds = number(headers.get("x-stainless-timeout"));
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
