package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.GroupCommit.Undo;
import dev.mainstay.ledger.sql.GroupCommit.Work;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** One operation on the state, and who waits for it. */
final class Operation<T extends @Nullable Object> {
  private static final String[] NO_LOCKS = {};

  private enum Sort {
    /** Changes nothing. */
    QUESTION,
    CHANGE,
    /** A change that must not be lost while the database is away. */
    END
  }

  private final Sort sort;
  private final Work<T> work;
  private final @Nullable Undo<T> undo;
  private final long bytes;
  private final String[] locks;
  private final long askedAt = System.nanoTime();
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private @Nullable T result;
  private boolean ran;

  private Operation(Sort sort, Work<T> work, @Nullable Undo<T> undo, long bytes, String... locks) {
    this.sort = sort;
    this.work = work;
    this.undo = undo;
    this.bytes = bytes;
    this.locks = locks;
  }

  static <T extends @Nullable Object> Operation<T> question(Work<T> work) {
    return new Operation<>(Sort.QUESTION, work, null, 0, NO_LOCKS);
  }

  static <T extends @Nullable Object> Operation<T> change(
      Work<T> work, @Nullable Undo<T> undo, String... locks) {
    return new Operation<>(Sort.CHANGE, work, undo, 0, locks);
  }

  static <T extends @Nullable Object> Operation<T> end(Work<T> work, long bytes, String... locks) {
    return new Operation<>(Sort.END, work, null, bytes, locks);
  }

  /** All names, as numbers that are the same in every process, in their order. */
  static long[] locks(List<Operation<?>> operations) {
    return operations.stream()
        .flatMapToLong(operation -> LongStream.of(numbers(operation.locks)))
        .sorted()
        .distinct()
        .toArray();
  }

  private static long[] numbers(String... names) {
    var numbers = new long[names.length];
    for (int i = 0; i < names.length; i++) {
      numbers[i] = fnv1a(names[i]);
    }
    return numbers;
  }

  /** http://www.isthe.com/chongo/tech/comp/fnv/: two names with one number only wait in vain. */
  private static long fnv1a(String name) {
    long hash = 0xcbf29ce484222325L;
    for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
    }
    return hash;
  }

  boolean changes() {
    return sort != Sort.QUESTION;
  }

  boolean mustArrive() {
    return sort == Sort.END;
  }

  long bytes() {
    return bytes;
  }

  CompletionStage<T> stage() {
    return future;
  }

  /** Whether nobody waits for it any more, and nothing was done. */
  boolean isOver() {
    return future.isDone();
  }

  boolean expired(Duration patience) {
    return !mustArrive() && !future.isDone() && System.nanoTime() - askedAt >= patience.toNanos();
  }

  void run(Db db) throws SQLException {
    result = work.in(db);
    ran = true;
  }

  /** It is on disk. What undoes it where its caller was told that it failed; else null. */
  @SuppressWarnings("NullAway") // null only where the work returned it
  @Nullable Operation<?> succeeded() {
    return future.complete(result) ? null : undo();
  }

  void failed(LedgerException why) {
    future.completeExceptionally(why);
  }

  /**
   * What undoes it under the same locks, or null where nothing need be undone. The locks make it
   * wait for a transaction that the database has not ended yet.
   */
  @SuppressWarnings("NullAway") // null only where the work returned it
  @Nullable Operation<?> undo() {
    if (undo == null || !ran) {
      return null;
    }
    return Operation.<Boolean>end(
        db -> {
          undo.in(db, result);
          return true;
        },
        0,
        locks);
  }
}
