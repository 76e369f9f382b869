package dev.mainstay.bench.outage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/outage.md says, held against the code that decides in production. */
class OutageSimulationTest {
  private static final int PROBES_OF_FOUR_GATEWAYS = 4;

  @Test
  void theSameSeedTellsTheSameStory() {
    var once = Picture.draw(List.of(OutageSimulation.run(shorter(4), 7)));
    var again = Picture.draw(List.of(OutageSimulation.run(shorter(4), 7)));
    assertThat(again).isEqualTo(once);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aTotalOutageIsMetWithProbesOnlyOnceTheBreakersAreOpen(long seed) {
    var scenario = Scenario.queuesLong();
    var series = mainstay(scenario, seed);
    for (int second = 65; second < 120; second++) {
      assertThat(series.loadAt(second)).isLessThanOrEqualTo(PROBES_OF_FOUR_GATEWAYS);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theLoadNeverExceedsWhatIsAskedByMoreThanTheBudgetAndItsFloor(long seed) {
    var series = mainstay(Scenario.queuesLong(), seed);
    for (int second = 10; second < series.seconds(); second++) {
      double asked = series.meanAsked(second - 10, second);
      double floor = 4 * 10 / 10.0;
      assertThat(series.meanLoad(second - 10, second)).isLessThanOrEqualTo(asked * 1.2 + floor);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void answersAreBackWhileTheProviderStillWarmsUp(long seed) {
    assertThat(mainstay(Scenario.queuesLong(), seed).timeToRecover(60, 120)).isBetween(0, 30);
    assertThat(mainstay(Scenario.refusesEarly(), seed).timeToRecover(60, 120)).isBetween(0, 30);
  }

  @Test
  void retriesOnTwoLayersHoldDownAProviderWhoseCauseOfTroubleHasGone() {
    var scenario = Scenario.queuesLong();
    var series = Simulation.run(scenario, PlainStrategies.twoLayers(new SplittableRandom(1)), 1);
    assertThat(series.timeToRecover(60, 120)).isEqualTo(-1);
  }

  private static Series mainstay(Scenario scenario, long seed) {
    return Simulation.run(scenario, new MainstayStrategy(new SplittableRandom(seed)), seed);
  }

  private static Scenario shorter(double longestQueue) {
    return new Scenario(
        "short",
        new Scenario.Clients(500, 19, 6.0, 60),
        new Scenario.Capacity(33, 1.0, longestQueue),
        new Scenario.Outage(20, 40, 10),
        90);
  }
}
