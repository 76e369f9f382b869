package dev.mainstay.library;

import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Stage;
import dev.mainstay.core.verdict.Repair;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A wrapped call that blocks. Immutable and thread-safe: make it once and call it often, or make it
 * anew for each call; an answer at the first attempt costs neither a history nor a decision.
 *
 * @param <T> the answer
 */
public final class Blocking<T> implements Callable<T> {
  private final Wrapped<T> wrapped;

  Blocking(Mainstay mainstay, GuardedTarget target, Step<? extends T> step) {
    this(Wrapped.of(mainstay, target, step));
  }

  private Blocking(Wrapped<T> wrapped) {
    this.wrapped = wrapped;
  }

  /**
   * The same with one more target to fall back to.
   *
   * @throws dev.mainstay.core.recovery.InvalidPolicyException if the policy has fewer attempts
   */
  public Blocking<T> or(String target, Callable<? extends T> call) {
    return new Blocking<>(wrapped.or(wrapped.mainstay().guarded(target), call::call));
  }

  /** The same with one more target to fall back to, on a leased client. */
  public <C extends AutoCloseable> Blocking<T> or(
      String target, ClientRegistry<C> clients, LeasedCall<? super C, ? extends T> call) {
    return new Blocking<>(
        wrapped.or(wrapped.mainstay().guarded(target), clients.<T>blocking(call)));
  }

  /**
   * The same with a way to carry out {@code repair}; without one the brain looks for another way.
   */
  public Blocking<T> mending(Repair repair, RepairAction mender) {
    return new Blocking<>(wrapped.mending(repair, mender));
  }

  /**
   * Makes the call.
   *
   * @throws Exception the original exception of the failure to show, with the history attached
   *     ({@link Mainstay#historyOf}); {@link InterruptedException} at once when the thread is
   *     interrupted; {@link UnavailableException} where no attempt could be made
   */
  @Override
  public T call() throws Exception {
    var mainstay = wrapped.mainstay();
    long start = mainstay.timer().nanoTime();
    var first = wrapped.targets()[0];
    if (!(first.breaker().admit(start) instanceof Admission.Admitted ticket)) {
      return recover(start, null, null);
    }
    first.budget().request(start);
    T answer;
    try {
      answer = wrapped.steps()[0].run();
    } catch (Throwable failure) {
      return recover(start, ticket, failure);
    }
    first.breaker().succeeded(ticket, mainstay.timer().nanoTime());
    mainstay.tellAnswered(first.name(), start, java.util.List.of());
    return answer;
  }

  private T recover(
      long start, Admission.@Nullable Admitted ticket, @Nullable Throwable firstFailure)
      throws Exception {
    var mainstay = wrapped.mainstay();
    var course =
        new CallExecution(
            mainstay, wrapped.targets(), wrapped.menders(), wrapped.steps(), start, ticket);
    try {
      Decision decision = course.first();
      if (firstFailure != null) {
        decision = failed(course, firstFailure);
      }
      while (true) {
        int target = course.carryOut(decision);
        T answer;
        try {
          answer = wrapped.steps()[target].run();
        } catch (Throwable failure) {
          decision = failed(course, failure);
          continue;
        }
        course.answered();
        return answer;
      }
    } catch (Throwable end) {
      throw SneakyThrow.throwing(end);
    }
  }

  /** The decision upon a failure; what is not the provider's answer ends the call as it is. */
  private static Decision failed(CallExecution course, Throwable failure) throws Throwable {
    var cause = CallExecution.unwrap(failure);
    boolean stopped =
        cause instanceof Error
            || cause instanceof InterruptedException
            || cause instanceof CancellationException
            || Thread.currentThread().isInterrupted();
    if (stopped) {
      course.cancelled();
      if (!(cause instanceof Error)) {
        course.attach(cause);
      }
      throw cause;
    }
    return course.failed(failure, Stage.NOTHING);
  }
}
