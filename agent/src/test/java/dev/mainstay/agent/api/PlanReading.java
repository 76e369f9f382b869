package dev.mainstay.agent.api;

import dev.mainstay.agent.journal.JournalEntry.PlanStep;
import dev.mainstay.wire.json.Tree;
import java.util.List;

/** Plans as requests have them. */
public final class PlanReading {
  private PlanReading() {}

  public static List<PlanStep> of(String json) throws Exception {
    return PlanReader.read(Tree.read(json));
  }
}
