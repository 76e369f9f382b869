package dev.mainstay.engine.money;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.SplicedBytes;
import dev.mainstay.wire.request.MalformedRequest;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What one call holds of its budgets. At its beginning that is the most one attempt can cost; each
 * attempt after one that cost something, or may have, is made only once that much is held for it
 * too. An attempt of which only its provider knows what it cost counts as the most it could.
 *
 * <p>Belongs to the call's loop.
 */
final class CallBudgetReservation implements BudgetReservation {
  /** The most that an attempt can cost. */
  @FunctionalInterface
  interface Bounds {
    CostBound of(TargetId target, Operation operation, byte[] body) throws MalformedRequest;
  }

  /** Holds {@code more} for the call, which is then {@code all} that is held for it. */
  @FunctionalInterface
  interface Holding {
    CompletionStage<Answer> hold(long more, long all);
  }

  private final long first;
  private final boolean firstTools;
  private final Bounds bounds;
  private final Holding holding;
  private long held;
  private long spent;

  /** The most that the attempt under way can cost. */
  private long bound;

  /** Whether its provider may use tools of its own. */
  private boolean tools;

  /**
   * @param first what is held already, for any first attempt
   * @param tools whether its provider may use tools of its own
   */
  CallBudgetReservation(long first, boolean tools, Bounds bounds, Holding holding) {
    this.first = first;
    firstTools = tools;
    this.bounds = bounds;
    this.holding = holding;
    held = first;
  }

  @Override
  public @Nullable CompletionStage<Answer> before(
      TargetId target, Operation operation, SplicedBytes body) {
    if (spent == 0) {
      bound = first;
      tools = firstTools;
      return null;
    }
    bound(target, operation, body.bytes());
    // Neither is negative; a sum beyond all money stays beyond it.
    long needed = spent > Long.MAX_VALUE - bound ? Long.MAX_VALUE : spent + bound;
    if (needed <= held) {
      return null;
    }
    return holding
        .hold(needed - held, needed)
        .thenApply(
            answer -> {
              if (answer instanceof Answer.Granted) {
                held = needed;
              }
              return answer;
            });
  }

  private void bound(TargetId target, Operation operation, byte[] body) {
    bound = first;
    tools = firstTools;
    try {
      var now = bounds.of(target, operation, body);
      var nanos = now.nanos();
      if (nanos != null) {
        bound = nanos;
        tools = now.tools();
      }
    } catch (MalformedRequest e) {
      // Written here from one that could be read: it costs no more than any first attempt.
    }
  }

  @Override
  public void after(@Nullable Long nanos, boolean told) {
    // What a provider's own tools have cost cannot be seen where it was not told.
    long more = nanos == null || (tools && !told) ? bound : nanos;
    spent = spent > Long.MAX_VALUE - more ? Long.MAX_VALUE : spent + more;
  }

  /** What the attempts so far have cost at most. */
  long spent() {
    return spent;
  }
}
