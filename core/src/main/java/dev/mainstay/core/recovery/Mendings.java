package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Repair;
import java.util.Arrays;

/** The repairs of one call: how often each was tried, and the proof that each made progress. */
final class Mendings {
  private static final int KINDS = Repair.values().length;

  private final int[] tried = new int[KINDS];
  private final boolean[] impossible = new boolean[KINDS];
  private final long[] smallest = new long[KINDS];

  Mendings() {
    Arrays.fill(smallest, Long.MAX_VALUE);
  }

  boolean possible(Repair repair, Policy.Bounds bounds) {
    return !impossible[repair.ordinal()] && withinBound(repair, bounds);
  }

  boolean withinBound(Repair repair, Policy.Bounds bounds) {
    return tried[repair.ordinal()] < bounds.of(repair);
  }

  /** Tried at least once, and possible then. */
  boolean wasTried(Repair repair) {
    return tried[repair.ordinal()] > 0 && !impossible[repair.ordinal()];
  }

  void begin(Repair repair) {
    tried[repair.ordinal()]++;
  }

  void takeBack(Repair repair) {
    tried[repair.ordinal()]--;
  }

  void ruleOut(Repair repair) {
    impossible[repair.ordinal()] = true;
  }

  /** Whether the repair changed what it was to change; a size that stands still is no progress. */
  boolean progressed(Outcome.Repaired done) {
    int kind = done.repair().ordinal();
    boolean progressed =
        switch (done.repair()) {
          case TRIM_CONTEXT, STRIP_IMAGES, LOWER_MAX_TOKENS ->
              done.after() < done.before() && done.after() < smallest[kind];
          case FIX_TOOL_HISTORY,
              DROP_PARAMETER,
              SELF_CORRECT,
              REFRESH_CLIENT,
              REFRESH_CREDENTIALS ->
              done.after() != done.before();
        };
    smallest[kind] = Math.min(smallest[kind], done.after());
    return progressed;
  }
}
