package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.log.WaitingCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a look over a store found. Of one thread. */
public final class StoreReport {
  private final Map<String, Long> counts = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  /** Rows, bodies and bytes by what they are. */
  public Map<String, Long> counts() {
    return counts;
  }

  /** What a person may want to know, and what mends itself. */
  public List<String> notes() {
    return notes;
  }

  /** Looks at the calls that wait in {@code log} for the store. */
  public void waiting(Path log) {
    var waiting = WaitingCalls.in(log);
    counts.put("waiting_calls", waiting.calls());
    counts.put("waiting_bytes", waiting.bytes());
    notes.addAll(waiting.notes(log));
    problems.addAll(waiting.problems());
  }

  /** What is damaged or does not fit together. */
  public List<String> problems() {
    return problems;
  }
}
