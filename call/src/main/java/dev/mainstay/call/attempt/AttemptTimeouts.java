package dev.mainstay.call.attempt;

import dev.mainstay.call.settings.Timeouts;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of one attempt: a limit for each of its parts, and the call's deadline over all
 * as long as nothing has reached the client. Instants are nanoseconds on the call's clock.
 *
 * <p>There is one timer. A limit that moves on leaves it running, and is looked at when it rings.
 * It never rings later than silence would matter, so that most attempts set it once. Belongs to the
 * call's loop.
 */
final class AttemptTimeouts {
  /** How long a stream may stay open after its protocol's own ending. */
  private static final long LINGER = Duration.ofSeconds(2).toNanos();

  private final Loop loop;
  private final LongSupplier nanos;
  private final Timeouts timeouts;
  private final long deadline;
  private final Runnable silent;

  private @Nullable Cancellable timer;
  private long ringsAt;
  private long due;

  /** There is no connection yet, and the call's own limit for one is the shorter. */
  private boolean connecting;

  /** Some of the answer has reached the client: the deadline holds no more. */
  private boolean delivered;

  /** When a stream must be over, even one that moves. */
  private long streamEnds = Long.MAX_VALUE;

  private boolean paused;
  private long pausedAt;
  private boolean over;

  /**
   * @param deadline the call's
   * @param silent told when a limit has passed, and no more unless another is set
   */
  AttemptTimeouts(
      Loop loop, LongSupplier nanos, Timeouts timeouts, long deadline, Runnable silent) {
    this.loop = loop;
    this.nanos = nanos;
    this.timeouts = timeouts;
    this.deadline = deadline;
    this.silent = silent;
  }

  /**
   * The request is about to be sent.
   *
   * @param clients the client's own limit for connecting, which needs no watch here
   */
  void connecting(long now, Duration clients) {
    connecting = timeouts.connect().compareTo(clients) < 0;
    until(connecting ? within(now, timeouts.connect()) : deadline);
  }

  void connected() {
    if (connecting) {
      connecting = false;
      until(deadline);
    }
  }

  /** The request was sent: its answer's headers are waited for. */
  void sent(long now, boolean stream) {
    var limit = timeouts.headers();
    if (limit == null && stream) {
      limit = Timeouts.STREAM_HEADERS;
    }
    until(limit == null ? deadline : within(now, limit));
  }

  /** The headers of a stream have come: its first token is waited for. */
  void events(long sentAt) {
    streamEnds = sentAt + timeouts.stream().toNanos();
    until(within(sentAt, timeouts.firstToken()));
  }

  /** The headers or a part of a whole answer have come. */
  void part(long now) {
    until(within(now, timeouts.idle()));
  }

  /**
   * The first token or an event after it has come.
   *
   * @param committed whether any of the answer has reached the client
   */
  void event(long now, boolean committed) {
    delivered |= committed;
    until(within(now, timeouts.idle()));
  }

  /** A stream has come to its protocol's own ending. */
  void lingers(long now) {
    until(now + LINGER);
  }

  /** What did not come in time, in words. */
  String missed(long sentAt, boolean headersCame) {
    return connecting
        ? "no connection within " + timeouts.connect().toMillis() + " ms"
        : (headersCame ? "no more of the answer" : "no headers of an answer")
            + " within "
            + Duration.ofNanos(nanos.getAsLong() - sentAt).toSeconds()
            + " s";
  }

  /** Nothing is read for a while: silence is not the provider's. */
  void pause() {
    paused = true;
    pausedAt = nanos.getAsLong();
  }

  /** It is read again: what was waited for has as long as it had left. */
  void resume() {
    paused = false;
    until(bounded(due + nanos.getAsLong() - pausedAt));
  }

  boolean isPaused() {
    return paused;
  }

  /** The attempt has ended. */
  void over() {
    over = true;
    if (timer != null) {
      timer.cancel();
    }
  }

  private long within(long from, Duration limit) {
    return bounded(from + limit.toNanos());
  }

  private long bounded(long at) {
    long within = Math.min(streamEnds, at);
    return delivered ? within : Math.min(deadline, within);
  }

  private void until(long at) {
    due = at;
    if (over) {
      return;
    }
    if (timer == null) {
      ringAt(Math.min(at, nanos.getAsLong() + timeouts.idle().toNanos()));
    } else if (ringsAt - at > 0) {
      timer.cancel();
      ringAt(at);
    }
  }

  private void ringAt(long at) {
    ringsAt = at;
    timer = loop.schedule(Duration.ofNanos(Math.max(0, at - nanos.getAsLong())), this::rings);
  }

  private void rings() {
    timer = null;
    if (over) {
      return;
    }
    long now = nanos.getAsLong();
    if (paused) {
      ringAt(now + timeouts.idle().toNanos());
    } else if (due - now > 0) {
      ringAt(due);
    } else {
      silent.run();
    }
  }
}
