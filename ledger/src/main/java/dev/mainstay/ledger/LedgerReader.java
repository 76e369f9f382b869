package dev.mainstay.ledger;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.stats.StatsQuery;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what is kept. Blocks on the disk: for virtual threads, never for an event loop. */
public interface LedgerReader extends CallReader {
  /** Runs that clients grouped their calls into, the newest first. */
  List<CallRun> callRuns(CallRun.Query query);

  /**
   * Those of {@code runs} that have a call with all of these values.
   *
   * @param client whose calls; "" where no client key is needed, null for anybody's
   * @param runs at most 1,000
   */
  Set<String> runsWith(
      @Nullable String client, Collection<String> runs, Map<CallQuery.Field, String> call);

  /**
   * The calls of these ids that are kept, by id.
   *
   * @param ids at most 1,001
   */
  Map<String, CallRecord> callsById(Collection<String> ids);

  /**
   * The last call of each run that has one, by run.
   *
   * @param runs at most 1,001
   */
  Map<String, CallRecord> lastCalls(Collection<String> runs);

  /** What was used and paid, at most {@link CostQuery#MAX_ROWS} sums. */
  List<CostQuery.Sum> costs(CostQuery query);

  /** What calls came to, in the order of time; without the rows of which nothing is known. */
  List<StatsQuery.Row> stats(StatsQuery query);
}
