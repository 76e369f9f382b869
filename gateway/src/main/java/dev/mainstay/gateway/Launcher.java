package dev.mainstay.gateway;

import dev.mainstay.call.CallRequest;
import dev.mainstay.call.Calls;
import dev.mainstay.call.Recipient;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.verdict.Kind;
import java.util.List;
import java.util.function.Supplier;

/** Begins calls in the newest generation of the configuration. Thread-safe. */
@SuppressWarnings("ReferenceEquality") // a generation is the same or it is another
final class Launcher {
  private final Calls calls;
  private final Supplier<Generation> current;
  private final ClientLimits limits;

  Launcher(Calls calls, Supplier<Generation> current, ClientLimits limits) {
    this.calls = calls;
    this.current = current;
    this.limits = limits;
  }

  /**
   * Begins the call that {@code ask} wants, on the recipient's loop.
   *
   * @return false where the recipient was refused instead: no call was made
   */
  boolean launch(Ask ask, Recipient to) {
    while (true) {
      var generation = current.get();
      switch (generation.router().find(ask.model(), ask.face().operation())) {
        case Router.Way.None none -> {
          Refuse.caller(
                  none.status(),
                  none.status() == 404 ? Kind.NOT_FOUND_MODEL : Kind.INVALID_REQUEST,
                  none.code(),
                  none.why())
              .send(to, ask.face().dialect(), ask.id());
          return false;
        }
        case Router.Way.Found found -> {
          var client = ask.client();
          var wait = client == null ? null : limits.take(client);
          if (wait != null) {
            Refuse.limited(wait.limit(), wait.time()).send(to, ask.face().dialect(), ask.id());
            return false;
          }
          if (started(ask, found, generation, to)) {
            return true;
          }
        }
      }
    }
  }

  /** Whether the call has begun; false where its generation has just been replaced. */
  private boolean started(Ask ask, Router.Way.Found found, Generation generation, Recipient to) {
    try {
      calls.start(
          ask.id(),
          request(ask, found, generation),
          generation.upstreams(),
          generation.guards(),
          to);
      return true;
    } catch (IllegalStateException e) {
      var client = ask.client();
      if (client != null) {
        limits.ended(client.name(), 0);
      }
      if (generation == current.get()) {
        throw e;
      }
      return false;
    }
  }

  private static CallRequest request(Ask ask, Router.Way.Found found, Generation generation) {
    var client = ask.client();
    return new CallRequest(
        ask.face().operation(),
        ask.face().dialect(),
        ask.path(),
        ask.model(),
        ask.head().bound() ? new Route(List.of(found.route().target(0))) : found.route(),
        found.settings(),
        ask.limits(),
        ask.stream(),
        ask.head(),
        ask.body(),
        ask.toProvider(),
        ask.via(),
        client == null ? null : client.name(),
        ask.run(),
        ask.parent(),
        generation.config().recording().bodies() && ask.record());
  }
}
