package dev.mainstay.app.broken;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import java.time.Duration;
import java.util.List;

/** Keeps nothing. */
final class Unrecorded implements Recorder {
  @Override
  public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {}

  @Override
  public boolean flush(Duration patience) {
    return true;
  }

  @Override
  public Health health() {
    return new Health(null, 0, 0, 0, 0, 0);
  }
}
