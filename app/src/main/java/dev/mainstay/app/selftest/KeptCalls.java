package dev.mainstay.app.selftest;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Keeps what is recorded of a trial in memory. Thread-safe. */
final class KeptCalls implements Recorder {
  private static final int PATIENCE_SECONDS = 5;

  /** A call with its attempts. */
  record Kept(CallRecord call, List<AttemptRecord> attempts) {}

  private final BlockingQueue<Kept> kept = new LinkedBlockingQueue<>();

  @Override
  public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
    kept.add(new Kept(call, attempts));
  }

  /** The next call that ended, or null where none was recorded. */
  @Nullable Kept next() throws InterruptedException {
    return kept.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public boolean flush(Duration patience) {
    return true;
  }

  @Override
  public Health health() {
    return new Health(null, 0, 0, 0, 0, 0);
  }
}
