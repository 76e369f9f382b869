package dev.mainstay.call.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.settings.InFlight;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.TargetId;
import org.junit.jupiter.api.Test;

class GuardsTest {
  private final Guards guards = new Guards(BreakerSettings.defaults(), InFlight.defaults());

  @Test
  void whatIsAskedOfOneTargetMakesNoneOfIt() {
    var open = new TargetId("openai", "gpt/4");
    guards.of(new TargetId("openai", "other"));
    assertThat(guards.state(open, 0)).isNull();
    assertThat(guards.states(0)).hasSize(1);
    guards.of(open);
    assertThat(guards.state(open, 0)).isEqualTo(guards.states(0).getFirst());
    assertThat(TargetId.of(open.toString())).isEqualTo(open);
    assertThat(TargetId.of("openai").toString()).isEqualTo("openai");
  }

  @Test
  void modelsThatClientsInventDoNotFillTheMemory() {
    var busy = guards.of(new TargetId("openai", "busy"));
    assertThat(busy.slots.tryAcquire()).isTrue();
    for (int i = 0; i < 3 * Guards.MOST; i++) {
      guards.of(new TargetId("openai", "invented-" + i));
    }
    assertThat(guards.states(0)).hasSizeLessThanOrEqualTo(Guards.MOST + 1);
    assertThat(guards.of(new TargetId("openai", "busy"))).isSameAs(busy);
  }
}
