package dev.mainstay.engine;

import dev.mainstay.call.Calls;
import dev.mainstay.call.admission.ProviderState;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.passthrough.PassThroughRequest;
import dev.mainstay.call.passthrough.PassThroughRouter.Destination;
import dev.mainstay.call.passthrough.PassThroughRouter.ProviderPath;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.money.Spending;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.request.ObjectIds;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Begins requests that pass through, for clients that may send them. Thread-safe. */
@SuppressWarnings("ReferenceEquality") // a generation is the same or it is another
final class PassThroughLauncher {
  /** Methods whose answer tells what they made. */
  private static final Set<String> MAKING = Set.of("POST", "PUT");

  private final Calls calls;
  private final Supplier<Generation> current;
  private final ClientLimits limits;
  private final ObjectRouting objects;
  private final Refusals refusals;
  private final String instance;

  PassThroughLauncher(
      Calls calls,
      Supplier<Generation> current,
      ClientLimits limits,
      ObjectRouting objects,
      Refusals refusals,
      String instance) {
    this.calls = calls;
    this.current = current;
    this.limits = limits;
    this.objects = objects;
    this.refusals = refusals;
    this.instance = instance;
  }

  /**
   * Begins {@code request}, or refuses it; to be called while its exchange is being admitted.
   *
   * @param to the exchange as the one who is refused
   */
  void launch(InboundPassThrough request, Exchange exchange, Recipient to) {
    var refusal = refusal(request);
    if (refusal != null) {
      refuse(refusal, request, to);
      return;
    }
    while (true) {
      var generation = current.get();
      var ways = request.ways().apply(generation.config());
      if (ways.isEmpty()) {
        giveBack(request);
        refuse(
            CallRefusal.caller(
                404, Kind.NOT_FOUND, "unknown_url", "no provider of this gateway has this path"),
            request,
            to);
        return;
      }
      try {
        var lease =
            RouteLease.of(
                new Route(ways.stream().map(way -> new TargetId(way.provider(), "")).toList()),
                generation.upstreams());
        begin(request, generation, ways, exchange, to, lease);
        return;
      } catch (IllegalStateException e) {
        // Its generation has just been replaced and closed, unless it is still the newest.
        if (generation == current.get()) {
          throw e;
        }
      }
    }
  }

  private @Nullable CallRefusal refusal(InboundPassThrough request) {
    var origin = request.origin();
    var client = origin.client();
    if (client != null && !client.models().isEmpty()) {
      return CallRefusal.caller(
          403,
          Kind.PERMISSION,
          "path_not_allowed",
          "this client may use only its models, and this path names no model");
    }
    if (Spending.limits(client, origin.run())) {
      return CallRefusal.caller(
          403,
          Kind.BUDGET_EXCEEDED,
          "price_unknown",
          "this client has a budget in money, and the cost of this path is unknown");
    }
    if (origin.via() != null && origin.via().contains(instance)) {
      return CallRefusal.loop();
    }
    var wait = client == null ? null : limits.take(client);
    return wait == null ? null : CallRefusal.limited(wait.limit(), wait.time());
  }

  private void begin(
      InboundPassThrough request,
      Generation generation,
      List<ProviderPath> ways,
      Exchange exchange,
      Recipient to,
      RouteLease lease) {
    var origin = request.origin();
    var usual = ways.getFirst().path();
    int query = usual.indexOf('?');
    calls.pass(
        request.id(),
        new PassThroughRequest(
            request.dialect(),
            request.method(),
            query < 0 ? usual : usual.substring(0, query),
            request.length(),
            generation.config().recording().bodies() && request.record(),
            generation.config().calls(),
            new CallRequest.Origin(
                origin.path(),
                request.toProvider(),
                null,
                origin.via() == null ? instance : origin.via() + "," + instance,
                origin.client() == null ? null : origin.client().name(),
                origin.run(),
                origin.parent())),
        new ProviderState(generation.upstreams(), generation.guards()),
        named -> route(request, generation, ways, named, to),
        exchange,
        lease);
  }

  private CompletionStage<Destination> route(
      InboundPassThrough request,
      Generation generation,
      List<ProviderPath> ways,
      List<String> inBody,
      Recipient to) {
    var ids = new LinkedHashSet<String>();
    ways.forEach(way -> ids.addAll(inPath(way, generation).ids()));
    ids.addAll(inBody);
    return objects
        .find(List.copyOf(ids))
        .thenApply(named -> destination(request, generation, ways, named, to));
  }

  private static ObjectIds.InPath inPath(ProviderPath way, Generation generation) {
    var provider = generation.config().providers().get(way.provider());
    if (provider == null) {
      throw new IllegalStateException("a way to a provider that is not there: " + way.provider());
    }
    return ObjectIds.inPath(provider.api(), way.path());
  }

  private Destination destination(
      InboundPassThrough request,
      Generation generation,
      List<ProviderPath> ways,
      ObjectRouting.NamedObjects named,
      Recipient to) {
    var client = request.origin().clientName();
    var providers =
        ways.stream()
            .map(ProviderPath::provider)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return switch (objects.bind(named, client, providers, generation.upstreams())) {
      case ObjectRouting.Bound.Refused refused ->
          new Destination.Refused(
              () -> {
                giveBack(request);
                refuse(refused.why(), request, to);
              });
      case ObjectRouting.Bound.Free _ -> {
        var path = inPath(ways.getFirst(), generation);
        boolean makes = path.kept() && path.ids().isEmpty() && MAKING.contains(request.method());
        yield new Destination.To(
            ways.getFirst(), objects.binding(null, client, true, named), makes);
      }
      case ObjectRouting.Bound.To bound -> {
        var way =
            ways.stream()
                .filter(each -> each.provider().equals(bound.by().provider()))
                .findFirst()
                .orElseThrow();
        yield new Destination.To(
            way, objects.binding(bound.key(), client, true, named), inPath(way, generation).kept());
      }
    };
  }

  private void giveBack(InboundPassThrough request) {
    var client = request.origin().client();
    if (client != null) {
      limits.ended(client.name(), 0);
    }
  }

  private void refuse(CallRefusal refusal, InboundPassThrough request, Recipient to) {
    var origin = request.origin();
    refusals.refuse(
        refusal,
        Refusals.Request.unread(request.id(), request.dialect(), origin.path(), origin.client()),
        to);
  }
}
