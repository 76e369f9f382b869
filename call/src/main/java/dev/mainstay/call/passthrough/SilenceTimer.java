package dev.mainstay.call.passthrough;

import dev.mainstay.http.Cancellable;
import dev.mainstay.http.GuardedLoop;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ends a request through which nothing has passed for too long. Belongs to the exchange's loop. */
final class SilenceTimer {
  private final GuardedLoop loop;
  private final LongSupplier nanos;
  private final Supplier<Duration> limit;
  private final BooleanSupplier clientIsSlow;
  private final Runnable tooLong;
  private @Nullable Cancellable timer;
  private long movedAt;

  /**
   * @param limit how long nothing may pass, now
   * @param clientIsSlow whether it is the client that is waited for: that may take any time
   * @param tooLong run once
   */
  SilenceTimer(
      GuardedLoop loop,
      LongSupplier nanos,
      Supplier<Duration> limit,
      BooleanSupplier clientIsSlow,
      Runnable tooLong) {
    this.loop = loop;
    this.nanos = nanos;
    this.limit = limit;
    this.clientIsSlow = clientIsSlow;
    this.tooLong = tooLong;
    movedAt = nanos.getAsLong();
  }

  void start() {
    watchIn(limit.get());
  }

  /** Something has passed. */
  void moved() {
    movedAt = nanos.getAsLong();
  }

  private void watchIn(Duration delay) {
    timer = loop.schedule(delay, this::watched);
  }

  private void watched() {
    var left = limit.get().minusNanos(nanos.getAsLong() - movedAt);
    if (left.isPositive()) {
      watchIn(left);
    } else if (clientIsSlow.getAsBoolean()) {
      watchIn(limit.get());
    } else {
      tooLong.run();
    }
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
    }
  }
}
