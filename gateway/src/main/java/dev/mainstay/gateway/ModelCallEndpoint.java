package dev.mainstay.gateway;

import dev.mainstay.call.Calls;
import dev.mainstay.config.Config;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import org.jspecify.annotations.Nullable;

/** Turns a client's request into a call. Thread-safe. */
final class ModelCallEndpoint {
  private final Calls calls;
  private final IdempotencyFilter once;
  private final InboundRequests asks;
  private final String instance;

  /**
   * @param instance this process's name in {@code x-mainstay-via}
   */
  ModelCallEndpoint(Calls calls, IdempotencyFilter once, InboundRequests asks, String instance) {
    this.calls = calls;
    this.once = once;
    this.asks = asks;
    this.instance = instance;
  }

  void handle(Exchange exchange, Faces.Face face, Config.@Nullable Client client) {
    var id = calls.newId();
    var headers = exchange.headers();
    var via = headers.get("x-mainstay-via");
    if (via != null && via.contains(instance)) {
      RefusalResponse.loop().send(exchange, face.dialect(), id);
      return;
    }
    byte[] body = exchange.takeBody();
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
    var path = exchange.path();
    var query = exchange.query();
    var name = client == null ? "" : client.name();
    once.answer(
        exchange,
        asks.ask(
            id,
            face,
            client,
            path,
            query,
            model,
            head,
            body,
            headers,
            DurableCalls.request(headers, name, path, query, body)));
  }

  private static void refuse(
      Exchange exchange,
      Faces.Face face,
      String id,
      int status,
      Kind kind,
      String code,
      @Nullable String message) {
    RefusalResponse.caller(status, kind, code, String.valueOf(message))
        .send(exchange, face.dialect(), id);
  }
}
