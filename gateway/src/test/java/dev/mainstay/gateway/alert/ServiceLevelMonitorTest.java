package dev.mainstay.gateway.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.Alerts;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.gateway.TemporaryState;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.state.AlertLog.Alert;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Objectives that are missed and retries beyond the usual are told, and nothing else is. */
@Timeout(180)
final class ServiceLevelMonitorTest {
  private final TemporaryState store = new TemporaryState();
  private final AtomicLong nanos = new AtomicLong(Duration.ofDays(3).toNanos());
  private Alerts config =
      Declaration.with(
          Alerts.DEFAULTS,
          Map.of("slo", new Alerts.Slo(Duration.ofSeconds(5), 0.95, Duration.ofMinutes(15))));
  private final Alerter alerter =
      new Alerter(
          store.state(),
          () -> config,
          InstantSource.system(),
          nanos::get,
          new java.util.Random(7),
          () -> {});
  private final ServiceLevelMonitor watch =
      new ServiceLevelMonitor(alerter, () -> config, nanos::get);

  @AfterEach
  void close() {
    store.close();
  }

  private void call(@Nullable String verdict, int attempts, Duration first) {
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    watch.ended(
        new CallRecord(
            new CallStart(
                "call_1",
                null,
                null,
                null,
                Instant.EPOCH,
                "openai-chat",
                "/v1/chat/completions",
                "m",
                false),
            new CallRecord.Outcome(
                "one/m", verdict == null ? 200 : 500, verdict, List.of(), attempts, first, first),
            new CallRecord.Cost(null, null, null)));
  }

  private void calls(int count, @Nullable String verdict, int attempts, Duration first) {
    for (int i = 0; i < count; i++) {
      call(verdict, attempts, first);
    }
  }

  private List<Alert> told() {
    return store.state().alerts().page(null, 10).toCompletableFuture().join();
  }

  @Test
  void goodCallsAreNoNews() {
    calls(200, null, 1, Duration.ofMillis(400));
    assertThat(told()).isEmpty();
    assertThat(watch.moreRetries()).isNull();
  }

  @Test
  void tooManyFailuresMissTheObjectiveOnce() {
    calls(50, null, 1, Duration.ofMillis(400));
    calls(5, "TRANSIENT/overloaded", 1, Duration.ofMillis(400));
    assertThat(told())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.kind()).isEqualTo("slo");
              assertThat(alert.message()).contains("ended well; the objective is 95.0 %");
            });
  }

  @Test
  void whatCallersSpoilMissesNothing() {
    calls(20, null, 1, Duration.ofMillis(400));
    calls(50, "LOGIC/invalid_request", 1, Duration.ofMillis(400));
    calls(50, "FATAL/cancelled", 1, Duration.ofMillis(400));
    calls(50, "FATAL/budget_exceeded", 0, Duration.ofMillis(400));
    assertThat(told()).isEmpty();
  }

  @Test
  void slowFirstTokensMissTheObjective() {
    calls(90, null, 1, Duration.ofMillis(400));
    calls(10, null, 1, Duration.ofSeconds(8));
    assertThat(told())
        .singleElement()
        .satisfies(
            alert ->
                assertThat(alert.message())
                    .contains("the first token of 95 %", "objective is 5.0 s"));
  }

  @Test
  void moreRetriesThanUsualAreToldAndUsualOnesAreNot() {
    calls(100, null, 2, Duration.ofMillis(400));
    assertThat(told()).extracting(Alert::kind).containsExactly("retry-rate");
    assertThat(watch.moreRetries()).contains("needed more than one attempt");
    // After hours of it, it is usual.
    for (int i = 0; i < 200; i++) {
      nanos.addAndGet(Duration.ofMinutes(2).toNanos());
      call(null, 2, Duration.ofMillis(400));
    }
    calls(100, null, 2, Duration.ofMillis(400));
    assertThat(watch.moreRetries()).isNull();
  }

  @Test
  void whatIsNotAskedForIsNotTold() {
    config = Declaration.with(config, Map.of("on", java.util.Set.of(Alerts.Topic.FATAL)));
    calls(50, "TRANSIENT/overloaded", 2, Duration.ofSeconds(8));
    assertThat(told()).isEmpty();
  }
}
