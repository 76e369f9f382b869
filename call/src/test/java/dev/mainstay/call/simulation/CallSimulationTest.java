package dev.mainstay.call.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.classify.Classifier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whole calls against random providers, clients and reloads, each schedule held to promises 1 to 5,
 * 8, 10 and 11 of the design.
 *
 * <p>A failure names its seed; {@code -Dmainstay.seed=N} runs that schedule alone, and {@code
 * -Dmainstay.schedules=N} so many of them.
 */
class CallSimulationTest {
  private static final long SCHEDULES = Long.getLong("mainstay.schedules", 100_000);

  @Test
  void everyScheduleKeepsThePromises() {
    Classifier.standard();
    var only = Long.getLong("mainstay.seed");
    if (only != null) {
      assertThat(new World(only).run()).isNotNegative();
      return;
    }
    var attempts = new LongAdder();
    var broken = new AtomicReference<AssertionError>();
    LongStream.range(0, SCHEDULES)
        .parallel()
        .forEach(
            seed -> {
              if (broken.get() == null) {
                try {
                  attempts.add(new World(seed).run());
                } catch (Throwable e) {
                  broken.compareAndSet(
                      null,
                      new AssertionError("-Dmainstay.seed=" + seed + ": " + e.getMessage(), e));
                }
              }
            });
    var first = broken.get();
    if (first != null) {
      throw first;
    }
    assertThat(attempts.sum()).as("attempts made").isGreaterThan(SCHEDULES);
  }
}
