package dev.mainstay.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.settings.Settings;
import dev.mainstay.library.testing.VirtualTimer;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LiveSettingsTest {
  private final VirtualTimer timer = new VirtualTimer();
  private final Map<String, String> variables = new HashMap<>();

  private LiveSettings settings() {
    return new LiveSettings(() -> variables, timer);
  }

  @Test
  void aChangeIsInForceAfterTenSeconds() {
    var live = settings();
    variables.put("MAINSTAY_MAX_ATTEMPTS", "7");
    timer.advance(LiveSettings.REREAD.minusNanos(1));
    assertThat(live.current().policy().maxAttempts()).isEqualTo(5);
    timer.advance(java.time.Duration.ofNanos(1));
    assertThat(live.current().policy().maxAttempts()).isEqualTo(7);
    assertThat(live.current().inForce())
        .contains(
            new Settings.InForce(
                "max-attempts", "MAINSTAY_MAX_ATTEMPTS", "7", Settings.Source.ENVIRONMENT));
  }

  @Test
  void aBadChangeLeavesWhatWasInForce() {
    var live = settings();
    variables.put("MAINSTAY_DEADLINE", "never");
    assertThat(live.reread()).isFalse();
    assertThat(live.problem())
        .startsWith("MAINSTAY_DEADLINE: found \"never\"; allowed: a duration");
    assertThat(live.current().policy().maxAttempts()).isEqualTo(5);
    variables.clear();
    assertThat(live.reread()).isTrue();
    assertThat(live.problem()).isNull();
  }

  @Test
  void badSettingsAtTheStartAreRefused() {
    variables.put("MAINSTAY_MAX_ATTEMPTS", "0");
    assertThatThrownBy(this::settings)
        .isInstanceOf(InvalidPolicyException.class)
        .hasMessage("MAINSTAY_MAX_ATTEMPTS: found \"0\"; allowed: a whole number from 1 to 100");
  }

  @Test
  void aWrappedCallFollowsThem() {
    var live = settings();
    variables.put("MAINSTAY_MAX_ATTEMPTS", "1");
    live.reread();
    var provider = new Provider("").fails(Provider.down(), Provider.down());
    var mainstay = Mainstay.builder().settings(live).timer(timer).build();
    assertThatThrownBy(mainstay.wrap("openai/x", provider)::call)
        .isInstanceOf(Provider.ApiException.class);
    assertThat(provider.calls).isEqualTo(1);
  }
}
