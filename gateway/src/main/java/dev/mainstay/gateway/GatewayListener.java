package dev.mainstay.gateway;

import dev.mainstay.call.CallListener;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.engine.EngineListener;
import dev.mainstay.gateway.alert.AlertWatch;
import dev.mainstay.gateway.alert.Alerter;
import dev.mainstay.gateway.telemetry.CallLog;
import dev.mainstay.gateway.telemetry.Traces;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/** Takes what the engine does to metrics, traces, the log and alerts. */
record GatewayListener(
    Metrics metrics,
    Traces traces,
    CallLog log,
    AlertWatch watch,
    Alerter alerter,
    FailureGroups cases)
    implements EngineListener {
  @Override
  public void classified(Failure failure, Verdict verdict) {
    watch.classified(verdict);
  }

  @Override
  public void ended(CallRecord call, List<AttemptRecord> attempts) {
    CallListener.all(List.of(metrics, traces::ended, (one, _) -> log.ended(one), watch::ended, cases::ended))
        .ended(call, attempts);
  }

  @Override
  public void answeredWithoutCall(String how) {
    metrics.withoutCall(how);
  }

  @Override
  public void budgetExhausted(String account, String message) {
    alerter.raise("budget " + account, "budget_exhausted", account + ": " + message);
  }

  @Override
  public void alert(String cause, String kind, String message) {
    alerter.raise(cause, kind, message);
  }
}
