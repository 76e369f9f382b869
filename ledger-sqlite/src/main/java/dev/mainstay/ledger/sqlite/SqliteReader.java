package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.sql.CallQueries;
import dev.mainstay.ledger.sql.StatsQueries;
import dev.mainstay.ledger.sql.TextSearch;
import dev.mainstay.ledger.stats.StatsQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads beside the writer, in this process or another. Thread-safe. */
final class SqliteReader implements LedgerReader {
  private static final List<StoredCall> NONE = List.of();

  private final Path bodies;
  private final SqliteReadPool pool;

  SqliteReader(Path directory) {
    bodies = Store.bodies(directory);
    pool = new SqliteReadPool(directory);
  }

  @Override
  public Page calls(CallQuery query) {
    return pool.ask(db -> CallQueries.calls(db, query, TextSearch.FTS5));
  }

  @Override
  public @Nullable StoredCall call(String id) {
    var found =
        pool.ask(
            db -> {
              var call = CallQueries.call(db, id);
              return call == null ? NONE : List.of(withoutGone(call));
            });
    return found.isEmpty() ? null : found.getFirst();
  }

  /** A segment that retention deleted takes its bodies with it. */
  private StoredCall withoutGone(StoredCall call) throws IOException {
    var kept = Segments.list(bodies);
    return call.withBodies(body -> kept.containsKey(Segments.Place.parse(body.handle()).segment()));
  }

  @Override
  public List<CallRun> callRuns(CallRun.Query query) {
    return pool.ask(db -> CallQueries.callRuns(db, query));
  }

  @Override
  public Set<String> runsWith(
      @Nullable String client, Collection<String> runs, Map<CallQuery.Field, String> call) {
    return pool.ask(db -> CallQueries.runsWith(db, client, runs, call));
  }

  @Override
  public Map<String, CallRecord> callsById(Collection<String> ids) {
    return pool.ask(db -> CallQueries.callsById(db, ids));
  }

  @Override
  public Map<String, CallRecord> lastCalls(Collection<String> runs) {
    return pool.ask(db -> CallQueries.lastCalls(db, runs));
  }

  @Override
  public List<CostQuery.Sum> costs(CostQuery query) {
    return pool.ask(db -> StatsQueries.costs(db, query));
  }

  @Override
  public List<StatsQuery.Row> stats(StatsQuery query) {
    return pool.ask(db -> StatsQueries.stats(db, query));
  }

  @Override
  public byte[] body(StoredBody body) {
    return Segments.read(bodies, Segments.Place.parse(body.handle()));
  }

  @Override
  public void close() {
    pool.close();
  }
}
