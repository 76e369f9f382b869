package dev.mainstay.call.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of one provider. A conversation stays with one key, so that the provider's prompt cache
 * keeps hitting; a key that is rate limited rests for that model as long as it was told; one that
 * is refused or out of money is set aside for all models, and one whose quota is used up for that
 * model; both are probed after a growing pause. Thread-safe; a lock held for nanoseconds.
 */
public final class KeyPool {
  private static final Logger LOG = LoggerFactory.getLogger(KeyPool.class);

  /** Enough to tell the keys of one provider apart. */
  private static final int NAME_BYTES = 8;

  /** One key, which prints as its number. */
  public static final class Key {
    final int number;
    public final String value;
    private final String name;
    private final KeyHealth health;

    Key(int number, String value, KeyHealth health) {
      this.number = number;
      this.value = value;
      this.health = health;
      name = nameOf(value);
    }

    /** Stands for the key where others know it by itself; the key cannot be had from it. */
    public String name() {
      return name;
    }

    private static String nameOf(String value) {
      try {
        var hash = MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8));
        return HexFormat.of().formatHex(hash, 0, NAME_BYTES);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }

    @Override
    public String toString() {
      return "key " + (number + 1);
    }
  }

  private final String provider;
  private final List<Key> keys;

  /** Guards the state of every key, and is that of the other generations' pools too. */
  private final Object lock;

  KeyPool(String provider, List<String> values) {
    this(provider, values, List.of(), new Object());
  }

  private KeyPool(String provider, List<String> values, List<Key> known, Object lock) {
    this(provider, lock, keys(values, known));
  }

  private KeyPool(String provider, Object lock, List<Key> keys) {
    this.provider = provider;
    this.lock = lock;
    this.keys = keys;
  }

  private static List<Key> keys(List<String> values, List<Key> known) {
    var made = new ArrayList<Key>();
    for (var value : values) {
      var health =
          known.stream()
              .filter(key -> key.value.equals(value))
              .map(key -> key.health)
              .findFirst()
              .orElseGet(KeyHealth::new);
      made.add(new Key(made.size(), value, health));
    }
    return List.copyOf(made);
  }

  /**
   * The pool of other keys of the same provider. A key that is in both goes on resting where it is
   * rate limited, also where a call of the old generation learns of it; one that was set aside is
   * well again, since somebody has looked at the pool.
   */
  KeyPool with(List<String> values) {
    synchronized (lock) {
      var next = new KeyPool(provider, values, keys, lock);
      next.keys.forEach(key -> key.health.forgive());
      return next;
    }
  }

  /** The key of that {@link Key#name}; null where it is not in this pool. */
  public @Nullable Key named(String name) {
    for (var key : keys) {
      if (key.name().equals(name)) {
        return key;
      }
    }
    return null;
  }

  /** This pool with the key of that {@link Key#name} alone; all of it where it is not there. */
  public KeyPool only(String name) {
    var only = named(name);
    return only == null ? this : new KeyPool(provider, lock, List.of(only));
  }

  /** Whether the provider needs no key at all. */
  public boolean isEmpty() {
    return keys.isEmpty();
  }

  /**
   * A usable key for {@code model}, or null.
   *
   * @param conversation the same for all turns of a conversation
   * @param without keys not to be taken
   * @param force whether a key that is set aside may be taken, because there is nothing else to ask
   *     and the provider's own error tells the caller more than a refusal of ours
   */
  public @Nullable Key pick(
      long conversation, String model, Set<Key> without, boolean force, long now) {
    synchronized (lock) {
      Key best = null;
      long most = Long.MIN_VALUE;
      for (var key : keys) {
        if (without.contains(key)
            || (key.health.waitFor(model, now) > 0
                && !(force && key.health.mayBeForced(model, now)))) {
          continue;
        }
        // Rendezvous hashing: a key that drops out moves only its own conversations.
        long weight = mix(conversation ^ mix(key.number + 1));
        if (best == null || weight > most) {
          best = key;
          most = weight;
        }
      }
      if (best != null) {
        best.health.picked(now);
      }
      return best;
    }
  }

  /** Whether a key that is not among {@code without} is usable for {@code model}; takes nothing. */
  public boolean hasOther(Set<Key> without, String model, long now) {
    synchronized (lock) {
      for (var key : keys) {
        if (!without.contains(key) && key.health.waitFor(model, now) == 0) {
          return true;
        }
      }
      return false;
    }
  }

  /** Whether and when a key for {@code model} is usable. */
  public Availability availability(String model, long now) {
    synchronized (lock) {
      if (keys.isEmpty()) {
        return Availability.READY;
      }
      long soonest = Long.MAX_VALUE;
      boolean resting = false;
      for (var key : keys) {
        long wait = key.health.waitFor(model, now);
        if (wait == 0) {
          return Availability.READY;
        }
        resting |= !key.health.isSetAside(model, now);
        soonest = Math.min(soonest, wait);
      }
      if (!resting) {
        return new Availability.Unavailable(
            "every key of " + provider + " was refused or has no credit left");
      }
      return new Availability.Resting(
          now + soonest, Availability.By.KEYS, "every key of " + provider + " is resting");
    }
  }

  /** What the other gateways should know of a key. */
  public sealed interface KeyEvent {
    /** It was rate limited, and rests. */
    record Rests(Duration rest) implements KeyEvent {}

    /**
     * It was refused, and is set aside.
     *
     * @param model for which alone; empty: for all
     */
    record SetAside(String model) implements KeyEvent {}
  }

  /**
   * An attempt with {@code key} failed; what the verdict blames on the key is remembered.
   *
   * @return what is new of the key, or null
   */
  public @Nullable KeyEvent failed(Key key, String model, Verdict verdict, long now) {
    synchronized (lock) {
      if (verdict.blame() != Blame.KEY) {
        return null;
      }
      var health = key.health;
      health.blamed();
      if (verdict.failureClass() == FailureClass.TRANSIENT && verdict.kind() == Kind.RATE_LIMIT) {
        return new KeyEvent.Rests(health.limited(model, verdict.retryAfter(), now));
      } else if (verdict.failureClass() == FailureClass.FATAL) {
        return switch (verdict.kind()) {
          case AUTH, BILLING -> news(health.setAside(now), key, "", verdict.label());
          // Quotas and permissions are often a model's: the key may still do for others.
          default ->
              news(health.refuse(model, verdict.retryAfter(), now), key, model, verdict.label());
        };
      }
      return null;
    }
  }

  /** Reports a key that is set aside now, and was not before. */
  private KeyEvent.@Nullable SetAside news(
      @Nullable Duration pause, Key key, String model, String why) {
    if (pause == null) {
      return null;
    }
    LOG.warn(
        "provider {}: {} is set aside{} ({}); Mainstay probes it in {} s",
        provider,
        key,
        model.isEmpty() ? "" : " for " + model,
        why,
        pause.toSeconds());
    return new KeyEvent.SetAside(model);
  }

  /**
   * The key of that name was set aside at another gateway, for a model or, where empty, for all.
   */
  void setAsideElsewhere(String name, String model, long now) {
    synchronized (lock) {
      for (var key : keys) {
        if (key.name().equals(name)) {
          news(key.health.setAsideElsewhere(model, now), key, model, "refused at another gateway");
        }
      }
    }
  }

  /** The key of that name works again for a model at another gateway. */
  void worksElsewhere(String name, String model, long now) {
    synchronized (lock) {
      for (var key : keys) {
        if (key.name().equals(name)) {
          key.health.worksElsewhere(model, now);
        }
      }
    }
  }

  /** The key of that name was rate limited at another gateway. */
  void restsElsewhere(String name, String model, long until, long now) {
    synchronized (lock) {
      for (var key : keys) {
        if (key.name().equals(name)) {
          key.health.rest(model, until, now);
        }
      }
    }
  }

  /**
   * An attempt with {@code key} at {@code model} did what was asked.
   *
   * @return whether the key was set aside there until now
   */
  public boolean succeeded(Key key, String model, long now) {
    synchronized (lock) {
      boolean recovered = key.health.recovered(model, now);
      if (recovered) {
        LOG.info("provider {}: {} works again for {}", provider, key, model);
      }
      return recovered;
    }
  }

  /** How often {@code key} was to blame: as long as that stays the same, it is as it was picked. */
  public int failures(Key key) {
    synchronized (lock) {
      return key.health.failures();
    }
  }

  /** Keys that are set aside now. */
  int setAside() {
    synchronized (lock) {
      int count = 0;
      for (var key : keys) {
        count += key.health.isSetAside() ? 1 : 0;
      }
      return count;
    }
  }

  /** Models for which every key is set aside, where some key still serves others. */
  Set<String> refusedModels() {
    synchronized (lock) {
      var models = new HashSet<String>();
      for (var key : keys) {
        models.addAll(key.health.refusedModels());
      }
      for (var key : keys) {
        if (!key.health.isSetAside()) {
          models.retainAll(key.health.refusedModels());
        }
      }
      return models;
    }
  }

  /** How each key stands. */
  List<Upstreams.KeyState> states(long now) {
    synchronized (lock) {
      var states = new ArrayList<Upstreams.KeyState>(keys.size());
      for (var key : keys) {
        states.add(key.health.state(key.number + 1, now));
      }
      return states;
    }
  }

  /** How many keys it has. */
  public int size() {
    return keys.size();
  }

  private static long mix(long value) {
    long z = value * 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
