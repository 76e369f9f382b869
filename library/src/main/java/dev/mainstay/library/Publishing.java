package dev.mainstay.library;

import dev.mainstay.core.verdict.Repair;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.function.Predicate;

/**
 * A wrapped call that answers in chunks as they are asked for. Immutable and thread-safe.
 *
 * <p>Commit point and ending are those of {@link Streaming}: before the one, a failed attempt is
 * replaced and the subscriber sees nothing of it; without the other, no answer is a whole one.
 *
 * @param <K> a chunk
 */
public final class Publishing<K> {
  private final Wrapped<Flow.Publisher<K>> wrapped;
  private final Predicate<? super K> commits;
  private final Predicate<? super K> ends;

  /** Whether {@link #ends} is to be asked: else a publisher's completion is a good end. */
  private final boolean mustEnd;

  Publishing(Mainstay mainstay, GuardedTarget target, Step<? extends Flow.Publisher<K>> step) {
    this(Wrapped.of(mainstay, target, step), _ -> true, _ -> false, false);
  }

  private Publishing(
      Wrapped<Flow.Publisher<K>> wrapped,
      Predicate<? super K> commits,
      Predicate<? super K> ends,
      boolean mustEnd) {
    this.wrapped = wrapped;
    this.commits = commits;
    this.ends = ends;
    this.mustEnd = mustEnd;
  }

  /**
   * The same with one more target to fall back to.
   *
   * @throws dev.mainstay.core.recovery.InvalidPolicyException if the policy has fewer attempts
   */
  public Publishing<K> or(String target, Callable<? extends Flow.Publisher<K>> call) {
    return with(wrapped.or(wrapped.mainstay().guarded(target), call::call));
  }

  /**
   * The same with one more target to fall back to, on a client leased until its publisher has ended
   * or was cancelled.
   */
  public <C extends AutoCloseable> Publishing<K> or(
      String target,
      ClientRegistry<C> clients,
      LeasedCall<? super C, ? extends Flow.Publisher<K>> call) {
    return with(wrapped.or(wrapped.mainstay().guarded(target), clients.<K>publisher(call)));
  }

  /** The same with a way to carry out {@code repair}, on whichever thread the failure came. */
  public Publishing<K> mending(Repair repair, RepairAction mender) {
    return with(wrapped.mending(repair, mender));
  }

  private Publishing<K> with(Wrapped<Flow.Publisher<K>> other) {
    return new Publishing<>(other, commits, ends, mustEnd);
  }

  /** As {@link Streaming#commitsAt}. Default: the first chunk. */
  public Publishing<K> commitsAt(Predicate<? super K> content) {
    return new Publishing<>(wrapped, content, ends, mustEnd);
  }

  /** As {@link Streaming#endsWith}. Default: any completion is good. */
  public Publishing<K> endsWith(Predicate<? super K> ending) {
    return new Publishing<>(wrapped, commits, ending, true);
  }

  /**
   * A publisher of the answer. Every subscriber begins a call of its own, with its first request;
   * no thread is held while it waits. Of the publisher below no more is asked than the subscriber
   * has asked for, but for the chunks up to the commit point, which are asked for one by one.
   * Cancelling cancels the attempt under way and any wait, and nothing more is tried. A failure is
   * the original exception, with the history attached.
   */
  public Flow.Publisher<K> publisher() {
    return subscriber -> {
      Objects.requireNonNull(subscriber, "subscriber");
      new PublisherRun<K>(wrapped, commits, ends, mustEnd, subscriber).start();
    };
  }
}
