package dev.mainstay.gateway.alert;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.config.Alerts;
import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Sees in calls as they end what a person must know. Thread-safe. */
public final class AlertTriggers {
  private final Alerter alerter;
  private final Supplier<Guards> guards;
  private final Supplier<Alerts> config;
  private final LongSupplier nanos;
  private final CostSpike spike = new CostSpike();

  /** Rules that have called for an alert; there are as many as the tables have rows. */
  private final Set<String> alerting = ConcurrentHashMap.newKeySet();

  public AlertTriggers(
      Alerter alerter, Supplier<Guards> guards, Supplier<Alerts> config, LongSupplier nanos) {
    this.alerter = alerter;
    this.guards = guards;
    this.config = config;
    this.nanos = nanos;
  }

  /** A failure was classified: a record names the rule that decided, not whether it alerts. */
  public void classified(Verdict verdict) {
    if (verdict.alert() && verdict.failureClass() == FailureClass.FATAL) {
      alerting.add(verdict.rule());
    }
  }

  /** A call has ended. */
  public void ended(CallRecord call, List<AttemptRecord> attempts) {
    for (var attempt : attempts) {
      var verdict = attempt.verdict();
      var rule = attempt.rule();
      if (verdict == null) {
        continue;
      }
      if (rule != null && alerting.contains(rule) && verdict.startsWith("FATAL")) {
        alerter.raise(
            Alerts.Topic.FATAL,
            "failure " + attempt.target() + " " + verdict,
            "%s from %s, for example in %s".formatted(verdict, attempt.target(), call.id()));
      }
      breaker(attempt.target());
    }
    var cost = call.costNanos();
    if (cost != null && cost > 0) {
      spent(cost);
    }
  }

  private void breaker(String target) {
    var state = guards.get().state(TargetId.of(target), nanos.getAsLong());
    if (state != null && state.breaker().state() == Breaker.State.OPEN) {
      alerter.raise(
          Alerts.Topic.BREAKER,
          "breaker " + target,
          "the breaker of %s is open: calls fall back to other targets or fail".formatted(target));
    }
  }

  private void spent(long cost) {
    var settings = config.get().spike();
    var seen = spike.add(cost, nanos.getAsLong(), settings);
    if (seen != null) {
      alerter.raise(
          Alerts.Topic.SPIKE,
          "cost spike",
          "%s USD were spent in the current %d minutes%s"
              .formatted(
                  usd(seen.spentNanos()),
                  settings.window().toMinutes(),
                  seen.usualNanos() == null
                      ? ""
                      : ", where %s USD are usual".formatted(usd(seen.usualNanos()))));
    }
  }

  private static String usd(long amount) {
    return BigDecimal.valueOf(amount, 9).setScale(2, RoundingMode.HALF_UP).toPlainString();
  }
}
