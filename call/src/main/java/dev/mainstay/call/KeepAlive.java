package dev.mainstay.call;

import dev.mainstay.call.answer.Relay;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a comment into a stream whenever the client has received nothing for an interval, so that
 * neither the client nor a proxy takes the connection for dead. Belongs to the call's loop.
 */
final class KeepAlive {
  private final Loop loop;
  private final LongSupplier nanos;
  private final Relay relay;
  private final long interval;
  private final String comment;
  private @Nullable Cancellable timer;

  KeepAlive(Loop loop, LongSupplier nanos, Relay relay, Duration interval, String comment) {
    this.loop = loop;
    this.nanos = nanos;
    this.relay = relay;
    this.interval = interval.toNanos();
    this.comment = comment;
  }

  void start() {
    next(interval);
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void next(long wait) {
    timer = loop.schedule(Duration.ofNanos(wait), this::due);
  }

  private void due() {
    long silent = nanos.getAsLong() - relay.lastWriteAt();
    if (silent >= interval) {
      relay.comment(comment);
      silent = 0;
    }
    next(interval - silent);
  }
}
