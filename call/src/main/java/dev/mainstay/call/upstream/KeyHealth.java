package dev.mainstay.call.upstream;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one key, in every generation of the configuration that has it: for which models
 * it rests, for which it was refused, and whether it is set aside for all. Guarded by its pool's
 * lock. Times are nanoseconds on the pool's clock.
 */
final class KeyHealth {
  /** How long a limited key rests where the provider did not say. */
  private static final Duration REST_UNTOLD = Duration.ofSeconds(1);

  /** The first pause of a key that was set aside; doubled each time it fails again. */
  private static final long FIRST_PAUSE = Duration.ofSeconds(30).toNanos();

  private static final long LONGEST_PAUSE = Duration.ofHours(1).toNanos();

  /** Models that are remembered of one key. */
  private static final int MOST_MODELS = 1_000;

  /**
   * A key that is set aside for one model.
   *
   * @param until when it is probed
   * @param pause how long it was set aside for, doubled where it fails again at its probe
   * @param told whether another gateway said so, and this one has not seen it
   */
  private record Refusal(long until, long pause, boolean told) {}

  private final Map<String, Long> restsUntil = new HashMap<>();
  private final Map<String, Refusal> refusedFor = new HashMap<>();
  private boolean setAside;

  /** Whether another gateway set it aside for all models, and this one has not seen it fail. */
  private boolean told;

  private boolean probing;
  private long probeAt;
  private long pause;
  private int failures;

  /** Until when this gateway knows better than others that it works; null: it does not. */
  private @Nullable Long worksHereUntil;

  /**
   * Well again, since somebody has looked at the pool; where it is rate limited it goes on resting.
   */
  void forgive() {
    setAside = false;
    told = false;
    pause = 0;
    refusedFor.keySet().forEach(restsUntil::remove);
    refusedFor.clear();
  }

  /** Whether it is set aside for all models. */
  boolean isSetAside() {
    return setAside;
  }

  /** Models for which alone it is set aside: until it has worked for them. */
  Set<String> refusedModels() {
    return Set.copyOf(refusedFor.keySet());
  }

  /** Whether it is set aside for {@code model}, or for all, and not due for its probe there. */
  boolean isSetAside(String model, long now) {
    var refused = refusedFor.get(model);
    return setAside || (refused != null && refused.until - now > 0);
  }

  /** One that is limited as well has a wait to keep, whatever else is wrong with it. */
  boolean mayBeForced(String model, long now) {
    var rest = restsUntil.get(model);
    return isSetAside(model, now) && (rest == null || rest - now <= 0);
  }

  /** Nanoseconds until it may be used for {@code model}; 0 where it may be at once. */
  long waitFor(String model, long now) {
    long wait = setAside ? probeAt - now : 0;
    var rest = restsUntil.get(model);
    if (rest != null) {
      wait = Math.max(wait, rest - now);
      if (rest - now <= 0) {
        restsUntil.remove(model);
      }
    }
    var refused = refusedFor.get(model);
    if (refused != null) {
      wait = Math.max(wait, refused.until - now);
    }
    return Math.max(0, wait);
  }

  /**
   * It is picked: where it is set aside this is its probe, and the next waits until it has told.
   */
  void picked(long now) {
    if (setAside) {
      probing = true;
      probeAt = now + pause;
    }
  }

  /** It was to blame for a failure. */
  void blamed() {
    failures++;
  }

  /** How often it was to blame. */
  int failures() {
    return failures;
  }

  /**
   * It was rate limited.
   *
   * @param told how long the provider asks to wait, or null
   * @return how long it rests for {@code model}
   */
  Duration limited(String model, @Nullable Duration told, long now) {
    var rest = told == null ? REST_UNTOLD : told;
    rest(model, now + rest.toNanos(), now);
    return rest;
  }

  /** It rests for {@code model}: of two waits that were told, the longer counts. */
  void rest(String model, long until, long now) {
    makeRoom(restsUntil, each -> each - now <= 0);
    restsUntil.merge(model, until, (one, other) -> one - other > 0 ? one : other);
  }

