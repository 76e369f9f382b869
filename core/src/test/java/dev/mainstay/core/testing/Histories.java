package dev.mainstay.core.testing;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Runs a check on many random histories, each from a seed of its own; a failure names that seed,
 * and {@code -Dmainstay.seed=N} runs that one alone.
 *
 * <p>{@code -Dmainstay.histories=N} says how many; 200,000 by default, a million in CI.
 */
public final class Histories {
  private static final int DEFAULT_COUNT = 200_000;

  private Histories() {}

  /** Runs {@code check} on the whole number of histories. */
  public static void forAll(long firstSeed, Consumer<RandomGenerator> check) {
    forAll(firstSeed, 1.0, check);
  }

  /** Runs {@code check} on {@code share} of the number of histories, for those that cost more. */
  public static void forAll(long firstSeed, double share, Consumer<RandomGenerator> check) {
    Long only = Long.getLong("mainstay.seed");
    if (only != null) {
      check(only, check);
      return;
    }
    long count = (long) (share * Integer.getInteger("mainstay.histories", DEFAULT_COUNT));
    for (long i = 0; i < count; i++) {
      check(firstSeed * 1_000_003 + i, check);
    }
  }

  private static void check(long seed, Consumer<RandomGenerator> check) {
    try {
      check.accept(new SplittableRandom(seed));
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "history " + seed + " (-Dmainstay.seed=" + seed + "): " + e.getMessage(), e);
    }
  }
}
