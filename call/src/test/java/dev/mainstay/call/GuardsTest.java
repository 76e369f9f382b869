package dev.mainstay.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.TargetId;
import org.junit.jupiter.api.Test;

class GuardsTest {
  private final Guards guards = new Guards(BreakerSettings.defaults(), InFlight.defaults());

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
