package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.BodyText;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.Micros;
import dev.mainstay.ledger.sql.SearchWords;
import dev.mainstay.ledger.sql.StoreReport;
import dev.mainstay.ledger.sql.StoreSource;
import dev.mainstay.ledger.sql.StoreTables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fills an empty database with all that another store holds, in one transaction: an import that
 * breaks off leaves nothing behind and is simply begun again.
 */
final class PostgresImport {
  /** Bodies whose new place is remembered: a call's own and those of calls around it. */
  private static final int REMEMBERED = 10_000;

  /** Bytes of bodies sent at once. */
  private static final long BYTES_AT_ONCE = 4 << 20;

  private final StoreSource from;
  private final BodyText text;
  private final Connection to;
  private final StoreReport report = new StoreReport();
  private final BodyPartitions partitions;
  private final PreparedStatement insertBody;
  private final Map<String, String> places = new LinkedHashMap<>();
  private long number;
  private long waiting;
  private long gone;
  private long damaged;
  private long bodies;

  private PostgresImport(StoreSource from, Connection to, BodyText text) throws SQLException {
    this.from = from;
    this.text = text;
    this.to = to;
    partitions = new BodyPartitions(to, Long.MAX_VALUE);
    insertBody = to.prepareStatement("insert into bodies (day, id, bytes) values (?, ?, ?)");
  }

  /**
   * @return what was brought over, counted in both stores
   * @throws LedgerException where the database is not empty or not to be used, or counts differ
   */
  static StoreReport run(StoreSource from, String url, BodyText text) {
    var shown = PostgresConfig.withoutPassword(url);
    var database = new PostgresDatabase(url, PostgresState.PATIENCE);
    try (var to = database.openForTables()) {
      Migrations.apply(to);
      to.setAutoCommit(false);
      refuseUsed(to, shown);
      var work = new PostgresImport(from, to, text);
      work.copy();
      to.commit();
      return work.report;
    } catch (SQLException e) {
      throw new LedgerException(
          "the store could not be moved to %s, and nothing was: %s"
              .formatted(shown, database.plain(e).getMessage()),
          e);
    }
  }

  private static void refuseUsed(Connection to, String shown) throws SQLException {
    var tables = StoreTables.of(to);
    try (var statement = to.createStatement()) {
      statement.execute("lock table " + String.join(", ", tables) + " in exclusive mode");
    }
    for (var table : StoreTables.counts(to).entrySet()) {
      if (table.getValue() > 0) {
        throw new LedgerException(
            "%s is not empty: table %s has %d rows. Name an empty database"
                .formatted(shown, table.getKey(), table.getValue()));
      }
    }
  }

  private void copy() throws SQLException {
    var known = StoreTables.of(to);
    for (var source : from.databases()) {
      for (var table : StoreTables.of(source)) {
        if (!known.contains(table)) {
          throw new LedgerException("PostgreSQL's schema has no table " + table);
        }
        if (table.equals("calls")) {
          // Bodies share the numbers of calls.
          number = max(source, "calls", "seq");
        }
        long rows = StoreTables.copy(source, to, table, this::change);
        long written = StoreTables.counts(to).getOrDefault(table, 0L);
        if (rows != written) {
          throw new LedgerException("of %d rows of %s %d arrived".formatted(rows, table, written));
        }
        report.counts().put(table, rows);
        if (table.equals("calls")) {
          text(source);
        }
      }
    }
    insertBody.executeBatch();
    numbers(known);
    report.counts().put("bodies", bodies);
    if (gone > 0) {
      report.notes().add(gone + " bodies were deleted by retention before; their rows are kept");
    }
    if (damaged > 0) {
      report.problems().add(damaged + " bodies are damaged and were left behind");
    }
  }

  /** The words of the bodies are found anew: each database keeps them in its own form. */
  private void text(Connection source) throws SQLException {
    try (var insert = to.prepareStatement(CallText.INSERT);
        var statement = source.createStatement();
        var row =
            statement.executeQuery(
                "select seq, started_at, request, response from calls where request is not null or"
                    + " response is not null")) {
      long bytes = 0;
      while (row.next()) {
        var all =
            text(row.getString(3), Body.Part.REQUEST)
                + '\n'
                + text(row.getString(4), Body.Part.RESPONSE);
        var words = SearchWords.of(all);
        if (!words.isEmpty()) {
          int partition = partitions.open(BodyPartitions.day(Micros.instant(row.getLong(2))));
          CallText.add(insert, partition, row.getLong(1), words);
          bytes += words.length();
        }
        if (bytes > BYTES_AT_ONCE) {
          insert.executeBatch();
          bytes = 0;
        }
      }
      insert.executeBatch();
    }
  }

  private String text(@Nullable String place, Body.Part part) {
    try {
      var bytes = place == null ? null : from.body(place);
      return bytes == null ? "" : text.of(bytes, part);
    } catch (LedgerException e) {
      // Damaged: counted where it is copied.
      return "";
    }
  }

  /** The next numbers that the database gives follow those that were brought. */
  private void numbers(List<String> tables) throws SQLException {
    for (var table : tables) {
      try (var statement = to.createStatement();
          var row =
              statement.executeQuery(
                  "select column_name from information_schema.columns where table_schema ="
                      + " current_schema() and is_identity = 'YES' and table_name = '"
                      + table
                      + "'")) {
        if (row.next()) {
          var column = row.getString(1);
          sequence(
              "pg_get_serial_sequence('%s', '%s')".formatted(table, column),
              max(to, table, column));
        }
      }
    }
    sequence("'call_numbers'", number);
  }

  private void sequence(String name, long last) throws SQLException {
    if (last > 0) {
      try (var statement = to.createStatement()) {
        statement.execute("select setval(%s, %d)".formatted(name, last));
      }
    }
  }

  private static long max(Connection db, String table, String column) throws SQLException {
    try (var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select coalesce(max(%s), 0) from %s".formatted(column, table))) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private @Nullable Object change(String column, @Nullable Object value, ResultSet row)
      throws SQLException {
    return switch (value) {
      case null -> null;
      // What a process had in hand is in nobody's, since no process has the source.
      case Object _ when column.equals("holder") -> 0L;
      case String place when column.equals("request") || column.equals("response") ->
          body(place, row);
      // PostgreSQL's texts cannot hold the character 0.
      case String text -> text.indexOf(0) < 0 ? text : text.replace((char) 0, '\ufffd');
      default -> value;
    };
  }

  private @Nullable String body(String place, ResultSet row) throws SQLException {
    var known = places.get(place);
    if (known != null) {
      return known;
    }
    byte[] bytes;
    try {
      bytes = from.body(place);
    } catch (LedgerException e) {
      damaged++;
      return null;
    }
    if (bytes == null) {
      gone++;
      return null;
    }
    int partition = partitions.open(BodyPartitions.day(Micros.instant(row.getLong("started_at"))));
    long id = ++number;
    insertBody.setInt(1, partition);
    insertBody.setLong(2, id);
    insertBody.setBytes(3, bytes);
    insertBody.addBatch();
    bodies++;
    waiting += bytes.length;
    if (waiting > BYTES_AT_ONCE) {
      insertBody.executeBatch();
      waiting = 0;
    }
    var brought = partition + ":" + id + ":" + bytes.length;
    places.put(place, brought);
    if (places.size() > REMEMBERED) {
      places.remove(places.keySet().iterator().next());
    }
    return brought;
  }
}
