package dev.mainstay.engine;

import dev.mainstay.call.Calls;
import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.ObjectBinding;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.money.Spending;
import dev.mainstay.wire.request.ObjectIds;
import java.util.LinkedHashSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins calls in the newest generation, for clients that may still spend. A request is routed
 * once: the route that money is reserved for is the route of its call. Thread-safe.
 */
@SuppressWarnings("ReferenceEquality") // a generation is the same or it is another
final class CallLauncher {
  private final Calls calls;
  private final Supplier<Generation> current;
  private final ClientLimits limits;
  private final Spending spending;
  private final CallTracing tracing;
  private final ObjectRouting objects;
  private final Refusals refusals;

  CallLauncher(
      Calls calls,
      Supplier<Generation> current,
      ClientLimits limits,
      Spending spending,
      CallTracing tracing,
      ObjectRouting objects,
      Refusals refusals) {
    this.calls = calls;
    this.current = current;
    this.limits = limits;
    this.spending = spending;
    this.tracing = tracing;
    this.objects = objects;
    this.refusals = refusals;
  }

  /** A request with its route, in a generation that stays open for it, and what it holds. */
  private final class Routed {
    final InboundRequest request;
    final Recipient to;
    final Generation generation;
    final Router.Resolution.Found found;
    final RouteLease lease;
    final ObjectBinding binding;
    private final Runnable notBegun;
    private boolean limited;
    private boolean over;

    Routed(
        InboundRequest request,
        Recipient to,
        Runnable notBegun,
        Generation generation,
        Router.Resolution.Found found,
        RouteLease lease,
        ObjectBinding binding) {
      this.request = request;
      this.to = to;
      this.notBegun = notBegun;
      this.generation = generation;
      this.found = found;
      this.lease = lease;
      this.binding = binding;
    }

    void refused(CallRefusal refusal) {
      refusals.refuse(refusal, request, to);
      giveBack();
    }

    /** The call has begun: its own end gives back what is held. */
    void begun() {
      over = true;
    }

    void giveBack() {
      if (over) {
        return;
      }
      over = true;
      lease.close();
      var client = request.origin().client();
      if (limited && client != null) {
        limits.ended(client.name(), 0);
      }
      spending.refused(request.id());
      tracing.forget(request.id());
      notBegun.run();
    }
  }

  /**
   * Begins the call that {@code request} asks for, on the recipient's loop.
   *
   * @param notBegun runs where the recipient was refused instead and no call was made
   */
  void launch(InboundRequest request, Recipient to, Runnable notBegun) {
    var routing = new RequestGuard(request, to, notBegun, refusals);
    routing.run(
        () -> {
          var input = request.input();
          var ids = ObjectIds.named(input.body(), input.head());
          if (ids.isEmpty()) {
            launch(request, to, notBegun, ObjectRouting.NamedObjects.NOTHING);
          } else {
            routing.then(
                objects.find(ids),
                (named, failed) -> {
                  if (named == null) {
                    throw new IllegalStateException("the objects were not looked up", failed);
                  }
                  launch(request, to, notBegun, named);
                });
          }
        });
  }

  private void launch(
      InboundRequest request, Recipient to, Runnable notBegun, ObjectRouting.NamedObjects named) {
    var routed = route(request, to, notBegun, named);
    if (routed != null) {
      var guard = new RequestGuard(request, to, routed::giveBack, refusals);
      guard.run(() -> launch(routed, guard));
    }
  }

  private void launch(Routed routed, RequestGuard guard) {
    var request = routed.request;
    var client = request.origin().client();
    var wait = client == null ? null : limits.take(client);
    if (wait != null) {
      routed.refused(CallRefusal.limited(wait.limit(), wait.time()));
      return;
    }
    routed.limited = client != null;
    if (client == null || !Spending.limits(client, request.origin().run())) {
      begin(routed, BudgetReservation.OPEN);
    } else {
      guard.then(
          spending.reserve(
              request.id(),
              client,
              request.origin().run(),
              request.operation(),
              request.input().head(),
              request.input().body(),
              routed.found.route()),
          (entry, failed) -> {
            if (entry == null) {
              throw new IllegalStateException("the budget did not answer", failed);
            }
            entered(entry, routed);
          });
    }
  }

