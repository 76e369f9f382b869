package dev.mainstay.library;

import java.util.ArrayDeque;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The signals to one subscriber, one after the other and no more than it asks for: a thread that
 * changes something calls {@link #drain}, of which one at a time is at work, and the others leave
 * their change to it. A request that comes out of {@code onNext} therefore does not nest.
 *
 * <p>The methods but {@link #begin} and {@link #drain} want the lock to be held; those two run the
 * subscriber's code and want it not to be.
 */
final class SubscriberSignals<K> {
  private static final System.Logger LOG = System.getLogger(SubscriberSignals.class.getName());

  private final Object lock;
  private final Flow.Subscriber<? super K> subscriber;
  private final Flow.Subscription subscription;
  private final ArrayDeque<K> ready = new ArrayDeque<>();

  /** What the subscriber has asked for and not got; {@link Long#MAX_VALUE} is without bound. */
  private long demand;

  /** A thread is handing signals over; at first the one that subscribes. */
  private boolean draining = true;

  /** What is ready is still to be handed over, then {@link #failure} or the completion. */
  private boolean ending;

  private @Nullable Throwable failure;

  /** The subscriber hears nothing any more. */
  private boolean done;

  /**
   * Signals to {@code subscriber}.
   *
   * @param lock guards them, and what their owner holds beside them
   * @param subscription what the subscriber asks and cancels
   */
  SubscriberSignals(
      Object lock, Flow.Subscriber<? super K> subscriber, Flow.Subscription subscription) {
    this.lock = lock;
    this.subscriber = subscriber;
    this.subscription = subscription;
  }

  /** Gives the subscriber its subscription; what it asks at once is signalled only after it. */
  void begin() {
    try {
      subscriber.onSubscribe(subscription);
    } catch (Throwable mistake) {
      mistaken(mistake);
    }
    synchronized (lock) {
      draining = false;
    }
    drain();
  }

  /** The subscriber asks for {@code more}. */
  void asked(long more) {
    demand = sum(demand, more);
  }

  /** What it has asked for beyond what is ready; {@link Long#MAX_VALUE} is without bound. */
  long lacking() {
    return demand == Long.MAX_VALUE ? demand : demand - ready.size();
  }

  /** {@code chunk} is ready. */
  void add(K chunk) {
    ready.add(chunk);
  }

  /** After what is ready comes the failure, or the completion where it is null. */
  void end(@Nullable Throwable with) {
    ending = true;
    failure = with;
  }

  /** The failure comes next, whatever is ready. */
  void endNow(Throwable with) {
    ready.clear();
    end(with);
  }

  /** Whether nothing more becomes ready. */
  boolean ending() {
    return ending;
  }

  /** The subscriber has cancelled: no signal follows. */
  void leave() {
    done = true;
    ready.clear();
  }

  /** Hands over what is ready and asked for, then the end. */
  void drain() {
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
          if (done || !ending || !ready.isEmpty()) {
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

  /** A subscriber may not throw: what it threw is logged, and it is taken to have left. */
  private void mistaken(Throwable mistake) {
    subscription.cancel();
    LOG.log(System.Logger.Level.WARNING, "a subscriber threw {0}", mistake.getClass().getName());
    if (mistake instanceof Error error) {
      throw error;
    }
  }

  /** The sum of two demands. */
  static long sum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
