package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CallRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of {@value #SIZE} call numbers that a model, a target or a client occurs in: those of
 * a batch on their way into {@code call_blocks}, and back. A page of calls of one name reads no
 * other blocks, and a write adds a row for each name and block where an index adds one for each
 * call. For one thread.
 */
public final class CallBlocks {
  /** What has blocks. */
  static final Set<Field> FIELDS =
      Collections.unmodifiableSet(EnumSet.of(Field.MODEL, Field.TARGET, Field.CLIENT));

  /** The statement for {@link #bind}. */
  public static final String ADD =
      "insert into call_blocks (what, name, block) values (?,?,?) on conflict do nothing";

  /** Call numbers in a block. The migrations that make the table divide by it too. */
  private static final long SIZE = 256;

  /** Characters, as databases count them, of a name; a client may ask for a model of any name. */
  private static final int LONGEST_NAME = 256;

  /** Blocks that one question looks through. */
  private static final long RANGE = 4096;

  /** In one order for all, so that two gateways that add the same rows never deadlock. */
  private final Map<Field, Map<String, Set<Long>>> blocks = new EnumMap<>(Field.class);

  /** Adds a call that has ended, by its number. */
  public void add(long seq, CallRecord call) {
    add(Field.MODEL, call.modelAsked(), seq);
    add(Field.TARGET, call.target(), seq);
    add(Field.CLIENT, call.client(), seq);
  }

  private void add(Field what, @Nullable String name, long seq) {
    if (name != null) {
      blocks
          .computeIfAbsent(what, key -> new TreeMap<>())
          .computeIfAbsent(name(name), key -> new TreeSet<>())
          .add(seq / SIZE);
    }
  }

  private static String name(String of) {
    var kept = CallRows.kept(of);
    return kept.length() > LONGEST_NAME && kept.codePointCount(0, kept.length()) > LONGEST_NAME
        ? kept.substring(0, kept.offsetByCodePoints(0, LONGEST_NAME))
        : kept;
  }

  /** Hands all blocks to {@code add}, whose batch is then to be executed. */
  public void bind(PreparedStatement add) throws SQLException {
    for (var what : blocks.entrySet()) {
      for (var name : what.getValue().entrySet()) {
        for (long block : name.getValue()) {
          add.setString(1, what.getKey().wireName());
          add.setString(2, name.getKey());
          add.setLong(3, block);
          add.addBatch();
        }
      }
    }
  }

  /**
   * Deletes the blocks whose calls are long gone, in the transaction that {@code db} is in. What is
   * left costs next to nothing; a gateway may still be writing a block that is a little older than
   * the oldest call.
   */
  public static void retain(Connection db) throws SQLException {
    try (var statement = db.createStatement()) {
      statement.executeUpdate(
          "delete from call_blocks where block < (select min(seq) from calls) / %d - %d"
              .formatted(SIZE, RANGE));
    }
  }

  /** Call numbers from {@code first} to {@code last}. */
  record Stretch(long first, long last) {}

  /**
   * Where calls may be, the last numbers first.
   *
   * @param first all calls from this number on are in {@code stretches}
   */
  record Found(List<Stretch> stretches, long first) {}

  /**
   * Where the calls up to {@code last} are that have all of these names.
   *
   * @param names by what they name, at least one of {@link #FIELDS}
   * @param most numbers that the stretches may hold
   */
  static Found before(Connection db, Map<Field, String> names, long first, long last, long most)
      throws SQLException {
    long lowest = Math.max(first / SIZE, last / SIZE - RANGE + 1);
    var sql = new StringBuilder("select b.block from call_blocks b where b.block between ? and ?");
    var values = new ArrayList<Object>(List.of(lowest, last / SIZE));
    boolean driven = false;
    for (var each : names.entrySet()) {
      sql.append(
          driven
              ? " and exists (select 1 from call_blocks where what = ? and name = ? and block ="
                  + " b.block)"
              : " and b.what = ? and b.name = ?");
      values.add(each.getKey().wireName());
      values.add(name(each.getValue()));
      driven = true;
    }
    sql.append(" order by b.block desc limit ?");
    long limit = Math.max(1, most / SIZE);
    values.add(limit);
    var stretches = new ArrayList<Stretch>();
    long found = 0;
    long from = Math.max(first, lowest * SIZE);
    try (var statement = db.prepareStatement(sql.toString())) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i));
      }
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          long block = row.getLong(1);
          add(stretches, Math.max(first, block * SIZE), Math.min(last, block * SIZE + SIZE - 1));
          if (++found == limit) {
            from = stretches.getLast().first();
          }
        }
      }
    }
    return new Found(stretches, from);
  }

  private static void add(List<Stretch> to, long first, long last) {
    if (!to.isEmpty() && to.getLast().first() == last + 1) {
      to.addLast(new Stretch(first, to.removeLast().last()));
    } else {
      to.add(new Stretch(first, last));
    }
  }
}
