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
 * One subscriber's call under way. Everything below is touched under the lock; the program's own
 * code, the publishers' and the subscriber's is run outside it.
 *
 * <p>Signals go to the subscriber one after the other: whoever changes something calls {@link
 * #drain}, of which one at a time is at work, and the others leave their change to it. A request
 * that comes out of {@code onNext} therefore does not nest.
 */
final class PublisherRun<K> implements Flow.Subscription {
  private static final System.Logger LOG = System.getLogger(PublisherRun.class.getName());

  private final Wrapped<Flow.Publisher<K>> wrapped;
  private final Predicate<? super K> commits;
  private final Predicate<? super K> ends;
  private final boolean mustEnd;
  private final Flow.Subscriber<? super K> subscriber;

  private final Object lock = new Object();
  private final ArrayDeque<K> held = new ArrayDeque<>();
  private final ArrayDeque<K> ready = new ArrayDeque<>();

  /** What the subscriber has asked for and not got; {@link Long#MAX_VALUE} is without bound. */
  private long demand;

  private @Nullable CallExecution course;
  private @Nullable Attempt attempt;
  private Timer.@Nullable Cancellation waiting;
  private boolean committed;

  /** Somebody is handing signals over; at first whoever subscribes. */
  private boolean draining = true;

  /** Nothing more is tried: what is ready is still to be handed over, then {@link #failure}. */
  private boolean over;

  private @Nullable Throwable failure;

  /** The subscriber hears nothing any more. */
  private boolean done;

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
    this.subscriber = subscriber;
  }

  /** Hands itself to the subscriber; what a request begins at once is signalled only after it. */
  void start() {
    try {
      subscriber.onSubscribe(this);
    } catch (Throwable mistake) {
      mistaken(mistake);
    }
    synchronized (lock) {
      draining = false;
    }
    drain();
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      refuse(new IllegalArgumentException("asked for " + n + " chunks: at least 1 may be"));
      return;
    }
    Decision first = null;
    synchronized (lock) {
      demand = sum(demand, n);
      if (course == null && !over) {
        var begun = begin();
        course = begun;
        first = begun.first();
      }
    }
    if (first != null) {
      carryOut(first);
    }
    ask();
    drain();
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
      ready.clear();
      failure = mistake;
    }
    drain();
  }

  @Override
  public void cancel() {
    synchronized (lock) {
      done = true;
      ready.clear();
    }
    stop(null);
  }

  /** Ends the call for a reason that is the subscriber's own. */
  private void stop(@Nullable Throwable reason) {
    Attempt left;
    synchronized (lock) {
      if (over) {
        return;
      }
      over = true;
      failure = reason;
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
      if (over) {
        return;
      }
      if (!(next instanceof Decision.GiveUp giveUp)) {
        var later = next;
        waiting =
            wrapped.mainstay().timer().after(next.waitNanos(), () -> carryOut(attempt(later)));
        return;
      }
      over = true;
      failure = course().end(giveUp);
    }
    drain();
  }

  /** Makes the attempt, or answers what is to be done instead. */
  private @Nullable Decision attempt(Decision decision) {
    int target = CallExecution.targetOf(decision);
    synchronized (lock) {
      if (over) {
        return null;
      }
      waiting = null;
      if (decision instanceof Decision.Mend mend) {
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
        made.left = over;
        attempt = over ? null : made;
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
      if (over) {
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
      over = true;
      failure = cause;
      course().cancelled();
    }
    drain();
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
        drain();
        return;
      }
      synchronized (lock) {
        if (attempt != this) {
          return;
        }
        asked = asked == Long.MAX_VALUE ? asked : asked - 1;
        sawEnding |= ending;
        if (committed) {
          ready.add(chunk);
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
      drain();
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
          over = true;
          handOver();
          course().answered();
        }
      }
      if (!whole) {
        carryOut(upon(thrown == null ? new IncompleteStreamException() : thrown));
      }
      drain();
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
    ready.addAll(held);
    held.clear();
  }

  /** Asks the attempt under way for what the subscriber still lacks. */
  private void ask() {
    Flow.Subscription from;
    long more;
    synchronized (lock) {
      var now = attempt;
      if (now == null || now.subscription == null || over) {
        return;
      }
      from = now.subscription;
      if (!committed) {
        more = demand > 0 && now.asked == 0 ? 1 : 0;
      } else if (demand == Long.MAX_VALUE) {
        more = now.asked == Long.MAX_VALUE ? 0 : Long.MAX_VALUE;
      } else {
        more = demand - ready.size() - now.asked;
      }
      if (more <= 0) {
        return;
      }
      now.asked = sum(now.asked, more);
    }
    from.request(more);
  }

  // ---- the subscriber

  private void drain() {
    synchronized (lock) {
      if (draining) {
        return;
      }
      draining = true;
    }
    while (true) {
      K chunk;
      synchronized (lock) {
        chunk = done || demand == 0 ? null : ready.poll();
        if (chunk == null) {
          if (done || !over || !ready.isEmpty()) {
            draining = false;
            return;
          }
          done = true;
        } else if (demand != Long.MAX_VALUE) {
          demand--;
        }
      }
      if (chunk == null) {
        end();
        return;
      }
      try {
        subscriber.onNext(chunk);
      } catch (Throwable mistake) {
        mistaken(mistake);
      }
    }
  }

  private void end() {
    var with = failure;
    try {
      if (with == null) {
        subscriber.onComplete();
      } else {
        subscriber.onError(with);
      }
    } catch (Throwable mistake) {
      mistaken(mistake);
    }
  }

  /** A subscriber may not throw: what it threw is told, and it is taken to have left. */
  private void mistaken(Throwable mistake) {
    cancel();
    LOG.log(System.Logger.Level.WARNING, "a subscriber threw {0}", mistake.getClass().getName());
    if (mistake instanceof Error error) {
      throw error;
    }
  }

  private static long sum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
