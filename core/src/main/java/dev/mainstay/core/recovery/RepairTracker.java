package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The repairs of one call and the restarts of its streams: how often each was tried, and the proof
 * that each repair made progress.
 */
final class RepairTracker {
  private static final int KINDS = Repair.values().length;

  private final int[] tried = new int[KINDS];
  private final boolean[] impossible = new boolean[KINDS];
  private final long[] smallest = new long[KINDS];
  private int restarts;

  /** What the attempt under way was for, which a refusal gives back. */
  private boolean restarting;

  private boolean askingAgain;

  RepairTracker() {
    Arrays.fill(smallest, Long.MAX_VALUE);
  }

  /** The repair to try for {@code failed}, as far as the policy and its bounds allow, or null. */
  @Nullable Repair choose(Outcome.Failed failed, Policy policy) {
    Verdict verdict = failed.verdict();
    Repair repair = verdict.repair();
    if (repair == null && verdict.failureClass() == FailureClass.LOGIC && verdict.retrySame()) {
      repair = Repair.SELF_CORRECT;
    }
    if (repair == null
        || !policy.allows(repair)
        || impossible[repair.ordinal()]
        || !withinBound(repair, policy.bounds())) {
      return null;
    }
    boolean forIt =
        switch (verdict.failureClass()) {
          // After the commit point the model is not told of a mistake: its answer goes on.
          case LOGIC -> repair != Repair.SELF_CORRECT || !failed.stage().committed();
          case TRANSIENT -> repair == Repair.REFRESH_CLIENT;
          case FATAL -> repair == Repair.REFRESH_CREDENTIALS && verdict.blame() == Blame.KEY;
        };
    return forIt ? repair : null;
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

  /** Attempts so far that took up a stream which had broken. */
  int restarts() {
    return restarts;
  }

  /**
   * An attempt is taken.
   *
   * @param restart for a stream that broke
   * @param again for a model's bad answer, without telling it of its mistake
   */
  void take(boolean restart, boolean again) {
    restarting = restart;
    askingAgain = again;
    restarts += restart ? 1 : 0;
    tried[Repair.SELF_CORRECT.ordinal()] += again ? 1 : 0;
  }

  /** The attempt that was taken last was not made. */
  void refused() {
    restarts -= restarting ? 1 : 0;
    tried[Repair.SELF_CORRECT.ordinal()] -= askingAgain ? 1 : 0;
  }

  void ruleOut(Repair repair) {
    impossible[repair.ordinal()] = true;
  }

  /** Whether the repair changed what it was to change; a size that stands still is no progress. */
  boolean progressed(Outcome.Repaired done) {
    int kind = done.repair().ordinal();
    boolean progressed =
        done.repair().shrinks()
            ? done.after() < done.before() && done.after() < smallest[kind]
            : done.after() != done.before();
    smallest[kind] = Math.min(smallest[kind], done.after());
    return progressed;
  }
}
