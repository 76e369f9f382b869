package dev.mainstay.ledger;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.stats.StatsQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what is kept. Blocks on the disk: for virtual threads, never for an event loop. */
public interface LedgerReader extends AutoCloseable {

  /** One page of calls, the newest first. */
  Page calls(CallQuery query);

  /** A call with its attempts and the places of its bodies, or null where there is none. */
  @Nullable StoredCall call(String id);

  /**
   * The bytes of a body.
   *
   * @throws LedgerException where they are gone by retention, or damaged
   */
  byte[] body(StoredBody body);

  /** Runs that clients grouped their calls into, the newest first. */
  List<CallRun> callRuns(CallRun.Query query);

  /** What was used and paid, at most {@link CostQuery#MAX_ROWS} sums. */
  List<CostQuery.Sum> costs(CostQuery query);

  /** What calls came to, in the order of time; without the rows of which nothing is known. */
  List<StatsQuery.Row> stats(StatsQuery query);

  @Override
  void close();

  /**
   * A page of calls.
   *
   * @param next the cursor of the next page, or null on the last
   */
  record Page(List<CallRecord> calls, @Nullable String next) {
    public Page {
      calls = List.copyOf(calls);
    }
  }

  /** A call with its attempts, in their order, and what is kept of its bodies. */
  record StoredCall(CallRecord call, List<AttemptRecord> attempts, List<StoredBody> bodies) {
    public StoredCall {
      attempts = List.copyOf(attempts);
      bodies = List.copyOf(bodies);
    }
  }

  /**
   * Where a body is kept.
   *
   * @param attempt 0 for what passed between client and gateway, else the number of the attempt
   * @param handle by which the store finds it; nobody else reads it
   * @param length of its bytes
   */
  record StoredBody(int attempt, Body.Part part, String handle, int length) {}
}
