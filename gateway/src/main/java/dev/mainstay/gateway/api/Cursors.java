package dev.mainstay.gateway.api;

import dev.mainstay.http.CursorScope;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.state.DurableState;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pages of what the durable state keeps. */
public final class Cursors {
  /** How cursors of the ledger begin. */
  private static final String LEDGER = "calls";

  private Cursors() {}

  /** Rows and the cursor of the page behind them, null where there is none. */
  public record Page<T>(List<T> rows, @Nullable String next) {}

  /** The first {@code size} of rows that were asked for one more than that. */
  public static <T> Page<T> page(List<T> rows, int size, Function<T, String> cursor) {
    if (rows.size() <= size) {
      return new Page<>(rows, null);
    }
    var first = rows.subList(0, size);
    return new Page<>(first, cursor.apply(first.getLast()));
  }

  /** {@code list} with the filters of a request: a cursor belongs to both. */
  public static String scope(String list, Route.ApiRequest asked) {
    return CursorScope.of(list, asked.query());
  }

  /** The ledger's own cursor for one that {@link #ofLedger} made; null where none is given. */
  public static @Nullable String toLedger(String scope, @Nullable String cursor) {
    if (cursor != null && !cursor.startsWith(scope + ".")) {
      throw wrong(cursor);
    }
    return cursor == null ? null : LEDGER + cursor.substring(scope.length());
  }

  /** A cursor of the ledger as one of {@code scope}; null where there is none. */
  public static @Nullable String ofLedger(String scope, @Nullable String next) {
    return next == null ? null : scope + next.substring(LEDGER.length());
  }

  private static ApiException wrong(String cursor) {
    return ApiException.invalid("not a cursor of this list with these filters: " + cursor);
  }

  /** The place in {@code list} to begin behind; null where none is given. */
  public static @Nullable Place place(String list, @Nullable String cursor) {
    try {
      return cursor == null ? null : Place.of(list, cursor);
    } catch (IllegalArgumentException e) {
      throw wrong(cursor);
    }
  }

  /** The number in {@code list} to begin behind; {@code none} where no cursor is given. */
  public static long number(String list, @Nullable String cursor, long none) {
    if (cursor == null) {
      return none;
    }
    try {
      if (cursor.startsWith(list + ".")) {
        return Long.parseUnsignedLong(cursor.substring(list.length() + 1));
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw wrong(cursor);
  }

  /** The cursor of a number in {@code list}. */
  public static String of(String list, long number) {
    return list + "." + number;
  }

  /** A page of rows that are all at hand, by the caller's {@code limit} and {@code cursor}. */
  public static <T> Page<T> slice(String list, List<T> rows, Route.ApiRequest asked) {
    var limit = asked.query("limit");
    int size = limit == null ? CallQuery.MAX_LIMIT : CallParameters.size(limit);
    var scope = scope(list, asked);
    int first = (int) Math.clamp(number(scope, asked.query("cursor"), 0), 0, rows.size());
    int end = Math.min(first + size, rows.size());
    return new Page<>(rows.subList(first, end), end < rows.size() ? of(scope, end) : null);
  }

  /** The route of a list that {@link #slice} pages. */
  public static Route sliced(Route route, String rows) {
    return route
        .with("limit", "integer", rows + " a page, 1 to 1000; default 1000")
        .with("cursor", "string", "next of the page before");
  }

  public static DurableState state(@Nullable DurableState state) {
    if (state == null) {
      throw ApiException.of(503, "unavailable", "this gateway has no store");
    }
    return state;
  }

  /** What the store says, on a thread that may block. */
  public static <T> T wait(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw ApiException.of(503, "store_unavailable", "the store did not answer: try again");
    }
  }
}
