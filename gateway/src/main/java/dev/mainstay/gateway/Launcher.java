package dev.mainstay.gateway;

import dev.mainstay.call.BudgetReservation;
import dev.mainstay.call.CallRequest;
import dev.mainstay.call.Calls;
import dev.mainstay.call.Recipient;
import dev.mainstay.config.Config;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.gateway.money.Spending;
import dev.mainstay.gateway.telemetry.Traces;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Begins calls in the newest generation, for clients that may still spend. Thread-safe. */
@SuppressWarnings("ReferenceEquality") // a generation is the same or it is another
final class Launcher {
  private final Calls calls;
  private final Supplier<Generation> current;
  private final ClientLimits limits;
  private final Spending spending;
  private final Traces traces;

  Launcher(
      Calls calls,
      Supplier<Generation> current,
      ClientLimits limits,
      Spending spending,
      Traces traces) {
    this.traces = traces;
    this.calls = calls;
    this.current = current;
    this.limits = limits;
    this.spending = spending;
  }

  /**
   * Begins the call that {@code ask} wants, on the recipient's loop.
   *
   * @param notBegun runs where the recipient was refused instead and no call was made
   */
  void launch(InboundRequest ask, Recipient to, Runnable notBegun) {
    var found = found(ask, to, current.get());
    if (found == null) {
      notBegun.run();
      return;
    }
    var client = ask.client();
    var wait = client == null ? null : limits.take(client);
    if (wait != null) {
      RefusalResponse.limited(wait.limit(), wait.time()).send(to, ask.face().dialect(), ask.id());
      notBegun.run();
    } else if (client == null || !Spending.limits(client, ask.run())) {
      begin(ask, to, BudgetReservation.OPEN, notBegun);
    } else {
      spending
          .reserve(
              ask.id(),
              client,
              ask.run(),
              ask.face().operation(),
              ask.head(),
              ask.body(),
              route(ask, found))
          .thenAccept(entry -> to.loop().execute(() -> entered(entry, ask, client, to, notBegun)));
    }
  }

  private void entered(
      Spending.Entry entry,
      InboundRequest ask,
      Config.Client client,
      Recipient to,
      Runnable notBegun) {
    switch (entry) {
      case Spending.Entry.Granted granted -> begin(ask, to, granted.purse(), notBegun);
      case Spending.Entry.Refused no ->
          refused(
              RefusalResponse.budget(no.message(), no.forGood(), no.after()),
              ask,
              client,
              to,
              notBegun);
      case Spending.Entry.Unpriced no ->
          refused(
              RefusalResponse.caller(403, Kind.BUDGET_EXCEEDED, "price_unknown", no.message()),
              ask,
              client,
              to,
              notBegun);
    }
  }

  private void refused(
      RefusalResponse refusal,
      InboundRequest ask,
      Config.Client client,
      Recipient to,
      Runnable notBegun) {
    refusal.send(to, ask.face().dialect(), ask.id());
    limits.ended(client.name(), 0);
    notBegun.run();
  }

  private void begin(InboundRequest ask, Recipient to, BudgetReservation purse, Runnable notBegun) {
    boolean begun = false;
    try {
      begun = begun(ask, to, purse);
    } finally {
      if (!begun) {
        var client = ask.client();
        if (client != null) {
          limits.ended(client.name(), 0);
        }
        spending.refused(ask.id());
        traces.forget(ask.id());
        notBegun.run();
      }
    }
  }

  private boolean begun(InboundRequest ask, Recipient to, BudgetReservation purse) {
    while (true) {
      var generation = current.get();
      var found = found(ask, to, generation);
      if (found == null) {
        return false;
      }
      try {
        calls.start(
            ask.id(),
            request(ask, found, generation),
            generation.upstreams(),
            generation.guards(),
            to,
            purse);
        return true;
      } catch (IllegalStateException e) {
        // Its generation has just been replaced and closed, unless it is still the newest.
        if (generation == current.get()) {
          throw e;
        }
      }
    }
  }

  private static Router.Way.@Nullable Found found(
      InboundRequest ask, Recipient to, Generation generation) {
    return switch (generation.router().find(ask.model(), ask.face().operation())) {
      case Router.Way.Found found -> found;
      case Router.Way.None none -> {
        RefusalResponse.caller(
                none.status(),
                none.status() == 404 ? Kind.NOT_FOUND_MODEL : Kind.INVALID_REQUEST,
                none.code(),
                none.why())
            .send(to, ask.face().dialect(), ask.id());
        yield null;
      }
    };
  }

  private static Route route(InboundRequest ask, Router.Way.Found found) {
    return ask.head().bound() ? new Route(List.of(found.route().target(0))) : found.route();
  }

  private CallRequest request(InboundRequest ask, Router.Way.Found found, Generation generation) {
    var client = ask.client();
    var onward = traces.begin(ask.id(), ask.toProvider());
    return new CallRequest(
        ask.face().operation(),
        ask.face().dialect(),
        ask.path(),
        ask.model(),
        route(ask, found),
        found.settings(),
        ask.limits(),
        ask.stream(),
        ask.openAiSdk(),
        ask.head(),
        ask.body(),
        onward.headers(),
        onward.attempt(),
        ask.via(),
        client == null ? null : client.name(),
        ask.run(),
        ask.parent(),
        generation.config().recording().bodies() && ask.record());
  }
}
