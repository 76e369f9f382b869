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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
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

  /** How long a limited key rests where the provider did not say. */
  private static final long REST_UNTOLD = Duration.ofSeconds(1).toNanos();

  /** The first pause of a key that was set aside; doubled each time it fails again. */
  private static final long FIRST_PAUSE = Duration.ofSeconds(30).toNanos();

  private static final long LONGEST_PAUSE = Duration.ofHours(1).toNanos();

  /** Enough to tell the keys of one provider apart. */
  private static final int NAME_BYTES = 8;

  /** Models that are remembered of one key. */
  private static final int MOST_MODELS = 1_000;

  /** One key, which prints as its number. */
  public static final class Key {
    final int number;
    public final String value;
    private final String name;
    private final State state;

    Key(int number, String value, State state) {
      this.number = number;
      this.value = value;
      this.state = state;
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

  /** What is known of one key, in every generation of the configuration that has it. */
  private static final class State {
    private final Map<String, Long> restsUntil = new HashMap<>();
    private final Map<String, Refusal> refusedFor = new HashMap<>();
    private boolean setAside;
    private long probeAt;
    private long pause;
    private int failures;
  }

  /**
   * A key that is set aside for one model.
   *
   * @param until when it is probed
   * @param pause how long it was set aside for, doubled where it fails again at its probe
   */
  private record Refusal(long until, long pause) {}

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
      var state =
          known.stream()
              .filter(key -> key.value.equals(value))
              .map(key -> key.state)
              .findFirst()
              .orElseGet(State::new);
      made.add(new Key(made.size(), value, state));
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
      for (var key : next.keys) {
        key.state.setAside = false;
        key.state.pause = 0;
        key.state.refusedFor.keySet().forEach(key.state.restsUntil::remove);
        key.state.refusedFor.clear();
      }
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
            || (readyAt(key, model, now) > 0 && !(force && mayBeForced(key, model, now)))) {
          continue;
        }
        // Rendezvous hashing: a key that drops out moves only its own conversations.
        long weight = mix(conversation ^ mix(key.number + 1));
        if (best == null || weight > most) {
          best = key;
          most = weight;
        }
      }
      if (best != null && best.state.setAside) {
        // Its probe: the next one waits until this one has told.
        best.state.probeAt = now + best.state.pause;
      }
      return best;
    }
  }

  /** Whether a key that is not among {@code without} is usable for {@code model}; takes nothing. */
  public boolean hasOther(Set<Key> without, String model, long now) {
    synchronized (lock) {
      for (var key : keys) {
        if (!without.contains(key) && readyAt(key, model, now) == 0) {
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
        long wait = readyAt(key, model, now);
        if (wait == 0) {
          return Availability.READY;
        }
        resting |= !isSetAside(key, model, now);
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

  private static boolean isSetAside(Key key, String model, long now) {
    var refused = key.state.refusedFor.get(model);
    return key.state.setAside || (refused != null && refused.until - now > 0);
  }

  /** One that is limited as well has a wait to keep, whatever else is wrong with it. */
  private static boolean mayBeForced(Key key, String model, long now) {
    var rest = key.state.restsUntil.get(model);
    return isSetAside(key, model, now) && (rest == null || rest - now <= 0);
  }

  /** Nanoseconds until {@code key} may be used for {@code model}; 0 where it may be at once. */
  private static long readyAt(Key key, String model, long now) {
    long wait = key.state.setAside ? key.state.probeAt - now : 0;
    var rest = key.state.restsUntil.get(model);
    if (rest != null) {
      wait = Math.max(wait, rest - now);
      if (rest - now <= 0) {
        key.state.restsUntil.remove(model);
      }
    }
    var refused = key.state.refusedFor.get(model);
    if (refused != null) {
      wait = Math.max(wait, refused.until - now);
      // Kept for as long again: a key that fails at its probe is one that has not recovered.
      if (now - refused.until > refused.pause) {
        key.state.refusedFor.remove(model);
      }
    }
    return Math.max(0, wait);
  }

  /**
   * An attempt with {@code key} failed; what the verdict blames on the key is remembered.
   *
   * @return how long the key rests for {@code model} where it was rate limited, else null
   */
  public @Nullable Duration failed(Key key, String model, Verdict verdict, long now) {
    synchronized (lock) {
      if (verdict.blame() != Blame.KEY) {
        return null;
      }
      key.state.failures++;
      if (verdict.failureClass() == FailureClass.TRANSIENT && verdict.kind() == Kind.RATE_LIMIT) {
        var told = verdict.retryAfter();
        long rest = told == null ? REST_UNTOLD : told.toNanos();
        rest(key, model, now + rest, now);
        return Duration.ofNanos(rest);
      } else if (verdict.failureClass() == FailureClass.FATAL) {
        switch (verdict.kind()) {
          case AUTH, BILLING -> setAside(key, verdict, now);
          // Quotas and permissions are often a model's: the key may still do for others.
          default -> refuse(key, model, verdict, now);
        }
      }
      return null;
    }
  }

  /** The key of that name was rate limited at another gateway. */
  void restsElsewhere(String name, String model, long until, long now) {
    synchronized (lock) {
      for (var key : keys) {
        if (key.name().equals(name)) {
          rest(key, model, until, now);
        }
      }
    }
  }

  /** Of two waits that were told, the longer counts. */
  private static void rest(Key key, String model, long until, long now) {
    makeRoom(key.state.restsUntil, each -> each - now <= 0);
    key.state.restsUntil.merge(model, until, (one, other) -> one - other > 0 ? one : other);
  }

  private void refuse(Key key, String model, Verdict verdict, long now) {
    var before = key.state.refusedFor.get(model);
    if (before != null && now - before.until < 0) {
      // One that was under way with it when it was set aside.
      return;
    }
    long pause = before == null ? FIRST_PAUSE : Math.min(before.pause * 2, LONGEST_PAUSE);
    var told = verdict.retryAfter();
    if (told != null) {
      pause = Math.clamp(told.toNanos(), pause, LONGEST_PAUSE);
    }
    makeRoom(key.state.refusedFor, refused -> refused.until - now <= 0);
    key.state.refusedFor.put(model, new Refusal(now + pause, pause));
    if (before == null) {
      LOG.warn(
          "provider {}: {} is set aside for {} ({}); Mainstay probes it in {} s",
          provider,
          key,
          model,
          verdict.label(),
          Duration.ofNanos(pause).toSeconds());
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

  private void setAside(Key key, Verdict verdict, long now) {
    key.state.pause =
        key.state.setAside ? Math.min(key.state.pause * 2, LONGEST_PAUSE) : FIRST_PAUSE;
    key.state.probeAt = now + key.state.pause;
    if (!key.state.setAside) {
      key.state.setAside = true;
      LOG.warn(
          "provider {}: {} is set aside ({}); Mainstay probes it in {} s",
          provider,
          key,
          verdict.label(),
          Duration.ofNanos(key.state.pause).toSeconds());
    }
  }

  /** An attempt with {@code key} did what was asked. */
  public void succeeded(Key key) {
    synchronized (lock) {
      if (key.state.setAside) {
        key.state.setAside = false;
        key.state.pause = 0;
        LOG.info("provider {}: {} works again", provider, key);
      }
    }
  }

  /** How often {@code key} was to blame: as long as that stays the same, it is as it was picked. */
  public int failures(Key key) {
    synchronized (lock) {
      return key.state.failures;
    }
  }

  /** Keys that are set aside now. */
  int setAside() {
    synchronized (lock) {
      int count = 0;
      for (var key : keys) {
        count += key.state.setAside ? 1 : 0;
      }
      return count;
    }
  }

  /** How each key stands. */
  List<Upstreams.KeyState> states(long now) {
    synchronized (lock) {
      var states = new ArrayList<Upstreams.KeyState>(keys.size());
      for (var key : keys) {
        var resting = new TreeMap<String, Long>();
        key.state.restsUntil.forEach((model, until) -> rests(resting, model, until - now));
        key.state.refusedFor.forEach(
            (model, refused) -> rests(resting, model, refused.until - now));
        states.add(
            new Upstreams.KeyState(
                key.number + 1,
                key.state.setAside,
                key.state.setAside ? Math.max(0, key.state.probeAt - now) : 0,
                resting));
      }
      return states;
    }
  }

  private static void rests(Map<String, Long> resting, String model, long left) {
    if (left > 0) {
      resting.merge(model, left, Math::max);
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
