package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.ledger.CallRecord;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees in calls as they end whether they keep to {@code alerts.slo}, and whether more of them than
 * usual need another attempt. Thread-safe.
 */
public final class ServiceLevelMonitor {
  /** Fewer calls than this prove nothing. */
  static final int FEWEST = 10;

  /** What is under way now. */
  private static final Duration NOW = Duration.ofMinutes(5);

  private static final Duration DAY = Duration.ofDays(1);

  /** More than this share of calls, and ... */
  private static final double LEAST_SHARE = 0.1;

  /** ... so many times the day's share need another attempt: more than usual. */
  private static final double TIMES_USUAL = 3;

  /** How often it is looked at. */
  private static final long EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final Alerter alerter;
  private final Supplier<Alerts> config;
  private final LongSupplier nanos;
  private final CallWindow window = new CallWindow();
  private final AtomicLong looked = new AtomicLong(Long.MIN_VALUE);

  public ServiceLevelMonitor(Alerter alerter, Supplier<Alerts> config, LongSupplier nanos) {
    this.alerter = alerter;
    this.config = config;
    this.nanos = nanos;
  }

  /** A call has ended. */
  public void ended(CallRecord call) {
    long now = nanos.getAsLong();
    window.add(call, now);
    long last = looked.get();
    if ((last == Long.MIN_VALUE || now - last >= EVERY_NANOS) && looked.compareAndSet(last, now)) {
      look(now);
    }
  }

  private void look(long now) {
    var retries = moreRetries(now);
    if (retries != null) {
      alerter.raise(Alerts.Topic.RETRY_RATE, "retry rate", retries);
    }
    var slo = config.get().slo();
    if (slo != null) {
      objectives(slo, window.sum(slo.over(), Duration.ZERO, now));
    }
  }

  /** What is unusual about the last minutes' retries, in words; null: nothing. */
  public @Nullable String moreRetries() {
    return moreRetries(nanos.getAsLong());
  }

  private @Nullable String moreRetries(long now) {
    var recent = window.sum(NOW, Duration.ZERO, now);
    if (recent.calls() < FEWEST || recent.retryShare() <= LEAST_SHARE) {
      return null;
    }
    var usual = window.sum(DAY, NOW, now);
    if (usual.calls() >= FEWEST && recent.retryShare() <= TIMES_USUAL * usual.retryShare()) {
      return null;
    }
    return "%d of %d calls in the last %d minutes needed more than one attempt; %s is usual"
        .formatted(
            recent.retried(),
            recent.calls(),
            NOW.toMinutes(),
            usual.calls() >= FEWEST ? percent(usual.retryShare()) : "less than 10 %");
  }

  private void objectives(Alerts.Slo slo, CallWindow.Sum sum) {
    var least = slo.success();
    if (least != null && sum.calls() >= FEWEST && sum.success() < least) {
      alerter.raise(
          Alerts.Topic.SLO,
          "slo success",
          "%s of %d calls in the last %d minutes ended well; the objective is %s"
              .formatted(
                  percent(sum.success()), sum.calls(), slo.over().toMinutes(), percent(least)));
    }
    var most = slo.firstToken();
    var p95 = sum.firstP95();
    if (most != null && p95 != null && sum.firsts() >= FEWEST && p95.compareTo(most) > 0) {
      alerter.raise(
          Alerts.Topic.SLO,
          "slo first-token-p95",
          "the first token of 95 %% of %d calls in the last %d minutes came within %s; the objective is %s"
              .formatted(sum.firsts(), slo.over().toMinutes(), seconds(p95), seconds(most)));
    }
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", share * 100);
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }
}
