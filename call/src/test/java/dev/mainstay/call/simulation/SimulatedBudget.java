package dev.mainstay.call.simulation;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.SplicedBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client's budget that calls share: it holds the most an attempt can cost before the attempt is
 * made, and books what it did cost after. Answers at once or later.
 */
final class SimulatedBudget {
  /**
   * The most that an attempt costs here, in nano-dollars: 10 tokens in, {@link #MOST_TOKENS} out.
   */
  static final long MOST = 10 * 1_000 + SimulatedBudget.MOST_TOKENS * 2_000L;

  static final int MOST_TOKENS = 100;

  /** The longest that it takes to answer, in nanoseconds. */
  static final long SLOWEST = 200_000_000;

  private final VirtualTime time;
  private final RandomGenerator random;
  private final Promises promises;
  private long left;

  SimulatedBudget(VirtualTime time, RandomGenerator random, Promises promises, long left) {
    this.time = time;
    this.random = random;
    this.promises = promises;
    this.left = left;
  }

  /** What {@code call} may spend of it. */
  BudgetReservation of(Observed call) {
    return new BudgetReservation() {
      @Override
      public @Nullable CompletionStage<Answer> before(
          TargetId target, Operation operation, SplicedBytes body) {
        promises.check(!call.held, "10: no attempt is asked for before the last was settled");
        Answer answer = new Answer.Granted();
        if (left < MOST) {
          answer =
              new Answer.Refused("spent", random.nextBoolean(), java.time.Duration.ofSeconds(1));
        } else {
          left -= MOST;
          call.held = true;
        }
        if (answer instanceof Answer.Granted && random.nextBoolean()) {
          return null;
        }
        var later = new CompletableFuture<Answer>();
        var found = answer;
        time.in(random.nextLong(SLOWEST), () -> later.complete(found));
        return later;
      }

      @Override
      public void after(@Nullable Long nanos, boolean told) {
        promises.settled(call, nanos, told);
        left += MOST - Math.min(MOST, nanos == null ? MOST : nanos);
      }
    };
  }
}
