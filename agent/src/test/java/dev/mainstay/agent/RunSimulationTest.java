package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.agent.ToolDefinition.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Schedules of whole runs with everything that can go wrong in them. Another seed: {@code
 * -Dmainstay.seed=N}; more schedules: {@code -Dmainstay.schedules=N}.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class RunSimulationTest {
  private static final int SCHEDULES = Integer.getInteger("mainstay.schedules", 100_000);
  private static final long SEED = Long.getLong("mainstay.seed", 20_261_122L);

  @Test
  void everyPromiseHoldsOnEverySchedule() throws Exception {
    int threads = Runtime.getRuntime().availableProcessors();
    try (var executor = Executors.newFixedThreadPool(threads)) {
      var parts = new ArrayList<Callable<Boolean>>();
      for (int i = 0; i < threads; i++) {
        int first = i;
        parts.add(
            () -> {
              for (int n = first; n < SCHEDULES; n += threads) {
                play(SEED + n, new MemoryRunStore(), Effect.UNSAFE);
              }
              return true;
            });
      }
      for (var part : executor.invokeAll(parts)) {
        assertThat(part.get()).isTrue();
      }
    }
  }

  private static void play(long seed, MemoryRunStore store, Effect unsafe) {
    var run = new SimulatedRuns(new SplittableRandom(seed).nextLong(), store, unsafe);
    try {
      run.play();
    } catch (RuntimeException e) {
      throw new SimulatedRuns.Broken(
          "-Dmainstay.seed=%d -Dmainstay.schedules=1: %s%n%s".formatted(seed, e, run.told()), e);
    }
  }

  @Test
  void aSeedIsTheSameScheduleEachTime() {
    for (long seed = 0; seed < 50; seed++) {
      assertThat(journal(seed)).isEqualTo(journal(seed));
    }
  }

  private static List<?> journal(long seed) {
    var run = new SimulatedRuns(seed, new MemoryRunStore(), Effect.UNSAFE);
    run.play();
    return run.told();
  }

  /** The checks can fail: a runtime that runs an unsafe tool again is found out. */
  @Test
  void anUnsafeToolThatRunsAgainIsFoundOut() {
    assertThatThrownBy(() -> playSome(() -> new MemoryRunStore(), Effect.READ))
        .isInstanceOf(SimulatedRuns.Broken.class)
        .hasMessageContaining("tool_UNSAFE: its effect happened 2 times");
  }

  /** The checks can fail: a store that takes the writes of a zombie is found out. */
  @Test
  void aStoreWithoutFencingIsFoundOut() {
    assertThatThrownBy(() -> playSome(() -> new MemoryRunStore(false), Effect.UNSAFE))
        .isInstanceOf(SimulatedRuns.Broken.class);
  }

  private static void playSome(Supplier<MemoryRunStore> stores, Effect unsafe) {
    for (long seed = 0; seed < 5_000; seed++) {
      play(seed, stores.get(), unsafe);
    }
  }
}
