package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.DurableState.Kept;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes that answers and requests may take which are kept to be given or made again. Beyond
 * them the oldest answers go first, of whichever table: of calls that are done, so that all that is
 * lost is that they cannot be given again. Calls that run and dead letters are owed and never go;
 * where they alone fill the room, no further call is accepted that must not be lost.
 *
 * <p>Of the thread that writes, save for {@link #kept()} and the counting.
 */
final class KeptBytesLimit {
  private static final Logger LOG = LoggerFactory.getLogger(KeptBytesLimit.class);

  /** What a row takes beside its texts, as the migrations count it too. */
  static final int ROW = 512;

  /** Answers forgotten in one transaction, so that nobody waits long behind them. */
  private static final int AT_ONCE = 100;

  private final String oldestAnswer;
  private final String oldestCall;
  private final long most;
  private final LongAdder forgotten = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile long bytes;
  private volatile boolean full;
  private long toldOf;

  /**
   * @param most in bytes
   */
  KeptBytesLimit(long most, Database database) {
    this.most = most;
    oldestAnswer =
        "select id, claimed_at from idempotency where status is not null order by id limit 1"
            + database.skipLocked();
    oldestCall =
        "select seq, ended_at from kept_calls where stand in ('answered', 'redriven', 'discarded')"
            + " order by ended_at limit 1"
            + database.skipLocked();
  }

  private record Totals(long owed, long done) {}

  private record Row(long id, long at) {}

  private static Totals totals(Db db) throws SQLException {
    var totals =
        db.first(
            "select coalesce(sum(owed), 0), coalesce(sum(done), 0) from kept_bytes",
            row -> new Totals(row.getLong(1), row.getLong(2)));
    return totals == null ? new Totals(0, 0) : totals;
  }

  /** Whether a call of so many bytes may be accepted. */
  boolean takes(Db db, long size) throws SQLException {
    full = totals(db).owed() + ROW + size > most;
    return !full;
  }

  /** Forgets the oldest answers until all fits, or a number of them; how many. */
  int make(Db db) throws SQLException {
    int gone = 0;
    var now = totals(db);
    while (now.owed() + now.done() > most && gone < AT_ONCE && forgetOldest(db)) {
      gone++;
      now = totals(db);
    }
    bytes = now.owed() + now.done();
    full &= now.owed() + ROW > most;
    return gone;
  }

  private boolean forgetOldest(Db db) throws SQLException {
    var answer = db.first(oldestAnswer, row -> new Row(row.getLong(1), row.getLong(2)));
    var call = db.first(oldestCall, row -> new Row(row.getLong(1), row.getLong(2)));
    if (answer != null && (call == null || answer.at() <= call.at())) {
      return db.update("delete from idempotency where id = ?", answer.id()) > 0;
    }
    return call != null && db.update("delete from kept_calls where seq = ?", call.id()) > 0;
  }

  /** Makes room as part of what is done every minute; whether there is more to do. */
  boolean tidy(Db db) throws SQLException {
    int gone = make(db);
    forgotten.add(gone);
    long sum = forgotten.sum();
    if (sum > toldOf && gone < AT_ONCE) {
      LOG.warn(
          "Kept answers have reached store.max-kept ({} bytes): Mainstay deleted {} before their"
              + " time",
          most,
          sum - toldOf);
      toldOf = sum;
    }
    return gone == AT_ONCE;
  }

  /**
   * What an operation came to.
   *
   * @param forgotten answers that went to make room for it
   */
  record Done<T>(T result, int forgotten) {}

  /** Counts what an operation forgot, once it is on disk. */
  <T> T done(Done<T> done) {
    forgotten.add(done.forgotten());
    return done.result();
  }

  /** A call was not accepted. */
  void refused() {
    refused.increment();
  }

  Kept kept() {
    return new Kept(bytes, most, forgotten.sum(), refused.sum(), full);
  }
}
