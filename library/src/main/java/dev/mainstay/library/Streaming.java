package dev.mainstay.library;

import dev.mainstay.core.verdict.Repair;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A wrapped call that answers in chunks. Immutable and thread-safe.
 *
 * <p>Until the commit point, chunks are held back and a failure leads to another attempt, of which
 * the program sees nothing. After it the program has part of the answer: a failure then ends the
 * stream with the original exception, so that half an answer never passes for a whole one.
 *
 * @param <K> a chunk
 */
public final class Streaming<K> {
  private final Wrapped<Stream<K>> wrapped;
  private final Predicate<? super K> commits;
  private final Predicate<? super K> ends;

  /** Whether {@link #ends} is to be asked: else a stream's end is a good one. */
  private final boolean mustEnd;

  Streaming(Mainstay mainstay, GuardedTarget target, Step<? extends Stream<K>> step) {
    this(Wrapped.of(mainstay, target, step), _ -> true, _ -> false, false);
  }

  private Streaming(
      Wrapped<Stream<K>> wrapped,
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
  public Streaming<K> or(String target, Callable<? extends Stream<K>> call) {
    return with(wrapped.or(wrapped.mainstay().guarded(target), call::call));
  }

  /**
   * The same with one more target to fall back to, on a client leased until the stream is closed.
   */
  public <C extends AutoCloseable> Streaming<K> or(
      String target, ClientRegistry<C> clients, LeasedCall<? super C, ? extends Stream<K>> call) {
    return with(wrapped.or(wrapped.mainstay().guarded(target), clients.<K>stream(call)));
  }

  /** The same with a way to carry out {@code repair}. */
  public Streaming<K> mending(Repair repair, RepairAction mender) {
    return with(wrapped.mending(repair, mender));
  }

  private Streaming<K> with(Wrapped<Stream<K>> other) {
    return new Streaming<>(other, commits, ends, mustEnd);
  }

  /**
   * The commit point is the first chunk that is {@code content}; those before it (roles, preambles)
   * are held back. Default: the first chunk.
   */
  public Streaming<K> commitsAt(Predicate<? super K> content) {
    return new Streaming<>(wrapped, content, ends, mustEnd);
  }

  /**
   * A stream is whole only if a chunk that is {@code ending} came (a finish reason, {@code [DONE]},
   * {@code message_stop}). Default: any end without an exception is good; most clients report a cut
   * connection so, therefore name the ending wherever the protocol has one.
   */
  public Streaming<K> endsWith(Predicate<? super K> ending) {
    return new Streaming<>(wrapped, commits, ending, true);
  }

  /** Begins the call at the first chunk that is asked for. Close what this returns. */
  public ChunkStream<K> open() {
    return new ChunkStream<>(wrapped, commits, ends, mustEnd);
  }
}
