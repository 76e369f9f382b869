package dev.mainstay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.testing.Histories;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void aFloorOfTenAndAFifthOfTheRequests() {
    var budget = RetryBudget.defaults();
    assertThat(budget.left(0)).isEqualTo(10);
    for (int i = 0; i < 100; i++) {
      budget.request(0);
    }
    assertThat(budget.left(0)).isEqualTo(20);
    for (int i = 0; i < 20; i++) {
      assertThat(budget.tryRetry(0)).isTrue();
    }
    assertThat(budget.tryRetry(0)).isFalse();
    assertThat(budget.tryRetry(9 * SECOND)).isFalse();
    assertThat(budget.tryRetry(12 * SECOND)).isTrue();
  }

  @Test
  void refusesWhatCannotBeMeant() {
    for (double share : new double[] {-0.1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new RetryBudget(share))
          .isInstanceOf(InvalidPolicyException.class)
          .hasMessageStartingWith("retry-budget: ");
    }
    assertThatThrownBy(() -> new RetryBudget(0.2, -1, Duration.ofSeconds(1)))
        .hasMessageContaining("less than 0");
  }

  /** In any ten seconds: no more than the floor, or the share of the requests just before. */
  @Test
  void noWindowIsOverdrawn() {
    Histories.forAll(
        5,
        0.05,
        random -> {
          var budget = RetryBudget.defaults();
          var requests = new ArrayList<Long>();
          var retries = new ArrayList<Long>();
          long now = random.nextLong(-SECOND, SECOND);
          int load = 1 + random.nextInt(20);
          for (int step = 0; step < 300; step++) {
            now += random.nextLong(SECOND / load);
            if (random.nextInt(3) == 0) {
              budget.request(now);
              requests.add(now);
            } else if (budget.tryRetry(now)) {
              retries.add(now);
              long since = now - 10 * SECOND;
              long offered = requests.stream().filter(at -> at > since).count();
              long granted = retries.stream().filter(at -> at > since).count();
              if (granted > Math.max(10, 0.2 * offered) + offeredBefore(requests, since)) {
                throw new AssertionError(granted + " retries for " + offered + " requests");
              }
            }
          }
        });
  }

  /** A retry was granted for what was offered in the ten seconds before it, not after. */
  private static double offeredBefore(ArrayList<Long> requests, long since) {
    return 0.2 * requests.stream().filter(at -> at <= since && at > since - 10 * SECOND).count();
  }
}
