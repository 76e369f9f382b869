package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.log.CallStore;
import dev.mainstay.ledger.log.EndedCall;
import dev.mainstay.ledger.sql.BodyPlaces;
import dev.mainstay.ledger.sql.CallBlocks;
import dev.mainstay.ledger.sql.CallRows;
import dev.mainstay.ledger.sql.CallRuns;
import dev.mainstay.ledger.sql.HourlyStats;
import dev.mainstay.ledger.sql.Micros;
import dev.mainstay.ledger.sql.RunCosts;
import dev.mainstay.ledger.sql.SearchWords;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The files of the ledger as the writer thread sees them: {@code calls.db} and the segments beside
 * it. A batch is on disk as a whole or not at all: bodies first, then the rows in one transaction.
 */
final class Store implements CallStore, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);

  /** CallRows deleted at a time, so that no batch waits long behind retention. */
  private static final int DELETE_AT_ONCE = 500;

  private final LedgerConfig config;
  private final Path bodies;
  private final Connection db;
  private final Segments segments;
  private final PreparedStatement findCall;
  private final RowInsert insertCall;
  private final RowInsert insertAttempt;
  private final PreparedStatement addRuns;
  private final PreparedStatement addBlocks;
  private final PreparedStatement addCosts;
  private final PreparedStatement addCostDays;
  private final PreparedStatement insertText;
  private final HourlyStats stats;
  private final BodyPlaces places = new BodyPlaces();
  private long seq;

  /** The last call of a batch with words by the segments that its bodies are in. */
  private final Map<Integer, Long> lastText = new HashMap<>();

  Store(LedgerConfig config, SegmentFiles files) throws SQLException, IOException {
    this.config = config;
    bodies = bodies(config.directory());
    db = open(database(config.directory()));
    try {
      Migrations.CALLS.apply(db);
      segments = new Segments(bodies, files, Segments.lengthFor(config.maxBytes()));
      seq = number("select coalesce(max(seq), 0) from calls");
      findCall = db.prepareStatement("select 1 from calls where id = ?");
      insertCall = new RowInsert(db, "calls", CallRows.CALL_COLUMNS, CallRows.ROUTINE_CALL_COLUMNS);
      insertAttempt =
          new RowInsert(db, "attempts", CallRows.ATTEMPT_COLUMNS, CallRows.ROUTINE_ATTEMPT_COLUMNS);
      addRuns = db.prepareStatement(CallRuns.ADD);
      addBlocks = db.prepareStatement(CallBlocks.ADD);
      addCosts = db.prepareStatement(RunCosts.ADD);
      addCostDays = db.prepareStatement(RunCosts.ADD_DAYS);
      insertText = db.prepareStatement("insert into call_text (rowid, words) values (?, ?)");
      stats = new HourlyStats(db, "");
    } catch (SQLException | IOException | RuntimeException e) {
      db.close();
      throw e;
    }
  }

  static Path database(Path directory) {
    return directory.resolve("calls.db");
  }

  static Path bodies(Path directory) {
    return directory.resolve("bodies");
  }

  private static Connection open(Path file) throws SQLException, IOException {
    SqliteFile.create(file, Migrations.CALLS);
    var db = SqliteFile.connection(file);
    try (var statement = db.createStatement()) {
      statement.execute("pragma journal_mode = wal");
      // A process that dies loses nothing; a machine that does may lose the last commits, but the
      // file stays whole: https://www.sqlite.org/pragma.html#pragma_synchronous
      statement.execute("pragma synchronous = normal");
      statement.execute("pragma busy_timeout = 5000");
      statement.execute("pragma journal_size_limit = 16777216");
    } catch (SQLException e) {
      db.close();
      throw e;
    }
    return db;
  }

  Path bodies() {
    return bodies;
  }

  /** The segment that is being written; for any thread. */
  int currentSegment() {
    return segments.current();
  }

  @Override
  public void write(List<EndedCall> batch, boolean repeated) throws SQLException, IOException {
    long first = seq;
    boolean done = false;
    lastText.clear();
    try {
      stats.clear();
      var runs = new CallRuns();
      var blocks = new CallBlocks();
      var costs = new RunCosts();
      for (var ended : repeated ? missing(batch) : batch) {
        add(ended);
        stats.add(seq, ended.call(), ended.attempts());
        runs.add(ended.call());
        blocks.add(seq, ended.call());
        costs.add(ended.call());
      }
      runs.bind(addRuns);
      blocks.bind(addBlocks);
      costs.bind(addCosts, addCostDays);
      segments.flush();
      execute("begin immediate");
      insertCall.execute();
      insertAttempt.execute();
      stats.write();
      addRuns.executeBatch();
      addBlocks.executeBatch();
      addCosts.executeBatch();
      addCostDays.executeBatch();
      writeText();
      execute("commit");
      segments.commit();
      stats.committed();
      done = true;
    } finally {
      if (!done) {
        seq = first;
        insertCall.clear();
        insertAttempt.clear();
        addRuns.clearBatch();
        addBlocks.clearBatch();
        addCosts.clearBatch();
        addCostDays.clearBatch();
        insertText.clearBatch();
        segments.undo();
        SqliteFile.rollBack(db);
      }
    }
  }

  private void writeText() throws SQLException {
    insertText.executeBatch();
    for (var last : lastText.entrySet()) {
      execute(
          "insert or replace into call_text_segments values (%d, %d)"
              .formatted(last.getKey(), last.getValue()));
    }
  }

  /** Those of {@code batch} that are not there yet, each once. */
  private Collection<EndedCall> missing(List<EndedCall> batch) throws SQLException {
    var missing = new LinkedHashMap<String, EndedCall>();
    for (var ended : batch) {
      var id = ended.call().id();
      findCall.setString(1, id);
      try (var found = findCall.executeQuery()) {
        if (!found.next()) {
          missing.putIfAbsent(id, ended);
        }
      }
    }
    return missing.values();
  }

  private void execute(String sql) throws SQLException {
    try (var statement = db.createStatement()) {
      statement.execute(sql);
    }
  }

  private void add(EndedCall ended) throws SQLException, IOException {
    seq++;
    places.clear();
    int segment = segments.current();
    if (config.bodies()) {
      for (var body : ended.bodies()) {
        var place = places.of(body.bytes());
        places.add(body, place == null ? segments.append(body.bytes()).text() : place);
      }
    }
    if (config.bodies()) {
      var words = SearchWords.of(ended, config.bodyText());
      if (!words.isEmpty()) {
        insertText.setLong(1, seq);
        insertText.setString(2, words);
        insertText.addBatch();
        for (int each = segment; each <= segments.current(); each++) {
          lastText.put(each, seq);
        }
      }
    }
    insertCall.add(CallRows.row(seq, ended.call(), places));
    for (var attempt : ended.attempts()) {
      insertAttempt.add(CallRows.row(seq, attempt, places));
    }
  }

  @Override
  public boolean mayPass(Exception failure) {
    return switch (failure) {
      case SQLiteException e ->
          switch (SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff)) {
            case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_TOOBIG -> false;
            default -> true;
          };
      case BatchUpdateException e ->
          e.getCause() instanceof SQLException cause ? mayPass(cause) : true;
      // A bug: it must cost the one call, not the thread that writes all.
      case RuntimeException _ -> false;
      default -> true;
    };
  }

  @Override
  public boolean retain(Instant now) throws SQLException, IOException {
    var oldest = now.minus(config.retention());
    boolean more = deleteCalls("started_at < " + Micros.of(oldest));
    HourlyStats.retain(db, now);
    CallBlocks.retain(db);
    more |= CallRuns.retain(db, oldest, "");
    more |= RunCosts.retain(db, oldest, "");
    long used = usedByRows();
    var sizes = Segments.list(bodies);
    long total = used + sizes.values().stream().mapToLong(Long::longValue).sum();
    for (var segment : sizes.headMap(segments.current()).entrySet()) {
      int number = segment.getKey();
      if (total > config.maxBytes() || Segments.modified(bodies, number).isBefore(oldest)) {
        deleteText(number);
        Segments.delete(bodies, number);
        total -= segment.getValue();
      }
    }
    // What the current segment may take is not the calls' fault.
    if (used > config.maxBytes() - Segments.lengthFor(config.maxBytes())) {
      more |= deleteCalls("true");
    }
    // What is free is written again; the words of a segment that went leave more than that needs.
    long free = number("pragma freelist_count");
    if (free > number("pragma page_count") / 4) {
      giveBackPages();
      more |= number("pragma freelist_count") < free;
    }
    return more;
  }

  /** What can be found of bodies goes before they do. */
  private void deleteText(int segment) throws SQLException {
    var gone = "segment <= " + segment;
    inTransaction(
        "delete from call_text where rowid <= (select coalesce(max(last_seq), 0) from"
            + " call_text_segments where "
            + gone
            + ")",
        "delete from call_text_segments where " + gone);
  }

  /** Deletes up to {@link #DELETE_AT_ONCE} of the oldest calls where {@code condition} holds. */
  private boolean deleteCalls(String condition) throws SQLException {
    // Calls are numbered as they end and dated as they start: one that took long may stay a
    // little beyond its time, until those that ended before it are gone.
    long last;
    int deleted;
    try (var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select coalesce(max(seq), 0), count(*) from (select seq, started_at from calls"
                    + " order by seq limit %d) where %s".formatted(DELETE_AT_ONCE, condition))) {
      last = row.getLong(1);
      deleted = row.getInt(2);
    }
    if (last == 0) {
      return false;
    }
    inTransaction(
        "delete from call_text where rowid <= " + last,
        "delete from attempts where call_seq <= " + last,
        "delete from calls where seq <= " + last);
    giveBackPages();
    return deleted >= DELETE_AT_ONCE;
  }

  private void inTransaction(String... statements) throws SQLException {
    boolean done = false;
    try {
      execute("begin immediate");
      for (var each : statements) {
        execute(each);
      }
      execute("commit");
      done = true;
    } finally {
      if (!done) {
        SqliteFile.rollBack(db);
      }
    }
  }

  private void giveBackPages() throws SQLException {
    try (var statement = db.createStatement()) {
      // executeUpdate goes on until the pragma is done; execute stops after the first page.
      statement.executeUpdate("pragma incremental_vacuum(1000)");
    }
  }

  private long usedByRows() throws SQLException {
    return (number("pragma page_count") - number("pragma freelist_count"))
        * number("pragma page_size");
  }

  private long number(String sql) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /** For tests: how many pages the database may have, as a disk that is full would limit it. */
  void limitPages(int pages) throws SQLException {
    number("pragma max_page_count = " + pages);
  }

  @Override
  public void close() throws SQLException, IOException {
    try (db) {
      findCall.close();
      insertCall.close();
      insertAttempt.close();
      addRuns.close();
      addBlocks.close();
      addCosts.close();
      addCostDays.close();
      insertText.close();
      stats.close();
      checkpoint();
    } finally {
      segments.close();
    }
  }

  /** What cannot be moved from the write-ahead log, on a full disk for example, stays there. */
  private void checkpoint() {
    try {
      number("pragma wal_checkpoint(truncate)");
    } catch (SQLException e) {
      LOG.debug("The write-ahead log of calls.db stays for the next start: {}", e.getMessage());
    }
  }
}
