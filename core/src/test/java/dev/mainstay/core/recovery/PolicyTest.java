package dev.mainstay.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.verdict.Repair;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PolicyTest {
  private final Policy defaults = Policy.defaults();

  @Test
  void boundsOfRepairs() {
    var bounds = Policy.Bounds.defaults();
    assertThat(bounds.of(Repair.STRIP_IMAGES)).isEqualTo(3);
    assertThat(bounds.of(Repair.TRIM_CONTEXT)).isEqualTo(2);
    assertThat(bounds.of(Repair.REFRESH_CLIENT)).isEqualTo(1);
    for (var repair :
        new Repair[] {
          Repair.FIX_TOOL_HISTORY,
          Repair.DROP_PARAMETER,
          Repair.LOWER_MAX_TOKENS,
          Repair.SELF_CORRECT,
          Repair.REFRESH_CREDENTIALS
        }) {
      assertThat(bounds.of(repair)).as("%s", repair).isEqualTo(2);
    }
  }

  @Test
  void refusesWhatCannotBeMeantByFieldAndReason() {
    var retry = defaults.retry();
    refused(() -> defaults.withMaxAttempts(0), "max-attempts: 0 is less than 1");
    refused(() -> defaults.withMaxAttempts(-1), "max-attempts: -1 is less than 1");
    refused(() -> defaults.withDeadline(Duration.ZERO), "deadline: 0 is less than 1ms");
    refused(() -> defaults.withDeadline(Duration.ofSeconds(-1)), "deadline: must not be negative");
    refused(
        () -> defaults.withDeadline(Duration.ofSeconds(Long.MAX_VALUE)), "deadline: .* is longer");
    refused(
        () -> defaults.withDeadline(Duration.ofMillis(500)),
        "retry.initial-delay: 500 ms is not within the deadline of 500 ms");
    refused(() -> retry.withMaxPerTarget(0), "retry.max-per-target: 0 is less than 1");
    refused(() -> delays(retry, -1, 2, 1), "retry.initial-delay: must not be negative");
    refused(() -> delays(retry, 5, 2, 1), "retry.max-delay: 1 s is shorter than .* 5 s");
    refused(() -> delays(retry, 1, 0.5, 2), "retry.factor: 0.5 is less than 1");
    refused(() -> delays(retry, 1, -2, 2), "retry.factor: -2.0 is less than 1");
    refused(() -> delays(retry, 1, Double.NaN, 2), "retry.factor: NaN is not a finite number");
    refused(
        () -> delays(retry, 1, Double.POSITIVE_INFINITY, 2),
        "retry.factor: Infinity is not a finite number");
    refused(() -> retry.withPatience(Duration.ofNanos(-1)), "retry.patience: must not be neg.*");
    refused(
        () -> retry.withMaxRetryAfter(Duration.ofSeconds(-3)),
        "retry.max-retry-after: must not be negative");
    refused(
        () -> Policy.Bounds.defaults().withStreamRestarts(-1),
        "bounds.stream-restarts: -1 is less than 0");
    refused(
        () -> Declaration.with(Policy.Bounds.defaults(), Map.of("refusals", 0)),
        "bounds.refusals: 0 is less than 1");
    refused(() -> new Limits(0, null, null), "max-attempts: 0 is less than 1");
    refused(() -> new Limits(null, Duration.ofMillis(-5), null), "deadline: must be longer than 0");
  }

  @Test
  void refusesFewerAttemptsThanTargets() {
    var three = route(3);
    assertThat(defaults.checkedFor(three)).isSameAs(defaults);
    refused(
        () -> defaults.withMaxAttempts(2).checkedFor(three),
        "max-attempts: 2 is fewer than the 3 targets.*");
    assertThat(defaults.withMaxAttempts(2).withFallback(FallbackOn.OFF).checkedFor(three))
        .isNotNull();
  }

  @Test
  void presetsSayHowManyRequestsTheyCost() {
    assertThat(Preset.STANDARD.maxUpstreamRequests()).isEqualTo(5);
    assertThat(Preset.THREE_ATTEMPTS.maxUpstreamRequests()).isEqualTo(3);
    assertThat(Preset.THREE_RETRIES.maxUpstreamRequests()).isEqualTo(4);
    assertThat(Preset.THREE_RESTARTS.maxUpstreamRequests()).isEqualTo(4);
    assertThat(Preset.FIVE_RETRIES.maxUpstreamRequests()).isEqualTo(6);
    assertThat(Preset.PATIENT.maxUpstreamRequests()).isEqualTo(10);
    assertThat(Preset.PATIENT.policy().deadline()).isEqualTo(Duration.ofMinutes(30));
    assertThat(Preset.OFF.maxUpstreamRequests()).isEqualTo(1);
    assertThat(Preset.OFF.policy().fallback().on()).isEqualTo(FallbackOn.OFF);
    assertThat(Preset.STANDARD.policy()).isEqualTo(Policy.defaults());
    assertThat(Preset.THREE_ATTEMPTS.policy().retry().initialDelay()).isEqualTo(seconds(1));
    assertThat(Preset.THREE_ATTEMPTS.policy().retry().maxDelay()).isEqualTo(seconds(60));
    assertThat(Preset.THREE_RETRIES.policy().retry().initialDelay()).isEqualTo(seconds(1));
    assertThat(Preset.THREE_RETRIES.policy().retry().factor()).isEqualTo(2);
    assertThat(Preset.FIVE_RETRIES.policy().retry().initialDelay()).isEqualTo(seconds(2));
    assertThat(Preset.FIVE_RETRIES.policy().retry().maxDelay()).isEqualTo(seconds(90));
    for (var preset : Preset.values()) {
      assertThat(preset.summary())
          .endsWith("at most " + preset.maxUpstreamRequests() + " upstream requests for one call");
    }
  }

  /** The table of {@link Ladder}, written down a second time where it can be compared. */
  @Test
  void everyKindHasItsPlaceOnTheFallbackLadder() {
    for (var kind : dev.mainstay.core.verdict.Kind.values()) {
      for (var on : FallbackOn.values()) {
        var policy = defaults.withFallback(on).withContentFilterFallback(true);
        boolean guarded =
            kind == dev.mainstay.core.verdict.Kind.CONTENT_FILTER
                || kind == dev.mainstay.core.verdict.Kind.SAFETY_REFUSAL;
        boolean allowed = on.compareTo(Ladder.fallbackRung(kind)) >= 0;
        assertThat(guarded || allowed == History.laddered(kind, policy))
            .as("%s %s", kind, on)
            .isTrue();
      }
      assertThat(Ladder.retryRung(kind)).isNotEqualTo(RetryOn.OFF);
      assertThat(Ladder.fallbackRung(kind)).isNotEqualTo(FallbackOn.OFF);
    }
  }

  @Test
  void routesAndTargets() {
    assertThat(new TargetId("openrouter", "openai/gpt-4o")).hasToString("openrouter/openai/gpt-4o");
    assertThatThrownBy(() -> new TargetId("a/b", "m")).hasMessageContaining("without '/'");
    assertThatThrownBy(Route::of).hasMessageContaining("at least one");
    assertThatThrownBy(() -> Route.of(new TargetId("a", "m"), new TargetId("a", "m")))
        .hasMessageContaining("twice");
  }

  private static Policy.Retry delays(Policy.Retry retry, long initial, double factor, long max) {
    return retry.withDelays(seconds(initial), factor, seconds(max));
  }

  private static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }

  static Route route(int size) {
    var targets = new TargetId[size];
    for (int i = 0; i < size; i++) {
      targets[i] = new TargetId("provider-" + i, "model");
    }
    return Route.of(targets);
  }

  private static void refused(ThrowingCallable policy, String message) {
    assertThatThrownBy(policy)
        .isInstanceOf(InvalidPolicyException.class)
        .message()
        .matches(message + ".*");
  }
}
