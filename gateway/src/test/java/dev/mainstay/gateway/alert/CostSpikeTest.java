package dev.mainstay.gateway.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.Alerts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CostSpikeTest {
  private static final Alerts.Spike SETTINGS = new Alerts.Spike(3, 100, Duration.ofHours(1), null);
  private static final long BOOT = -Duration.ofHours(3).toNanos();

  private final CostSpike spike = new CostSpike();

  private CostSpike.@Nullable Seen at(int hours, long nanos) {
    return spike.add(nanos, BOOT + Duration.ofHours(hours).toNanos(), SETTINGS);
  }

  @Test
  void moreThanThreeTimesTheMeanIsASpike() {
    for (int hour = 0; hour < 10; hour++) {
      assertThat(at(hour, 50)).isNull();
    }
    assertThat(at(10, 150)).as("three times").isNull();
    assertThat(at(10, 1)).isEqualTo(new CostSpike.Seen(151, 50L));
  }

  @Test
  void whatIsUsualIsNotKnownAtFirst() {
    at(0, 1);
    for (int hour = 1; hour < 7; hour++) {
      assertThat(at(hour, 1_000_000)).isNull();
    }
  }

  @Test
  void littleMoneyIsNoSpikeAndSilenceCounts() {
    at(0, 1);
    assertThat(at(8, 99)).isNull();
    assertThat(at(8, 1)).isEqualTo(new CostSpike.Seen(100, 0L));
    assertThat(at(1000, 100)).as("all before is long ago").isEqualTo(new CostSpike.Seen(100, 0L));
  }

  @Test
  void moreThanTheThresholdIsASpikeFromTheFirstWindowOn() {
    var above = new Alerts.Spike(3, 100, Duration.ofHours(1), 500L);
    assertThat(spike.add(500, BOOT, above)).isNull();
    assertThat(spike.add(1, BOOT, above)).isEqualTo(new CostSpike.Seen(501, null));
  }
}
