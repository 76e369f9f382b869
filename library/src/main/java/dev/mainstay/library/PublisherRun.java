package dev.mainstay.library;

import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Stage;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber's call under way: its attempts, and what of them is held back until the first
 * content. Everything below is touched under the lock; the program's own code, the publishers' and
 * the subscriber's is run outside it. {@link SubscriberSignals} hands over what is ready.
 */
final class PublisherRun<K> implements Flow.Subscription {
  private final Wrapped<Flow.Publisher<K>> wrapped;
  private final Predicate<? super K> commits;
  private final Predicate<? super K> ends;
  private final boolean mustEnd;
  private final SubscriberSignals<K> signals;

  private final Object lock = new Object();
  private final ArrayDeque<K> held = new ArrayDeque<>();
  private @Nullable CallExecution course;
  private @Nullable Attempt attempt;
  private Timer.@Nullable Cancellation waiting;
  private boolean committed;

  PublisherRun(
      Wrapped<Flow.Publisher<K>> wrapped,
      Predicate<? super K> commits,
      Predicate<? super K> ends,
      boolean mustEnd,
      Flow.Subscriber<? super K> subscriber) {
    this.wrapped = wrapped;
    this.commits = commits;
    this.ends = ends;
    this.mustEnd = mustEnd;
    signals = new SubscriberSignals<>(lock, subscriber, this);
  }

