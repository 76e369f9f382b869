package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Compares what was spent in the current window with a threshold, and with the mean of the 24 whole
 * windows before it. What is usual is not known before it has seen {@value #LEAST_HISTORY} whole
 * windows. Thread-safe.
 */
final class CostSpike {
  private static final int TRAILING = 24;
  private static final int LEAST_HISTORY = 6;

  private final long[] spent = new long[TRAILING + 1];
  private long window;
  private long first;
  private long length;

  /** A spike: what was spent in this window, and what is usual; null where that is not known. */
  record Seen(long spentNanos, @Nullable Long usualNanos) {}

  /**
   * Adds what a call cost; says whether this window is a spike by now.
   *
   * @param cost in nano-dollars
   * @param now nanoseconds on a clock that nobody sets: hours skipped would count as hours in which
   *     nothing was spent, and hours repeated as one
   */
  synchronized @Nullable Seen add(long cost, long now, Alerts.Spike settings) {
    long current = Math.floorDiv(now, settings.window().toNanos());
    if (settings.window().toNanos() != length) {
      Arrays.fill(spent, 0);
      length = settings.window().toNanos();
      window = current;
      first = current;
    } else if (current - window >= spent.length) {
      Arrays.fill(spent, 0);
      window = current;
    }
    while (window < current) {
      window++;
      spent[at(window)] = 0;
    }
    spent[at(window)] += cost;
    // The first window was not seen whole.
    long whole = Math.min(TRAILING, window - first - 1);
    var usual = whole < LEAST_HISTORY ? null : (Long) mean(whole);
    long mine = spent[at(window)];
    return settings.isSpike(mine, usual) ? new Seen(mine, usual) : null;
  }

  private long mean(long whole) {
    long sum = 0;
    for (long past = window - whole; past < window; past++) {
      sum += spent[at(past)];
    }
    return sum / whole;
  }

  private int at(long number) {
    return Math.floorMod(number, spent.length);
  }
}
