package dev.mainstay.gateway;

import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.state.DurableState;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pages of what the durable state keeps. */
final class Cursors {
  private Cursors() {}

  /** Rows and the cursor of the page behind them, null where there is none. */
  record Page<T>(List<T> rows, @Nullable String next) {}

  /** The first {@code size} of rows that were asked for one more than that. */
  static <T> Page<T> page(List<T> rows, int size, Function<T, String> cursor) {
    if (rows.size() <= size) {
      return new Page<>(rows, null);
    }
    var first = rows.subList(0, size);
    return new Page<>(first, cursor.apply(first.getLast()));
  }

  /** The place to begin behind; null where none is given. */
  static @Nullable Place place(@Nullable String cursor) {
    try {
      return cursor == null ? null : Place.of(cursor);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid("not a cursor: " + cursor);
    }
  }

  /** The number to begin behind. */
  static long number(@Nullable String cursor) {
    try {
      return cursor == null ? Long.MAX_VALUE : Long.parseLong(cursor);
    } catch (NumberFormatException e) {
      throw ApiException.invalid("not a cursor: " + cursor);
    }
  }

  static DurableState state(@Nullable DurableState state) {
    if (state == null) {
      throw ApiException.of(503, "unavailable", "this gateway has no store");
    }
    return state;
  }

  /** What the store says, on a thread that may block. */
  static <T> T wait(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw ApiException.of(503, "store_unavailable", "the store did not answer: try again");
    }
  }
}
