package dev.mainstay.gateway.admin;

import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.SignIns;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How often somebody may guess: {@value SignIns#FREE} failures in a minute for one name or one
 * address, then none for the rest of it. What this process counts is judged first, so that guesses
 * reach the store a few times a minute at most; the store counts for all gateways. Thread-safe.
 */
public final class SignInLimit {
  private static final long WINDOW = SignIns.WINDOW.toNanos();

  /** Names and addresses that are remembered; beyond it the oldest are forgotten. */
  private static final int MOST = 10_000;

  private record Failures(long since, int count) {}

  private final @Nullable DurableState state;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Map<String, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > MOST;
        }
      };

  public SignInLimit(@Nullable DurableState state, InstantSource clock, LongSupplier nanos) {
    this.state = state;
    this.clock = clock;
    this.nanos = nanos;
  }

  /** Counts a try before it is judged; the seconds to wait where it must not be judged, else 0. */
  public synchronized long begin(String... who) {
    long now = nanos.getAsLong();
    long wait = 0;
    for (var each : who) {
      var known = failures.get(each);
      if (known == null || now - known.since() >= WINDOW) {
        failures.put(each, new Failures(now, 1));
      } else if (known.count() >= SignIns.FREE) {
        wait = Math.max(wait, Duration.ofNanos(WINDOW - (now - known.since())).toSeconds() + 1);
      } else {
        failures.put(each, new Failures(known.since(), known.count() + 1));
      }
    }
    return wait;
  }

  /**
   * As {@link #begin}, for the gateways of the store together. Blocks. Where the store does not
   * answer, this process's own count stands alone.
   */
  public long beginEverywhere(String... who) {
    if (state == null) {
      return 0;
    }
    try {
      var wait =
          state.signIns().attempt(digests(who), clock.instant()).toCompletableFuture().join();
      return wait.isZero() ? 0 : wait.toSeconds() + 1;
    } catch (CompletionException storeAway) {
      return 0;
    }
  }

  /** It was the right one after all: nothing is held against them. */
  public void succeeded(String... who) {
    synchronized (this) {
      for (var each : who) {
        failures.remove(each);
      }
    }
    if (state != null) {
      var unused = state.signIns().forgive(digests(who));
    }
  }

  private static List<String> digests(String... who) {
    return Arrays.stream(who).map(each -> Sessions.digest("sign-in", each, "")).toList();
  }
}
