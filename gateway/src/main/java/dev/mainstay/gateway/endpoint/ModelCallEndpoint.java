package dev.mainstay.gateway.endpoint;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.config.Client;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.InboundRequest;
import dev.mainstay.engine.Refusals;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import org.jspecify.annotations.Nullable;

/** Turns a client's request into a call. Thread-safe. */
public final class ModelCallEndpoint {
  private final Engine engine;
  private final InboundRequests requests;

  public ModelCallEndpoint(Engine engine, InboundRequests requests) {
    this.engine = engine;
    this.requests = requests;
  }

  public void handle(Exchange exchange, Faces.Face face, @Nullable Client client) {
    var events = new ExchangeRecipient(exchange);
    var to =
        JsonArrayRecipient.isMeant(face, exchange.query())
            ? new JsonArrayRecipient(events)
            : events;
    var id = engine.newId();
    var headers = exchange.headers();
    var via = headers.get(RequestHeaders.VIA);
    if (via != null && via.contains(engine.instance())) {
      refuse(to, face, id, exchange, client, CallRefusal.loop());
      return;
    }
    byte[] body = exchange.takeBody();
    RequestHead head;
    try {
      head = RequestReader.read(face.operation(), body);
    } catch (MalformedRequest e) {
      refuse(
          to, face, id, exchange, client, invalid("invalid_json", String.valueOf(e.getMessage())));
      return;
    }
    var model = face.model() != null ? face.model() : head.model();
    if (model == null || model.isEmpty()) {
      refuse(
          to, face, id, exchange, client, invalid("missing_model", "the field model is missing"));
      return;
    }
    InboundRequest request;
    try {
      request = requests.request(id, face, client, exchange, model, head, body);
    } catch (MalformedRequest e) {
      refuse(to, face, id, exchange, client, RequestHeaders.invalid(e));
      return;
    }
    if (client != null && !client.models().isEmpty() && !client.models().contains(model)) {
      engine.refuse(
          CallRefusal.caller(
              403, Kind.PERMISSION, "model_not_allowed", "this client may not use this model"),
          request,
          to);
      return;
    }
    engine.submit(request, to);
  }

  private static CallRefusal invalid(String code, String message) {
    return CallRefusal.caller(400, Kind.INVALID_REQUEST, code, message);
  }

  private void refuse(
      Recipient to,
      Faces.Face face,
      String id,
      Exchange exchange,
      @Nullable Client client,
      CallRefusal refusal) {
    engine.refuse(
        refusal, Refusals.Request.unread(id, face.dialect(), exchange.path(), client), to);
  }
}
