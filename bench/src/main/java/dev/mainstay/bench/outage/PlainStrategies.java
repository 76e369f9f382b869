package dev.mainstay.bench.outage;

import java.util.SplittableRandom;

/** The two common ways: retries on two layers, and one layer with backoff and full jitter. */
final class PlainStrategies {
  private PlainStrategies() {}

  /**
   * An SDK that retries by status three times under a gateway that does the same: 4 × 4 upstream
   * requests. Delays are those of the official SDKs: 0.5 s doubled up to 8 s, less up to a quarter.
   */
  static Strategy twoLayers(SplittableRandom random) {
    return new Strategy() {
      @Override
      public String name() {
        return "SDK retries × gateway retries (4 × 4)";
      }

      @Override
      public Attempts ask(int client, double now) {
        return new Attempts() {
          private int inner;
          private int outer;

          @Override
          public double first(double now) {
            return now;
          }

          @Override
          public double afterFailure(boolean timedOut, double now) {
            if (inner < 3) {
              return now + sdkDelay(inner++);
            }
            if (outer < 3) {
              inner = 0;
              return now + sdkDelay(outer++);
            }
            return NEVER;
          }
        };
      }

      private double sdkDelay(int retry) {
        return Math.min(0.5 * (1 << retry), 8) * (1 - 0.25 * random.nextDouble());
      }
    };
  }

  /**
   * Five attempts, 0.5 s doubled up to 30 s, full jitter (Brooker, AWS Architecture Blog, 2015).
   */
  static Strategy backoffWithJitter(SplittableRandom random) {
    return new Strategy() {
      @Override
      public String name() {
        return "Backoff with full jitter (5 attempts)";
      }

      @Override
      public Attempts ask(int client, double now) {
        return new Attempts() {
          private int retries;

          @Override
          public double first(double now) {
            return now;
          }

          @Override
          public double afterFailure(boolean timedOut, double now) {
            if (retries == 4) {
              return NEVER;
            }
            return now + random.nextDouble() * Math.min(0.5 * (1 << retries++), 30);
          }
        };
      }
    };
  }
}
