package dev.mainstay.library;

import dev.mainstay.core.verdict.Repair;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A wrapped call that answers later. Immutable and thread-safe.
 *
 * @param <T> the answer
 */
public final class Async<T> {
  private final Wrapped<CompletionStage<T>> wrapped;

  Async(Mainstay mainstay, GuardedTarget target, Step<? extends CompletionStage<T>> step) {
    this(Wrapped.of(mainstay, target, step));
  }

  private Async(Wrapped<CompletionStage<T>> wrapped) {
    this.wrapped = wrapped;
  }

  /**
   * The same with one more target to fall back to.
   *
   * @throws dev.mainstay.core.recovery.InvalidPolicyException if the policy has fewer attempts
   */
  public Async<T> or(String target, Callable<? extends CompletionStage<T>> call) {
    return new Async<>(wrapped.or(wrapped.mainstay().guarded(target), call::call));
  }

  /**
   * The same with one more target to fall back to, on a client leased until the answer is there.
   */
  public <C extends AutoCloseable> Async<T> or(
      String target,
      ClientRegistry<C> clients,
      LeasedCall<? super C, ? extends CompletionStage<T>> call) {
    return new Async<>(wrapped.or(wrapped.mainstay().guarded(target), clients.<T>async(call)));
  }

  /** The same with a way to carry out {@code repair}, on whichever thread the failure came. */
  public Async<T> mending(Repair repair, RepairAction mender) {
    return new Async<>(wrapped.mending(repair, mender));
  }

  /**
   * Begins the call; no thread is held while it waits. The future completes with the answer, or
   * with the original exception and the history attached. Cancelling it cancels the attempt under
   * way and any wait, and nothing more is tried.
   */
  public CompletableFuture<T> call() {
    var run = new AsyncRun<>(wrapped);
    run.begin();
    return run.result();
  }
}
