package dev.mainstay.gateway;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How often somebody may guess: {@value #FREE} failures in a minute for one name or one address,
 * then none for the rest of it. Thread-safe.
 */
final class SignInLimit {
  private static final int FREE = 5;
  private static final long WINDOW = Duration.ofMinutes(1).toNanos();

  /** Names and addresses that are remembered; beyond it the oldest are forgotten. */
  private static final int MOST = 10_000;

  private record Failures(long since, int count) {}

  private final LongSupplier nanos;
  private final Map<String, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > MOST;
        }
      };

  SignInLimit(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Counts a try before it is judged; the seconds to wait where it must not be judged, else 0. */
  synchronized long begin(String... who) {
    long now = nanos.getAsLong();
    long wait = 0;
    for (var each : who) {
      var known = failures.get(each);
      if (known == null || now - known.since() >= WINDOW) {
        failures.put(each, new Failures(now, 1));
      } else if (known.count() >= FREE) {
        wait = Math.max(wait, Duration.ofNanos(WINDOW - (now - known.since())).toSeconds() + 1);
      } else {
        failures.put(each, new Failures(known.since(), known.count() + 1));
      }
    }
    return wait;
  }

  /** It was the right one after all: nothing is held against them. */
  synchronized void succeeded(String... who) {
    for (var each : who) {
      failures.remove(each);
    }
  }
}
