package dev.mainstay.call.api;

import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.MemoryBudget.Reservation;
import dev.mainstay.http.MemoryBudget.Use;

/**
 * What one call holds in memory: its request, and what its attempts hold of their answers. All of
 * it is given back when the call ends. Belongs to the call's loop.
 */
public final class CallMemory implements AutoCloseable {
  /**
   * A call may hold a quarter of what all calls may, so that one alone does not stop the others.
   */
  private static final int CALLS = 4;

  private final Reservation request;
  private final Reservation answer;

  public CallMemory(MemoryBudget budget, long requestBytes) {
    request = budget.reserve(Use.REQUEST);
    request.set(requestBytes);
    answer = budget.reserve(Use.ANSWER, budget.limit(Use.ANSWER) / CALLS);
  }

  /** For one thing that is held of an answer; to be closed when it is held no more. */
  public Reservation part() {
    return answer.part();
  }

  /**
   * Reserves {@code bytes} more, which the call cannot go on without.
   *
   * @throws Shortage where there is no room: it ends the call
   */
  public static void hold(Reservation part, long bytes) {
    if (!part.grow(bytes)) {
      throw new Shortage();
    }
  }

  @Override
  public void close() {
    request.close();
    answer.close();
  }

  /**
   * There is no memory for what a call must hold. An error, so that nothing on its way takes it for
   * a provider's failure: neither a retry nor another target would help.
   */
  public static final class Shortage extends Error {
    private static final long serialVersionUID = 1L;

    public Shortage() {
      super("this gateway has no memory left for this call", null, false, false);
    }
  }
}
