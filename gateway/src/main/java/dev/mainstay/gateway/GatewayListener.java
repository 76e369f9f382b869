package dev.mainstay.gateway;

import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.api.CallListener;
import dev.mainstay.config.Alerts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.EngineListener;
import dev.mainstay.gateway.admin.FailureGroups;
import dev.mainstay.gateway.alert.AlertTriggers;
import dev.mainstay.gateway.alert.Alerter;
import dev.mainstay.gateway.alert.ServiceLevelMonitor;
import dev.mainstay.gateway.health.Metrics;
import dev.mainstay.gateway.telemetry.CallLogLines;
import dev.mainstay.gateway.telemetry.Traces;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/** Takes what the engine does to metrics, traces, the log and alerts. */
final class GatewayListener implements EngineListener {
  private final Metrics metrics;
  private final CallLogLines log;
  private final AlertTriggers triggers;
  private final Alerter alerter;
  private final CallListener ended;

  GatewayListener(
      Metrics metrics,
      Traces traces,
      CallLogLines log,
      AlertTriggers triggers,
      ServiceLevelMonitor service,
      Alerter alerter,
      FailureGroups cases) {
    this.metrics = metrics;
    this.log = log;
    this.triggers = triggers;
    this.alerter = alerter;
    ended =
        CallListener.all(
            List.of(
                metrics,
                traces::ended,
                (call, _) -> log.ended(call),
                triggers::ended,
                (call, _) -> service.ended(call),
                cases::ended));
  }

  @Override
  public void classified(Failure failure, Verdict verdict) {
    triggers.classified(verdict);
  }

  @Override
  public void ended(CallRecord call, List<AttemptRecord> attempts) {
    ended.ended(call, attempts);
  }

  @Override
  public void decided(CallDecision decision) {
    log.decided(decision);
  }

  @Override
  public void refused(CallRecord call, CallRefusal refusal, long unrecorded) {
    metrics.refused(call, refusal);
    log.refused(call, refusal, unrecorded);
  }

  @Override
  public void answeredWithoutCall(String how) {
    metrics.withoutCall(how);
  }

  @Override
  public void alert(Alerts.Topic topic, String cause, String message) {
    alerter.raise(topic, cause, message);
  }
}
