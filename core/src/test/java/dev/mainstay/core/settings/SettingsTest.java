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
            "MAINSTAY_PRESET=mainstay",
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
            "MAINSTAY_BOUNDS_REPAIRS_EACH=2",
            "MAINSTAY_BOUNDS_IMAGE_STRIPS=3",
            "MAINSTAY_BOUNDS_COMPACTIONS=2",
            "MAINSTAY_BOUNDS_CLIENT_REFRESHES=1",
            "MAINSTAY_BOUNDS_REFUSALS=3",
            "MAINSTAY_BREAKER_CONSECUTIVE_FAILURES=5",
            "MAINSTAY_BREAKER_FAILURE_RATE=0.5",
            "MAINSTAY_BREAKER_OF_AT_LEAST=20",
            "MAINSTAY_BREAKER_WITHIN=10s",
            "MAINSTAY_BREAKER_OPEN=5s",
            "MAINSTAY_BREAKER_MAX_OPEN=30s",
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
    refused(
        "MAINSTAY_MAX_ATTEMPTS", "many", "MAINSTAY_MAX_ATTEMPTS: \"many\" is not a whole number");
    refused("MAINSTAY_MAX_ATTEMPTS", "0", "MAINSTAY_MAX_ATTEMPTS: 0 is less than 1");
    refused("MAINSTAY_DEADLINE", "soon", "MAINSTAY_DEADLINE: \"soon\" is not a duration such as");
    refused("MAINSTAY_DEADLINE", "99999999999d", "MAINSTAY_DEADLINE: ");
    refused("MAINSTAY_RETRY_FACTOR", "NaN", "MAINSTAY_RETRY_FACTOR: NaN is not a finite number");
    refused(
        "MAINSTAY_RETRY_ON", "always", "MAINSTAY_RETRY_ON: \"always\" is not one of off, avail");
    refused("MAINSTAY_RETRY_JITTER", "1", "MAINSTAY_RETRY_JITTER: \"1\" is not true or false");
    refused("MAINSTAY_RETRY_MAX_DELAY", "1ms", "MAINSTAY_RETRY_MAX_DELAY: 1 ms is shorter");
    refused("MAINSTAY_RETRY_INITIAL_DELAY", "20m", "MAINSTAY_RETRY_MAX_DELAY: 30 s is shorter");
    refused("MAINSTAY_RETRY_BUDGET", "-1", "MAINSTAY_RETRY_BUDGET: -1.0 is not a number from 0");
    refused(
        "MAINSTAY_BREAKER_FAILURE_RATE", "2", "MAINSTAY_BREAKER_FAILURE_RATE: 2.0 is not above");
    refused("MAINSTAY_REPAIRS", "images", "MAINSTAY_REPAIRS: \"images\" is not one of tool-name");
    refused("MAINSTAY_PRESET", "best", "MAINSTAY_PRESET: \"best\" is not one of mainstay, three-");
    refused("MAINSTAY_RETRY_MAXDELAY", "1s", "MAINSTAY_RETRY_MAXDELAY: there is no such setting");
  }

  private static void refused(String variable, String value, String message) {
    assertThatThrownBy(() -> Settings.from(Map.of(variable, value)))
        .isInstanceOf(InvalidPolicyException.class)
        .hasMessageStartingWith(message);
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
}
