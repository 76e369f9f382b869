package dev.mainstay.call.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.settings.RateLimits;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RateLimiterTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final RateLimiter limiter = new RateLimiter();

  @Test
  void aMinutesWorthMayComeAtOnceAndNoMore() {
    var limits = new RateLimits(60, null, null);
    for (int i = 0; i < 60; i++) {
      assertThat(limiter.take(limits, 0)).isNull();
    }
    assertThat(limiter.take(limits, 0))
        .isEqualTo(new RateLimiter.Wait(Duration.ofSeconds(1), "rpm: 60"));
    assertThat(limiter.take(limits, SECOND)).isNull();
    assertThat(limiter.take(limits, SECOND)).isNotNull();
  }

  @Test
  void tokensAreTakenWhenTheyAreKnown() {
    var limits = new RateLimits(null, 6000, null);
    assertThat(limiter.take(limits, 0)).isNull();
    limiter.used(6_099);
    assertThat(limiter.inTheWay(limits, 0))
        .isEqualTo(new RateLimiter.Wait(Duration.ofSeconds(1), "tpm: 6000"));
    assertThat(limiter.take(limits, SECOND)).isNull();
  }

  @Test
  void thoseWhoWaitComeInTheirOrder() {
    var limits = new RateLimits(60, null, null);
    assertThat(limiter.reserve(limits, 0)).as("there is room").isNull();
    for (int i = 0; i < 60; i++) {
      assertThat(limiter.take(limits, 0)).isNull();
    }
    assertThat(limiter.reserve(limits, 0))
        .isEqualTo(new RateLimiter.Wait(Duration.ofSeconds(1), "rpm: 60"));
    assertThat(limiter.reserve(limits, 0))
        .isEqualTo(new RateLimiter.Wait(Duration.ofSeconds(2), "rpm: 60"));
    assertThat(limiter.take(limits, SECOND)).as("the turn of one that waits").isNotNull();
    assertThat(limiter.takeReserved(limits, SECOND)).isNull();
    limiter.unreserve();
    assertThat(limiter.take(limits, 2 * SECOND)).as("the other has left").isNull();
    assertThat(limiter.take(limits, 2 * SECOND)).isNotNull();
  }

  @Test
  void aPlaceIsHeldUntilItsRequestEnds() {
    var limits = new RateLimits(null, null, 1);
    assertThat(limiter.take(limits, 0)).isNull();
    assertThat(limiter.full(limits, 0)).isTrue();
    assertThat(limiter.take(limits, 0))
        .isEqualTo(new RateLimiter.Wait(Duration.ZERO, "parallel: 1"));
    limiter.ended();
    assertThat(limiter.take(limits, 0)).isNull();
    assertThat(new RateLimiter().take(RateLimits.NONE, 0)).isNull();
  }
}