  /**
   * It is set aside for one model.
   *
   * @param told how long the provider asks to wait, or null
   * @return for how long, where it was not before; else null
   */
  @Nullable Duration refuse(String model, @Nullable Duration told, long now) {
    worksHereUntil = null;
    var before = refusedFor.get(model);
    if (before != null && now - before.until < 0) {
      // One that was under way with it when it was set aside.
      return null;
    }
    long next = before == null ? FIRST_PAUSE : Math.min(before.pause * 2, LONGEST_PAUSE);
    if (told != null) {
      next = Math.clamp(told.toNanos(), next, LONGEST_PAUSE);
    }
    makeRoom(refusedFor, refused -> refused.until - now <= 0);
    refusedFor.put(model, new Refusal(now + next, next, false));
    return before == null ? Duration.ofNanos(next) : null;
  }

  /** It is set aside for all models; for how long, where it was not before, else null. */
  @Nullable Duration setAside(long now) {
    boolean before = setAside;
    worksHereUntil = null;
    told = false;
    if (before && !probing) {
      // One that was under way with it when it was set aside.
      return null;
    }
    probing = false;
    pause = before ? Math.min(pause * 2, LONGEST_PAUSE) : FIRST_PAUSE;
    probeAt = now + pause;
    setAside = true;
    return before ? null : Duration.ofNanos(pause);
  }

  /**
   * Another gateway set it aside, for {@code model} or, where that is empty, for all. Here it is
   * too, until its first probe: a gateway that the provider refuses for its address takes no key
   * from the others for longer.
   *
   * @return until it is probed; null where this changes nothing
   */
  @Nullable Duration setAsideElsewhere(String model, long now) {
    if (setAside
        || refusedFor.containsKey(model)
        || (worksHereUntil != null && now - worksHereUntil < 0)) {
      return null;
    }
    long until = now + FIRST_PAUSE;
    if (model.isEmpty()) {
      setAside = true;
      told = true;
      probing = false;
      pause = FIRST_PAUSE;
      probeAt = until;
    } else {
      makeRoom(refusedFor, refused -> refused.until - now <= 0);
      refusedFor.put(model, new Refusal(until, FIRST_PAUSE, true));
    }
    return Duration.ofNanos(FIRST_PAUSE);
  }

  /** It works for {@code model} at another gateway: here its probe is due at once. */
  void worksElsewhere(String model, long now) {
    if (setAside) {
      told = false;
      probeAt = now;
    }
    refusedFor.computeIfPresent(model, (same, refused) -> new Refusal(now, refused.pause, false));
  }

  /** It works for {@code model}; whether it was set aside there until now. */
  boolean recovered(String model, long now) {
    var refused = refusedFor.remove(model);
    boolean was = setAside || refused != null;
    if (setAside && told || refused != null && refused.told) {
      worksHereUntil = now + LONGEST_PAUSE;
    }
    setAside = false;
    told = false;
    pause = 0;
    return was;
  }

  /** How it stands, as the key of that number. */
  Upstreams.KeyState state(int number, long now) {
    var resting = new TreeMap<String, Long>();
    restsUntil.forEach((model, until) -> rests(resting, model, until - now));
    refusedFor.forEach((model, refused) -> rests(resting, model, refused.until - now));
    return new Upstreams.KeyState(
        number, setAside, setAside ? Math.max(0, probeAt - now) : 0, resting);
  }

  private static void rests(Map<String, Long> resting, String model, long left) {
    if (left > 0) {
      resting.merge(model, left, Math::max);
    }
  }

  /** Clients may name any model: what is over goes first, and then whatever there is. */
  private static <T> void makeRoom(Map<String, T> models, Predicate<T> over) {
    if (models.size() >= MOST_MODELS) {
      models.values().removeIf(over);
    }
    if (models.size() >= MOST_MODELS) {
      models.clear();
    }
  }
}
