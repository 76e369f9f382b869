package dev.mainstay.ledger;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.stats.StatsQuery;
import java.util.List;

/** Reads what is kept. Blocks on the disk: for virtual threads, never for an event loop. */
public interface LedgerReader extends CallReader {
  /** Runs that clients grouped their calls into, the newest first. */
  List<CallRun> callRuns(CallRun.Query query);

  /** What was used and paid, at most {@link CostQuery#MAX_ROWS} sums. */
  List<CostQuery.Sum> costs(CostQuery query);

  /** What calls came to, in the order of time; without the rows of which nothing is known. */
  List<StatsQuery.Row> stats(StatsQuery query);
}
