package dev.mainstay.ledger.run;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What agents outside Mainstay report of their runs: tool calls, memory, notes, the end. Threads
 * and failures are those of {@link dev.mainstay.ledger.state.DurableState}.
 */
public interface RunReports {
  /** Reports that one run may have. */
  int MOST = 10_000;

  /**
   * A report.
   *
   * @param id chosen by the agent; a run has one report of each id
   * @param type tool, memory, note or end
   * @param content JSON; the store does not read it
   */
  @SuppressWarnings("ArrayRecordComponent") // written and read once
  record Report(String id, String type, byte[] content) {}

  /**
   * A report as it is kept.
   *
   * @param number orders the reports of all runs
   */
  record Stored(long number, CallRun.Id run, Instant at, Report report) {}

  /** What became of a report. */
  sealed interface Added {
    /** It is on disk. */
    record Taken(long number) implements Added {}

    /** The same report was there before. */
    record Known(long number) implements Added {}

    /** Another report has its id, or the run's end was reported before. */
    record Conflict(Stored before) implements Added {}

    /** The run has {@link #MOST} reports. */
    record Full() implements Added {}
  }

  /** Adds a report, once by its id; a run has one report of type end. */
  CompletionStage<Added> add(CallRun.Id run, Report report, Instant now);

  /**
   * Reports of a run in their order.
   *
   * @param after the number to begin behind; 0 for all
   */
  CompletionStage<List<Stored>> read(CallRun.Id run, long after, int limit);

  /** Those of {@code runs} whose end was reported, with that report. */
  CompletionStage<List<Stored>> ends(Collection<CallRun.Id> runs);
}
