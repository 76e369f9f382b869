package dev.mainstay.call.admission;

import dev.mainstay.call.upstream.KeyPool;
import dev.mainstay.call.upstream.Provider;
import dev.mainstay.call.upstream.RateLimiter;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Outlook;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one call can expect of its targets: their keys, breakers and slots. Belongs to the call's
 * loop.
 */
public final class CallOutlook implements Outlook {
  /** When to look again for a place that may come free at any time. */
  private static final Duration PLACE = Duration.ofMillis(25);

  final Route route;
  final KeyChoice choice;
  final Upstreams upstreams;
  final Guards guards;
  private final Runnable noRoom;

  /** The key that each target was last asked with, by its place in the route. */
  private final KeyPool.@Nullable Key[] lastKeys;

  /** The keys with which a target refused this call for good; made at the first of them. */
  private final Map<Integer, Set<KeyPool.Key>> refused = new HashMap<>(2);

  /**
   * @param noRoom told whenever a full queue is why a target is not available
   */
  public CallOutlook(Route route, KeyChoice choice, ProviderState providers, Runnable noRoom) {
    this.choice = choice;
    this.route = route;
    upstreams = providers.upstreams();
    guards = providers.guards();
    this.noRoom = noRoom;
    lastKeys = new KeyPool.Key[route.size()];
  }

  /** The target at {@code index} is asked with {@code key}. */
  void asked(int index, KeyPool.@Nullable Key key) {
    lastKeys[index] = key;
  }

  /** What was asked of {@code target} last has failed. */
  public void failed(TargetId target, Verdict verdict) {
    int index = route.targets().indexOf(target);
    var key = lastKeys[index];
    if (key != null && verdict.failureClass() == FailureClass.FATAL) {
      refused.computeIfAbsent(index, _ -> new HashSet<>(2)).add(key);
    }
  }

  /**
   * The keys that the target at {@code index} is not to be asked with again: those it refused for
   * good.
   *
   * @param otherKey whether the one it was asked with last is among them, whatever became of it
   */
  Set<KeyPool.Key> notWith(int index, boolean otherKey) {
    var without = refused.getOrDefault(index, Set.of());
    var last = lastKeys[index];
    if (!otherKey || last == null || without.contains(last)) {
      return without;
    }
    var all = new HashSet<>(without);
    all.add(last);
    return all;
  }

  /** The keys of {@code provider} that the call may use. */
  KeyPool keys(Provider provider) {
    var only = choice.name();
    return only == null ? provider.keys : provider.keys.only(only);
  }

  @Override
  public Availability of(TargetId target, long nowNanos) {
    var at = upstreams.provider(target.provider());
    if (at == null) {
      return new Availability.Unavailable("no such provider: " + target.provider());
    }
    var keys = keys(at).availability(target.model(), nowNanos);
    if (!(keys instanceof Availability.Ready)
        && !(keys instanceof Availability.Unavailable && nothingElse(nowNanos))) {
      return keys;
    }
    var limited = at.limiter.inTheWay(at.limits(), nowNanos);
    if (limited != null) {
      return beyond(target, limited, nowNanos);
    }
    var known = guards.of(target);
    var breaker = known.breaker.availability(nowNanos);
    if (!(breaker instanceof Availability.Ready)) {
      return breaker;
    }
    return known.slots.room() ? Availability.READY : queueFull(known, nowNanos);
  }

  /** The account's own limits, as the configuration tells them, are used up. */
  static Availability.Resting beyond(TargetId target, RateLimiter.Wait wait, long now) {
    long nanos = Math.max(wait.time().toNanos(), PLACE.toNanos());
    return new Availability.Resting(
        now + nanos,
        Availability.By.KEYS,
        "the limits of " + target.provider() + " are used up (" + wait.limit() + ")");
  }

  Availability.Resting queueFull(Guards.Guard at, long now) {
    noRoom.run();
    return new Availability.Resting(
        now + at.slots.waitNanos(),
        Availability.By.QUEUE,
        "too many attempts are under way at " + at.target);
  }

  /** Whether no target of the route has a key left that is not set aside. */
  boolean nothingElse(long now) {
    for (var target : route.targets()) {
      var at = upstreams.provider(target.provider());
      if (at != null
          && !(keys(at).availability(target.model(), now) instanceof Availability.Unavailable)) {
        return false;
      }
    }
    return true;
  }

  /** Whether every target waits for its keys alone: it is the limits of accounts that stop it. */
  public boolean onlyKeysRest(long now) {
    for (var target : route.targets()) {
      var at = upstreams.provider(target.provider());
      if (at == null
          || !(keys(at).availability(target.model(), now) instanceof Availability.Resting
              || at.limiter.full(at.limits(), now))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean otherKey(TargetId target, long nowNanos) {
    var at = upstreams.provider(target.provider());
    int index = route.targets().indexOf(target);
    // What a provider keeps for an account is known to the key that made it alone.
    return at != null
        && !choice.same()
        && keys(at).hasOther(notWith(index, true), target.model(), nowNanos);
  }

  @Override
  public boolean takeRetry(TargetId target, long nowNanos) {
    var at = upstreams.provider(target.provider());
    return at != null && at.retries.tryRetry(nowNanos);
  }
}