  private @Nullable Routed route(
      InboundRequest request, Recipient to, Runnable notBegun, ObjectRouting.NamedObjects named) {
    while (true) {
      var generation = current.get();
      switch (generation.router().find(request.input().model(), request.operation())) {
        case Router.Resolution.None none -> {
          refusals.refuse(
              CallRefusal.caller(
                  none.status(),
                  none.status() == 404 ? Kind.NOT_FOUND_MODEL : Kind.INVALID_REQUEST,
                  none.code(),
                  none.why()),
              request,
              to);
          notBegun.run();
          return null;
        }
        case Router.Resolution.Found found -> {
          var providers = new LinkedHashSet<String>();
          found.route().targets().forEach(target -> providers.add(target.provider()));
          var bound = objects.bind(named, request.clientName(), providers, generation.upstreams());
          if (bound instanceof ObjectRouting.Bound.Refused refused) {
            refusals.refuse(refused.why(), request, to);
            notBegun.run();
            return null;
          }
          var way = bound(request, found, bound);
          var key = bound instanceof ObjectRouting.Bound.To made ? made.key() : null;
          try {
            var lease = RouteLease.of(way.route(), generation.upstreams());
            var binding = objects.binding(key, request.clientName(), false, named);
            return new Routed(request, to, notBegun, generation, way, lease, binding);
          } catch (IllegalStateException e) {
            // Its generation has just been replaced and closed, unless it is still the newest.
            if (generation == current.get()) {
              throw e;
            }
          }
        }
      }
    }
  }

  private static Router.Resolution.Found bound(
      InboundRequest request, Router.Resolution.Found found, ObjectRouting.Bound bound) {
    if (bound instanceof ObjectRouting.Bound.To to) {
      return new Router.Resolution.Found(
          ObjectRouting.route(found.route(), to.by()), found.settings());
    }
    return request.input().head().objects().named()
        ? new Router.Resolution.Found(Route.of(found.route().target(0)), found.settings())
        : found;
  }

  private void entered(Spending.Entry entry, Routed routed) {
    switch (entry) {
      case Spending.Entry.Granted granted -> begin(routed, granted.reservation());
      case Spending.Entry.Refused no ->
          routed.refused(CallRefusal.budget(no.message(), no.forGood(), no.after()));
      case Spending.Entry.Unwritten no ->
          routed.refused(CallRefusal.unwritten(no.message(), no.after()));
      case Spending.Entry.Unpriced no ->
          routed.refused(
              CallRefusal.caller(403, Kind.BUDGET_EXCEEDED, "price_unknown", no.message()));
    }
  }

  private void begin(Routed routed, BudgetReservation reservation) {
    calls.start(
        routed.request.id(),
        request(routed),
        routed.generation.upstreams(),
        routed.generation.guards(),
        routed.to,
        reservation,
        routed.lease);
    routed.begun();
  }

  private CallRequest request(Routed routed) {
    var request = routed.request;
    var input = request.input();
    var origin = request.origin();
    var onward = tracing.begin(request.id(), request.toProvider());
    return new CallRequest(
        new CallRequest.Content(
            request.operation(),
            request.dialect(),
            input.model(),
            input.stream(),
            origin.openAiSdk(),
            input.head(),
            input.body()),
        new CallRequest.Plan(
            routed.found.route(),
            request.settings().apply(routed.found.settings()),
            request.limits(),
            routed.generation.config().recording().bodies() && request.record(),
            routed.binding),
        new CallRequest.Origin(
            origin.path(),
            onward.headers(),
            onward.attempt(),
            origin.via(),
            origin.client() == null ? null : origin.client().name(),
            origin.run(),
            origin.parent()));
  }
}
