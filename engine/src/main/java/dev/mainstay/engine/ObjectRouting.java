package dev.mainstay.engine;

import dev.mainstay.call.api.ObjectBinding;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.ledger.state.ProviderObjects;
import dev.mainstay.ledger.state.ProviderObjects.CreatedObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Finds the target and the key for a request that names what a provider keeps: those that made it.
 * An object serves the client that made it alone. What the ledger does not know is sent as if
 * nothing were named. Thread-safe.
 */
final class ObjectRouting {
  private static final Duration STORE_AWAY = Duration.ofSeconds(5);

  private final @Nullable ProviderObjects objects;
  private final InstantSource clock;

  /**
   * @param objects what is known, or null where nothing is kept
   */
  ObjectRouting(@Nullable ProviderObjects objects, InstantSource clock) {
    this.objects = objects;
    this.clock = clock;
  }

  /**
   * What the ledger knows of the objects that a request names.
   *
   * @param ids those that it names
   * @param found what made them; null where the store did not answer
   */
  record NamedObjects(List<String> ids, @Nullable List<CreatedObject> found) {
    static final NamedObjects NOTHING = new NamedObjects(List.of(), List.of());
  }

  /** Where a request has to go. */
  sealed interface Bound {
    /** Wherever its route leads. */
    record Free() implements Bound {}

    /**
     * To the provider of {@code by}.
     *
     * @param key the name of the only key to be used, or null where the provider has but one way in
     */
    record To(CreatedObject by, @Nullable String key) implements Bound {}

    /** Nowhere. */
    record Refused(CallRefusal why) implements Bound {}
  }

  /** Looks up {@code ids}; the stage never fails. */
  CompletionStage<NamedObjects> find(List<String> ids) {
    if (objects == null || ids.isEmpty()) {
      return CompletableFuture.completedStage(NamedObjects.NOTHING);
    }
    return objects
        .find(ids, clock.instant())
        .handle((found, failed) -> new NamedObjects(ids, failed == null ? found : null));
  }

  /**
   * Binds a request to what made the objects that it names.
   *
   * @param client the name of the client that asks, or ""
   * @param ways the providers that it can go to; where all of them are one account, it need not be
   *     known what made what
   */
  Bound bind(NamedObjects named, String client, Collection<String> ways, Upstreams upstreams) {
    var found = named.found();
    if (found == null) {
      return client.isEmpty() && isOneAccount(ways, upstreams)
          ? new Bound.Free()
          : new Bound.Refused(unknown());
    }
    CreatedObject bound = null;
    for (var id : named.ids()) {
      var known = found.stream().filter(each -> each.id().equals(id)).toList();
      if (known.isEmpty()) {
        continue;
      }
      var mine = known.stream().filter(each -> isOf(each, client)).toList();
      if (mine.isEmpty()) {
        return new Bound.Refused(notThere(id));
      }
      var by =
          mine.stream()
              .filter(each -> ways.contains(each.provider()))
              .findFirst()
              .orElse(mine.getFirst());
      if (bound != null && !isSameAccount(bound, by)) {
        return new Bound.Refused(apart(bound, by));
      }
      bound = bound == null || bound.model().isEmpty() ? by : bound;
    }
    return bound == null ? new Bound.Free() : to(bound, ways, upstreams);
  }

  private static Bound to(CreatedObject by, Collection<String> ways, Upstreams upstreams) {
    var provider = upstreams.provider(by.provider());
    if (provider == null) {
      return new Bound.Refused(
          gone(by, "the configuration no longer has a provider %s".formatted(by.provider())));
    }
    if (!ways.contains(by.provider())) {
      return new Bound.Refused(gone(by, "this request can only go to " + String.join(", ", ways)));
    }
    var keys = provider.keys;
    if (by.key().isEmpty() || keys.size() == 0) {
      return new Bound.To(by, null);
    }
    if (keys.named(by.key()) != null) {
      return new Bound.To(by, by.key());
    }
    // One key in the place of another is most often the same account's.
    return keys.size() == 1
        ? new Bound.To(by, null)
        : new Bound.Refused(
            gone(
                by,
                "the key that made it is not among the keys of %s any more"
                    .formatted(by.provider())));
  }

  private static boolean isOf(CreatedObject made, String client) {
    return made.client().isEmpty() || client.isEmpty() || made.client().equals(client);
  }

  private static boolean isSameAccount(CreatedObject one, CreatedObject other) {
    return one.provider().equals(other.provider()) && one.key().equals(other.key());
  }

  private static boolean isOneAccount(Collection<String> ways, Upstreams upstreams) {
    if (ways.size() > 1) {
      return false;
    }
    for (var way : ways) {
      var provider = upstreams.provider(way);
      if (provider != null && provider.keys.size() > 1) {
        return false;
      }
    }
    return true;
  }

  /**
   * The target that is to be asked: the one that made the object, or the first of its provider's.
   *
   * @param route has a target at that provider
   */
  static Route route(Route route, CreatedObject by) {
    TargetId first = null;
    for (var target : route.targets()) {
      if (target.provider().equals(by.provider())) {
        if (target.model().equals(by.model())) {
          return Route.of(target);
        }
        first = first == null ? target : first;
      }
    }
    if (first == null) {
      throw new IllegalArgumentException("no target at " + by.provider() + " in " + route);
    }
    return Route.of(first);
  }

  /**
   * What a call of {@code client} has to do with objects.
   *
   * @param key the name of the only key that it may use, or null
   * @param lasting whether its provider keeps what it makes until that is deleted
   * @param named what it names; of what is known, nothing is said again
   */
  ObjectBinding binding(@Nullable String key, String client, boolean lasting, NamedObjects named) {
    var store = objects;
    var known = new HashSet<String>();
    var found = named.found();
    if (found != null) {
      found.forEach(made -> known.add(made.id()));
    }
    return new ObjectBinding() {
      @Override
      public @Nullable String key() {
        return key;
      }

      @Override
      public CompletionStage<Boolean> made(TargetId by, String madeWith, List<String> ids) {
        return store == null
            ? CompletableFuture.completedStage(true)
            : store.remember(
                ids.stream()
                    .filter(id -> !known.contains(id))
                    .map(
                        id ->
                            new CreatedObject(
                                id, by.provider(), by.model(), madeWith, client, lasting))
                    .toList(),
                clock.instant());
      }
    };
  }

  private static CallRefusal unknown() {
    return new CallRefusal(
        503,
        Kind.OVERLOADED,
        "TRANSIENT",
        "gateway",
        "object_store_unavailable",
        "this request names an object that a provider keeps, and the store that knows its target"
            + " and key does not answer",
        STORE_AWAY);
  }

  private static CallRefusal notThere(String id) {
    return CallRefusal.caller(
        404,
        Kind.NOT_FOUND,
        "object_not_found",
        "this client has not created an object with the id " + id);
  }

  private static CallRefusal apart(CreatedObject one, CreatedObject other) {
    return invalid(
        "objects_apart",
        "%s belongs to %s and %s to %s%s; a request can name objects of one account only"
            .formatted(
                one.id(),
                target(one),
                other.id(),
                target(other),
                one.provider().equals(other.provider()) ? " with another key" : ""));
  }

  private static CallRefusal gone(CreatedObject by, String why) {
    return invalid(
        "object_target_gone",
        "%s exists only at %s, which created it, and %s".formatted(by.id(), target(by), why));
  }

  private static CallRefusal invalid(String code, String message) {
    return CallRefusal.caller(400, Kind.INVALID_REQUEST, code, message);
  }

  private static TargetId target(CreatedObject made) {
    return new TargetId(made.provider(), made.model());
  }
}
