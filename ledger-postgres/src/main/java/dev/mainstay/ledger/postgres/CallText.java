package dev.mainstay.ledger.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Rows of {@code call_text}. */
final class CallText {
  static final String INSERT =
      "insert into call_text (day, call_seq, words) values (?, ?, to_tsvector('simple', ?))";

  private CallText() {}

  /** Adds a row to the batch of {@code insert}; its day's partition must be there. */
  static void add(PreparedStatement insert, int partition, long seq, String words)
      throws SQLException {
    insert.setInt(1, partition);
    insert.setLong(2, seq);
    insert.setString(3, words);
    insert.addBatch();
  }
}
