package dev.mainstay.ledger;

import org.jspecify.annotations.Nullable;

/**
 * Which calls to read. Every filter that is null lets all through.
 *
 * @param limit calls a page, 1 to 1000
 * @param cursor {@code next} of the page before, or null for the first
 * @param run only calls of this run
 * @param client only calls of this client
 * @param target only calls that this {@code provider/model} answered
 * @param failed true for calls that ended in an error only, false for those that did not
 */
public record CallQuery(
    int limit,
    @Nullable String cursor,
    @Nullable String run,
    @Nullable String client,
    @Nullable String target,
    @Nullable Boolean failed) {

  /** Largest page. */
  public static final int MAX_LIMIT = 1000;

  public CallQuery {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("limit is " + limit + ", not 1 to " + MAX_LIMIT);
    }
  }

  /** The newest calls. */
  public static CallQuery newest(int limit) {
    return new CallQuery(limit, null, null, null, null, null);
  }

  /** The page that begins at {@code cursor}. */
  public CallQuery from(@Nullable String cursor) {
    return new CallQuery(limit, cursor, run, client, target, failed);
  }
}
