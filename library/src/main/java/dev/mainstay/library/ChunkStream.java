package dev.mainstay.library;

import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Stage;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CancellationException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one answer, whatever it takes to get them. Blocks while it waits; not thread-safe.
 * What it throws, checked or not, is the original exception with the history attached. Close it:
 * leaving early closes the attempt under way.
 *
 * @param <K> a chunk
 */
public final class ChunkStream<K> implements Iterator<K>, AutoCloseable {
  private final Wrapped<Stream<K>> wrapped;
  private final Predicate<? super K> commits;
  private final Predicate<? super K> ends;
  private final boolean mustEnd;
  private final ArrayDeque<K> held = new ArrayDeque<>();
  private final ArrayDeque<K> ready = new ArrayDeque<>(1);
  private @Nullable CallExecution course;

  /** What is to be carried out before the next chunk can come. */
  private Decision decision = new Decision.Proceed(0, 0, "not begun");

  private @Nullable Stream<K> attempt;
  private @Nullable Iterator<K> chunks;
  private boolean committed;
  private boolean sawEnding;
  private boolean over;

  ChunkStream(
      Wrapped<Stream<K>> wrapped,
      Predicate<? super K> commits,
      Predicate<? super K> ends,
      boolean mustEnd) {
    this.wrapped = wrapped;
    this.commits = commits;
    this.ends = ends;
    this.mustEnd = mustEnd;
  }

  /** Whether there is another chunk; waits for it, and for whatever attempts it takes. */
  @Override
  public boolean hasNext() {
    while (ready.isEmpty() && !over) {
      try {
        pull();
      } catch (Throwable end) {
        over = true;
        closeAttempt();
        throw SneakyThrow.throwing(end);
      }
    }
    return !ready.isEmpty();
  }

  @Override
  public K next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return ready.remove();
  }

  /** The same as a stream, whose closing closes this. */
  public Stream<K> stream() {
    var all = Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED);
    return StreamSupport.stream(all, false).onClose(this::close);
  }

  /** Leaves: the attempt under way is closed, and nothing more is tried. */
  @Override
  public void close() {
    if (!over) {
      over = true;
      if (course != null) {
        course.cancelled();
      }
    }
    closeAttempt();
  }

  private void pull() throws Throwable {
    var source = chunks == null ? open() : chunks;
    try {
      if (source.hasNext()) {
        take(source.next());
        return;
      }
      if (mustEnd && !sawEnding) {
        throw new IncompleteStreamException();
      }
    } catch (Throwable failure) {
      decision = upon(failure);
      return;
    }
    over = true;
    ready.addAll(held);
    held.clear();
    closeAttempt();
    course().answered();
  }

  private void take(K chunk) {
    sawEnding |= ends.test(chunk);
    if (!committed && !commits.test(chunk)) {
      held.add(chunk);
      return;
    }
    if (!committed) {
      committed = true;
      ready.addAll(held);
      held.clear();
      course().delivering();
    }
    ready.add(chunk);
  }

  private Iterator<K> open() throws Throwable {
    var under = course == null ? begin() : course;
    while (true) {
      int target = under.carryOut(decision);
      try {
        Stream<K> made = wrapped.steps()[target].run();
        attempt = made;
        var opened = made.iterator();
        chunks = opened;
        return opened;
      } catch (Throwable failure) {
        decision = upon(failure);
      }
    }
  }

  private CallExecution begin() {
    var mainstay = wrapped.mainstay();
    long start = mainstay.timer().nanoTime();
    var begun =
        new CallExecution(
            mainstay, wrapped.targets(), wrapped.menders(), wrapped.steps(), start, null);
    course = begun;
    decision = begun.first();
    return begun;
  }

  private Decision upon(Throwable failure) throws Throwable {
    held.clear();
    sawEnding = false;
    closeAttempt();
    var cause = CallExecution.unwrap(failure);
    boolean stopped =
        cause instanceof Error
            || cause instanceof InterruptedException
            || cause instanceof CancellationException
            || Thread.currentThread().isInterrupted();
    if (stopped) {
      course().cancelled();
      throw cause;
    }
    return course().failed(failure, committed ? Stage.TEXT : Stage.NOTHING);
  }

  private CallExecution course() {
    var under = course;
    if (under == null) {
      throw new IllegalStateException("no attempt was made");
    }
    return under;
  }

  private void closeAttempt() {
    var closing = attempt;
    attempt = null;
    chunks = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (RuntimeException e) {
        // What a broken stream says when it is closed adds nothing to why it broke.
        return;
      }
    }
  }
}