  /** Hands itself to the subscriber; what a request begins at once is signalled only after it. */
  void start() {
    signals.begin();
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      refuse(new IllegalArgumentException("asked for " + n + " chunks: at least 1 may be"));
      return;
    }
    Decision first = null;
    synchronized (lock) {
      signals.asked(n);
      if (course == null && !signals.ending()) {
        var begun = begin();
        course = begun;
        first = begun.first();
      }
    }
    if (first != null) {
      carryOut(first);
    }
    ask();
    signals.drain();
  }

  private CallExecution begin() {
    var mainstay = wrapped.mainstay();
    long start = mainstay.timer().nanoTime();
    return new CallExecution(
        mainstay, wrapped.targets(), wrapped.menders(), wrapped.steps(), start, null);
  }

  private void refuse(IllegalArgumentException mistake) {
    stop(mistake);
    synchronized (lock) {
      signals.endNow(mistake);
    }
    signals.drain();
  }

  @Override
  public void cancel() {
    synchronized (lock) {
      signals.leave();
    }
    stop(null);
  }

  /** Ends the call for a reason that is the subscriber's own. */
  private void stop(@Nullable Throwable reason) {
    Attempt left;
    synchronized (lock) {
      if (signals.ending()) {
        return;
      }
      signals.end(reason);
      held.clear();
      if (course != null) {
        course.cancelled();
      }
      if (waiting != null) {
        waiting.cancel();
      }
      left = attempt;
      attempt = null;
    }
    if (left != null) {
      left.leave();
    }
  }

  // ---- attempts

  private void carryOut(@Nullable Decision decision) {
    var next = decision;
    while (next != null && next.waitNanos() == 0 && !(next instanceof Decision.GiveUp)) {
      next = attempt(next);
    }
    if (next == null) {
      return;
    }
    synchronized (lock) {
      if (signals.ending()) {
        return;
      }
      if (!(next instanceof Decision.GiveUp giveUp)) {
        var later = next;
        waiting =
            wrapped.mainstay().timer().after(next.waitNanos(), () -> carryOut(attempt(later)));
        return;
      }
      signals.end(course().end(giveUp));
    }
    signals.drain();
  }

  /** Makes the attempt, or answers what is to be done instead. */
  private @Nullable Decision attempt(Decision decision) {
    int target = CallExecution.targetOf(decision);
    synchronized (lock) {
      if (signals.ending()) {
        return null;
      }
      waiting = null;
      if (decision instanceof Decision.RetryRepaired mend) {
        return course().mend(mend);
      }
      var refused = course().admit(target);
      if (refused != null) {
        return course().refused(refused);
      }
    }
    var made = new Attempt();
    try {
      var publisher = wrapped.steps()[target].run();
      synchronized (lock) {
        // Left while it was made, it is subscribed to all the same, so that it gives up what it
        // has.
        made.left = signals.ending();
        attempt = made.left ? null : made;
      }
      publisher.subscribe(made);
    } catch (Throwable thrown) {
      return upon(thrown);
    }
    return null;
  }

  /** What a failure leads to, or null where the call has ended with it. */
  private @Nullable Decision upon(Throwable thrown) {
    var cause = CallExecution.unwrap(thrown);
    synchronized (lock) {
      if (signals.ending()) {
        return null;
      }
      held.clear();
      attempt = null;
      boolean stopped =
          cause instanceof Error
              || cause instanceof CancellationException
              || cause instanceof InterruptedException;
      if (!stopped) {
        return course().failed(thrown, committed ? Stage.TEXT : Stage.NOTHING);
      }
      signals.end(cause);
      course().cancelled();
    }
    signals.drain();
    return null;
  }

  private CallExecution course() {
    return Objects.requireNonNull(course, "begun with the first request");
  }

  /** One attempt's end of the publisher below. */
  private final class Attempt implements Flow.Subscriber<K> {
    private Flow.@Nullable Subscription subscription;

    /** What was asked of it and has not come. */
    private long asked;

    private boolean sawEnding;
    private boolean left;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      Objects.requireNonNull(given, "subscription");
      boolean wanted;
      synchronized (lock) {
        wanted = !left && subscription == null;
        if (wanted) {
          subscription = given;
        }
      }
      if (wanted) {
        ask();
      } else {
        given.cancel();
      }
    }

    @Override
    public void onNext(K chunk) {
      Objects.requireNonNull(chunk, "chunk");
      boolean ending;
      boolean content;
      try {
        ending = ends.test(chunk);
        content = commits.test(chunk);
      } catch (Throwable mistake) {
        stop(mistake);
        signals.drain();
        return;
      }
      synchronized (lock) {
        if (attempt != this) {
          return;
        }
        asked = asked == Long.MAX_VALUE ? asked : asked - 1;
        sawEnding |= ending;
        if (committed) {
          signals.add(chunk);
        } else {
          held.add(chunk);
          if (content) {
            committed = true;
            handOver();
            course().delivering();
          }
        }
      }
      ask();
      signals.drain();
    }

    @Override
    public void onError(Throwable thrown) {
      Objects.requireNonNull(thrown, "throwable");
      ended(thrown);
    }

    @Override
    public void onComplete() {
      ended(null);
    }

    private void ended(@Nullable Throwable thrown) {
      boolean whole;
      synchronized (lock) {
        if (attempt != this) {
          return;
        }
        whole = thrown == null && (sawEnding || !mustEnd);
        if (whole) {
          attempt = null;
          handOver();
          signals.end(null);
          course().answered();
        }
      }
      if (!whole) {
        carryOut(upon(thrown == null ? new IncompleteStreamException() : thrown));
      }
      signals.drain();
    }

    /** Nobody listens to it any more. */
    void leave() {
      Flow.Subscription given;
      synchronized (lock) {
        left = true;
        given = subscription;
      }
      if (given != null) {
        given.cancel();
      }
    }
  }

  private void handOver() {
    held.forEach(signals::add);
    held.clear();
  }

  /** Asks the attempt under way for what the subscriber still lacks. */
  private void ask() {
    Flow.Subscription from;
    long more;
    synchronized (lock) {
      var now = attempt;
      if (now == null || now.subscription == null || signals.ending()) {
        return;
      }
      from = now.subscription;
      if (!committed) {
        more = signals.lacking() > 0 && now.asked == 0 ? 1 : 0;
      } else if (signals.lacking() == Long.MAX_VALUE) {
        more = now.asked == Long.MAX_VALUE ? 0 : Long.MAX_VALUE;
      } else {
        more = signals.lacking() - now.asked;
      }
      if (more <= 0) {
        return;
      }
      now.asked = SubscriberSignals.sum(now.asked, more);
    }
    from.request(more);
  }
}
