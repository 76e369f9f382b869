package dev.mainstay.engine;

import dev.mainstay.config.Client;
import dev.mainstay.engine.model.ModelCall;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.http.Loops;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestReader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Typed model requests, in process. Plain blocking code on virtual threads; the engine's loops do
 * the I/O. Thread-safe.
 */
public final class Models {
  /** What stands as the path in the record of a call that came over no path. */
  static final String PATH = "in-process";

  private final Engine engine;
  private final Loops loops;
  private final String instance;
  private final ConcurrentHashMap<String, InProcessCall> running = new ConcurrentHashMap<>();

  /**
   * @param instance this process's name in {@code x-mainstay-via}
   */
  Models(Engine engine, Loops loops, String instance) {
    this.engine = engine;
    this.loops = loops;
    this.instance = instance;
  }

  /**
   * Makes a request and waits for its outcome.
   *
   * @throws InterruptedException when the calling thread was interrupted; the call is then
   *     cancelled
   * @throws IllegalArgumentException when the request names a client that is not configured
   */
  public ModelOutcome call(ModelRequest request) throws InterruptedException {
    return call(request, event -> {});
  }

  /** As {@link #call(ModelRequest)}; {@code events} hears the answer on the calling thread. */
  public ModelOutcome call(ModelRequest request, Consumer<ModelEvent> events)
      throws InterruptedException {
    return start(request).await(events);
  }

  /**
   * Starts a request.
   *
   * @throws IllegalArgumentException when the request names a client that is not configured
   */
  public ModelCall start(ModelRequest request) {
    var inbound = inbound(engine.newId(), request);
    var call = new InProcessCall(inbound.id(), loops.next(), () -> running.remove(inbound.id()));
    running.put(inbound.id(), call);
    call.loop().execute(() -> engine.launch(inbound, call, call::refused));
    return call;
  }

  private InboundRequest inbound(String id, ModelRequest request) {
    var body = request.body();
    try {
      var head = RequestReader.read(Operation.CHAT, body);
      var origin = request.origin();
      return new InboundRequest(
          id,
          new InboundRequest.Input(
              Operation.CHAT, Dialect.OPENAI_CHAT, request.model(), head, body, true),
          new InboundRequest.Origin(
              client(origin.client()),
              origin.agent() == null ? PATH : CallRecord.AGENT_PATH + origin.agent(),
              "",
              false,
              instance,
              origin.run(),
              origin.parent()),
          request.limits(),
          Map.of(),
          true,
          InboundRequest.Resend.NONE,
          null,
          request.settings());
    } catch (MalformedRequest e) {
      throw new IllegalArgumentException(
          "the options do not make a valid request: " + e.getMessage(), e);
    }
  }

  private @Nullable Client client(@Nullable String name) {
    if (name == null) {
      return null;
    }
    for (var client : engine.config().clients()) {
      if (client.name().equals(name)) {
        return client;
      }
    }
    throw new IllegalArgumentException("the configuration has no client named " + name);
  }

  /** A call has ended, with its record. */
  void ended(CallRecord record, List<AttemptRecord> attempts) {
    var call = running.remove(record.id());
    if (call != null) {
      call.recorded(record, attempts);
    }
  }
}
