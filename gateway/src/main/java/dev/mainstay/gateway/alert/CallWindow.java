package dev.mainstay.gateway.alert;

import dev.mainstay.ledger.CallRecord;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of the last day came to, minute by minute: how many, how many failed that should
 * not have, how many needed another attempt, and when their first token came. Thread-safe.
 */
final class CallWindow {
  private static final int MINUTES = 24 * 60;
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  /** Steps of the first token's histogram: each is a twelfth more, from 1 ms to some 3 hours. */
  private static final int STEPS = 208;

  private static final double FACTOR = Math.log(13.0 / 12.0);

  private static final class Minute {
    long number = Long.MIN_VALUE;
    int calls;
    int failed;
    int retried;
    int firsts;
    final short[] first = new short[STEPS];

    void begin(long next) {
      number = next;
      calls = 0;
      failed = 0;
      retried = 0;
      firsts = 0;
      Arrays.fill(first, (short) 0);
    }
  }

  /**
   * Some minutes together.
   *
   * @param calls calls that ended, but for those that their caller spoiled or left
   * @param failed of them, those that the client got an error for
   * @param retried of them, those that needed more than one attempt
   * @param firsts of them, those whose first token came
   * @param firstP95 within what time the first token of 95 of 100 came, or null without any
   */
  record Sum(int calls, int failed, int retried, int firsts, @Nullable Duration firstP95) {
    double success() {
      return calls == 0 ? 1 : 1 - (double) failed / calls;
    }

    double retryShare() {
      return calls == 0 ? 0 : (double) retried / calls;
    }
  }

  private final Minute[] minutes = new Minute[MINUTES];

  /** Counts a call that has ended. */
  synchronized void add(CallRecord call, long nowNanos) {
    if (isCallers(call)) {
      return;
    }
    long number = Math.floorDiv(nowNanos, MINUTE_NANOS);
    int slot = (int) Math.floorMod(number, MINUTES);
    var minute = minutes[slot];
    if (minute == null) {
      minute = new Minute();
      minutes[slot] = minute;
    }
    if (minute.number != number) {
      minute.begin(number);
    }
    minute.calls++;
    minute.failed += call.verdict() == null ? 0 : 1;
    minute.retried += call.attempts() > 1 ? 1 : 0;
    var first = call.firstToken();
    if (first != null && minute.firsts < Short.MAX_VALUE) {
      minute.firsts++;
      minute.first[step(first)]++;
    }
  }

  /** What its caller spoiled, may not do or left says nothing of how well Mainstay serves. */
  private static boolean isCallers(CallRecord call) {
    var verdict = call.verdict();
    return verdict != null
        && (verdict.startsWith("LOGIC/")
            || verdict.endsWith("/cancelled")
            || verdict.endsWith("/budget_exceeded"));
  }

  private static int step(Duration first) {
    double millis = Math.max(1, first.toNanos() / 1e6);
    return Math.min(STEPS - 1, (int) Math.ceil(Math.log(millis) / FACTOR));
  }

  /** The minutes from {@code from} ago to {@code to} ago. */
  synchronized Sum sum(Duration from, Duration to, long nowNanos) {
    long newest = Math.floorDiv(nowNanos, MINUTE_NANOS) - to.toMinutes();
    long oldest = Math.floorDiv(nowNanos, MINUTE_NANOS) - Math.min(MINUTES, from.toMinutes()) + 1;
    int calls = 0;
    int failed = 0;
    int retried = 0;
    int firsts = 0;
    int[] first = new int[STEPS];
    for (long number = oldest; number <= newest; number++) {
      var minute = minutes[(int) Math.floorMod(number, MINUTES)];
      if (minute != null && minute.number == number) {
        calls += minute.calls;
        failed += minute.failed;
        retried += minute.retried;
        firsts += minute.firsts;
        for (int i = 0; i < STEPS; i++) {
          first[i] += minute.first[i];
        }
      }
    }
    return new Sum(calls, failed, retried, firsts, p95(first, firsts));
  }

  private static @Nullable Duration p95(int[] first, int firsts) {
    int seen = 0;
    for (int i = 0; i < STEPS && firsts > 0; i++) {
      seen += first[i];
      if (seen >= 0.95 * firsts) {
        return Duration.ofNanos((long) (Math.exp(i * FACTOR) * 1e6));
      }
    }
    return null;
  }
}
