package dev.mainstay.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.Preset;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
  @Test
  void withoutVariablesTheDefaultsAreInForce() {
    var settings = Settings.from(Map.of("PATH", "/bin", "MAINSTAY_ADMIN_TOKEN", "secret"));
    assertThat(settings.policy()).isEqualTo(Policy.defaults());
    assertThat(settings.breaker()).isEqualTo(BreakerSettings.defaults());
    assertThat(settings.retryBudget()).isEqualTo(0.2);
    assertThat(settings.inForce()).allMatch(line -> line.source() == Settings.Source.DEFAULT);
    assertThat(settings.toString()).doesNotContain("secret");
  }

  /** Every variable and its default, so that none changes unnoticed. */
  @Test
  void namesAndDefaults() {
    assertThat(Settings.from(Map.of()).inForce())
        .extracting(line -> line.variable() + "=" + line.value())
        .containsExactly(
            "MAINSTAY_PRESET=standard",
            "MAINSTAY_MAX_ATTEMPTS=5",
            "MAINSTAY_DEADLINE=9m30s",
            "MAINSTAY_RETRY_ON=transient",
            "MAINSTAY_RETRY_MAX_PER_TARGET=3",
            "MAINSTAY_RETRY_INITIAL_DELAY=500ms",
            "MAINSTAY_RETRY_FACTOR=2.0",
            "MAINSTAY_RETRY_MAX_DELAY=30s",
            "MAINSTAY_RETRY_JITTER=true",
            "MAINSTAY_RETRY_PATIENCE=2s",
            "MAINSTAY_RETRY_MAX_RETRY_AFTER=1m",
            "MAINSTAY_FALLBACK_ON=context",
            "MAINSTAY_MID_STREAM=continue",
            "MAINSTAY_REPAIRS=tool-name,tool-arguments,tool-history,drop-parameter,"
                + "lower-max-tokens,strip-images,self-correct",
            "MAINSTAY_CONTENT_FILTER_FALLBACK=false",
            "MAINSTAY_BOUNDS_STREAM_RESTARTS=3",
            "MAINSTAY_BOUNDS_REPAIRS=2",
            "MAINSTAY_BOUNDS_IMAGE_STRIPS=3",
            "MAINSTAY_BOUNDS_COMPACTIONS=2",
            "MAINSTAY_BOUNDS_CLIENT_REFRESHES=1",
            "MAINSTAY_BOUNDS_REFUSALS=3",
            "MAINSTAY_BOUNDS_AFTER_TIMEOUT=1",
            "MAINSTAY_BREAKER_CONSECUTIVE_FAILURES=5",
            "MAINSTAY_BREAKER_FAILURE_RATE=0.5",
            "MAINSTAY_BREAKER_OF_AT_LEAST=20",
            "MAINSTAY_BREAKER_WITHIN=10s",
            "MAINSTAY_BREAKER_OPEN=5s",
            "MAINSTAY_BREAKER_MAX_OPEN=10s",
            "MAINSTAY_RETRY_BUDGET=0.2");
  }

  @Test
  void whatIsInForceCanBeReadBack() {
    var settings = Settings.from(Map.of("MAINSTAY_PRESET", "five-retries"));
    var again = new java.util.HashMap<String, String>();
    settings.inForce().forEach(line -> again.put(line.variable(), line.value()));
    assertThat(Settings.from(again).policy()).isEqualTo(settings.policy());
    assertThat(settings.policy()).isEqualTo(Preset.FIVE_RETRIES.policy());
  }

  @Test
  void everyValueSaysWhereItCameFrom() {
    var settings =
        Settings.from(
            Map.of(
                "MAINSTAY_PRESET", "three-attempts",
                "MAINSTAY_DEADLINE", "45s",
                "MAINSTAY_RETRY_ON", "Capacity",
                "MAINSTAY_REPAIRS", "none",
                "MAINSTAY_FALLBACK_ON", " "));
    assertThat(source(settings, "max-attempts")).isEqualTo(Settings.Source.PRESET);
    assertThat(source(settings, "deadline")).isEqualTo(Settings.Source.ENVIRONMENT);
    assertThat(source(settings, "retry.patience")).isEqualTo(Settings.Source.DEFAULT);
    assertThat(source(settings, "fallback.on")).isEqualTo(Settings.Source.DEFAULT);
    assertThat(settings.policy().deadline()).isEqualTo(Duration.ofSeconds(45));
    assertThat(settings.policy().repairs()).isEmpty();
  }

  private static Settings.Source source(Settings settings, String name) {
    return settings.inForce().stream()
        .filter(line -> line.name().equals(name))
        .findFirst()
        .orElseThrow()
        .source();
  }

  @Test
  void aBadValueIsRefusedByTheVariablesName() {
    var attempts = "; allowed: a whole number from 1 to 100";
    refused("MAINSTAY_MAX_ATTEMPTS", "many", "found \"many\"" + attempts);
    refused("MAINSTAY_MAX_ATTEMPTS", "0", "found \"0\"" + attempts);
    refused("MAINSTAY_DEADLINE", "soon", "found \"soon\"; allowed: a duration such as");
    refused("MAINSTAY_DEADLINE", "99999999999d", "found \"99999999999d\"");
    refused("MAINSTAY_RETRY_FACTOR", "NaN", "found \"NaN\"; allowed: a number from 1 to 100");
    refused("MAINSTAY_RETRY_ON", "always", "found \"always\"; allowed: off | availability");
    refused("MAINSTAY_RETRY_JITTER", "1", "found \"1\"; allowed: false | true");
    refused("MAINSTAY_RETRY_MAX_DELAY", "1ms", "found 1 ms is shorter than");
    refused("MAINSTAY_RETRY_BUDGET", "-1", "found \"-1\"; allowed: a number from 0 to 100");
    refused("MAINSTAY_BREAKER_FAILURE_RATE", "2", "found \"2\"; allowed: a number from 0 to 1");
    refused("MAINSTAY_BREAKER_FAILURE_RATE", "0", "found 0.0 is not above 0");
    refused("MAINSTAY_REPAIRS", "images", "found \"images\"; allowed: tool-name | tool-arg");
    refused("MAINSTAY_PRESET", "best", "found \"best\"; allowed: standard | three-");
    refused(
        "MAINSTAY_RETRY_MAXDELAY", "1s", "found a name of no setting; allowed: MAINSTAY_RETRY_B");
    refusedAt("MAINSTAY_RETRY_MAX_DELAY", "MAINSTAY_RETRY_INITIAL_DELAY", "20m", "found 30 s is");
  }

  private static void refused(String variable, String value, String reason) {
    refusedAt(variable, variable, value, reason);
  }

  private static void refusedAt(String blamed, String variable, String value, String reason) {
    assertThatThrownBy(() -> Settings.from(Map.of(variable, value)))
        .isInstanceOf(InvalidPolicyException.class)
        .hasMessageStartingWith(blamed + ": " + reason);
  }

  @Test
  void durationsAsPeopleWriteThem() {
    assertThat(DurationText.parse("500ms")).isEqualTo(Duration.ofMillis(500));
    assertThat(DurationText.parse("9m30s")).isEqualTo(Duration.ofSeconds(570));
    assertThat(DurationText.parse("2h")).isEqualTo(Duration.ofHours(2));
    assertThat(DurationText.parse("0")).isEqualTo(Duration.ZERO);
    assertThat(DurationText.format(Duration.ofMillis(90_061_001))).isEqualTo("1d1h1m1s1ms");
    for (var bad : new String[] {"", "5", "s", "-5s", "5 s", "1.5s", "5sec", "٣s"}) {
      assertThatThrownBy(() -> DurationText.parse(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not a duration");
    }
  }

  @Test
  void aCopyWithAComponentThatARecordLacksIsRefused() {
    var policy = Policy.defaults();
    assertThat(Declaration.with(policy, Map.of("maxAttempts", 7)).maxAttempts()).isEqualTo(7);
    assertThatThrownBy(() -> Declaration.with(policy, Map.of("max-attempts", 7)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max-attempts");
  }
}
