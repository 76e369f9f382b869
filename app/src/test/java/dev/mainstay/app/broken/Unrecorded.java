package dev.mainstay.app.broken;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps nothing but why calls were given up. */
public final class Unrecorded implements Recorder {
  private final Map<String, String> givenUp = new ConcurrentHashMap<>();

  @Override
  public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
    if (!attempts.isEmpty() && attempts.getLast().decision().equals("give_up")) {
      givenUp.put(call.id(), attempts.getLast().reason());
    }
  }

  /** What is known of calls that {@code answer} names. */
  String why(String answer) {
    return givenUp.entrySet().stream()
        .filter(each -> answer.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
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
