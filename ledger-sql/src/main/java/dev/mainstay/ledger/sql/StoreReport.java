package dev.mainstay.ledger.sql;

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

  /** What is damaged or does not fit together. */
  public List<String> problems() {
    return problems;
  }
}
