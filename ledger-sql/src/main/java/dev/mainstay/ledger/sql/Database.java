package dev.mainstay.ledger.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What databases differ in. */
public interface Database {

  /** A connection for the thread that writes, its schema up to date. */
  Connection connect() throws SQLException;

  /**
   * Begins a transaction that holds {@code locks} until it ends.
   *
   * @param locks names of what the transaction will change, as numbers, in ascending order; two
   *     transactions that share one follow each other. Only a store of many writers asks for them
   */
  void begin(Db db, Supplier<long[]> locks) throws SQLException;

  /** Ends the transaction: when it returns, the transaction is on disk. */
  void commit(Db db) throws SQLException;

  /** Undoes the transaction, if there is one. */
  void rollBack(Db db) throws SQLException;

  /** Behind a select inside an update: rows that another transaction holds are left out. */
  String skipLocked();

  /** Behind a select: the row is not deleted before the transaction ends. */
  String keyShare();

  /** An expression for the time on the database's clock, in microseconds since 1970. */
  String clock();

  /** Sends {@code text} to all other processes on this database when the transaction ends. */
  void send(Db db, String text) throws SQLException;

  /** Whether {@code failure} means that the connection is of no use any more. */
  boolean disconnects(SQLException failure);

  /**
   * Whether an operation that failed so may succeed when it is tried again unchanged, because the
   * database is to blame and not the operation.
   */
  boolean mayPass(SQLException failure);

  /** Whether a transaction failed only because another one had the same rows for too long. */
  default boolean contended(SQLException failure) {
    return false;
  }

  /**
   * The failure in words for logs, health and errors, without the values of statements, which may
   * be prompts; its SQL state stays.
   */
  default SQLException plain(SQLException failure) {
    return failure;
  }

  /** Writes something that changes nothing: fails where the database cannot be written. */
  void touch(Db db) throws SQLException;

  /** How long an operation may wait for the database, or null: until it is done. */
  @Nullable Duration patience();

  /** Bytes of operations that may wait while the database is away. */
  default long waitingBytes() {
    return 32 << 20;
  }
}
