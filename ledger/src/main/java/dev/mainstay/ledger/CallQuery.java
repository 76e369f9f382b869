package dev.mainstay.ledger;

import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which calls to read. Every filter that is missing or null lets all through.
 *
 * @param limit calls a page, 1 to 1000
 * @param cursor {@code next} of the page before, or null for the first
 * @param where only calls that have these values
 * @param ranges only calls whose numbers are within these
 * @param from only calls that started at this instant or later
 * @param to only calls that started before this instant
 * @param failed true for calls that ended in an error only, false for those that did not
 * @param text only the call of this id, or the calls of this run
 * @param inBodies whether {@code text}, where it is no id, is looked for in recorded bodies: words
 *     that a body has all of, {@code word*} for words that begin so, and phrases in double quotes
 */
public record CallQuery(
    int limit,
    @Nullable String cursor,
    Map<Field, String> where,
    Map<Measure, Range> ranges,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable Boolean failed,
    @Nullable String text,
    boolean inBodies) {

  /** Largest page. */
  public static final int MAX_LIMIT = 1000;

  /** What calls can be narrowed by. */
  public static final Set<Measure> MEASURES =
      Collections.unmodifiableSet(
          EnumSet.of(
              Measure.ATTEMPTS,
              Measure.FIRST_TOKEN_MS,
              Measure.TOTAL_MS,
              Measure.TOKENS,
              Measure.COST_USD));

  /** What calls can be told apart by. */
  public enum Field {
    RUN,
    CLIENT,
    /** The model as the client asked for it. */
    MODEL,
    /** The {@code provider/model} that answered. */
    TARGET,
    /** The HTTP status that the client got. */
    STATUS,
    /** {@code TRANSIENT}, {@code LOGIC} or {@code FATAL}. */
    CLASS,
    /** The kind of the failure that the client was told. */
    KIND,
    /**
     * {@code retry}, {@code fallback}, {@code continuation}, {@code repair}, {@code repair:NAME}.
     */
    RECOVERY;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** Its name in the API. */
    public String wireName() {
      return wireName;
    }
  }

  public CallQuery {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("limit is " + limit + ", not 1 to " + MAX_LIMIT);
    }
    if (from != null && to != null && !to.isAfter(from)) {
      throw new IllegalArgumentException("to is not after from");
    }
    var status = where.get(Field.STATUS);
    if (status != null && !status.matches("[1-5][0-9]{2}")) {
      throw new IllegalArgumentException("status is a number from 100 to 599, not " + status);
    }
    if (!MEASURES.containsAll(ranges.keySet())) {
      throw new IllegalArgumentException("calls have no " + ranges.keySet());
    }
    where = Map.copyOf(where);
    ranges = Map.copyOf(ranges);
  }

  /** The newest calls. */
  public static CallQuery newest(int limit) {
    return new CallQuery(limit, null, Map.of(), Map.of(), null, null, null, null, false);
  }

  /** The page that begins at {@code newCursor}. */
  public CallQuery from(@Nullable String newCursor) {
    return new CallQuery(limit, newCursor, where, ranges, from, to, failed, text, inBodies);
  }

  /** Only calls with this value besides; null changes nothing. */
  public CallQuery where(Field field, @Nullable String value) {
    if (value == null) {
      return this;
    }
    var more = new EnumMap<Field, String>(Field.class);
    more.putAll(where);
    more.put(Objects.requireNonNull(field), value);
    return new CallQuery(limit, cursor, more, ranges, from, to, failed, text, inBodies);
  }

  /** Only calls whose numbers are within these ranges, in place of those before. */
  public CallQuery within(Map<Measure, Range> newRanges) {
    return new CallQuery(limit, cursor, where, newRanges, from, to, failed, text, inBodies);
  }

  /** Only calls that failed, or that did not; null lets both through. */
  public CallQuery failed(@Nullable Boolean value) {
    return new CallQuery(limit, cursor, where, ranges, from, to, value, text, inBodies);
  }

  /** Only calls that started between two instants; null is without a bound. */
  public CallQuery between(@Nullable Instant newFrom, @Nullable Instant newTo) {
    return new CallQuery(limit, cursor, where, ranges, newFrom, newTo, failed, text, inBodies);
  }

  /** Only calls of this id or run; null lets all through. */
  public CallQuery text(@Nullable String value) {
    return new CallQuery(limit, cursor, where, ranges, from, to, failed, value, inBodies);
  }

  /** This query, which looks for its text in recorded bodies too, or for ids alone. */
  public CallQuery inBodies(boolean value) {
    return new CallQuery(limit, cursor, where, ranges, from, to, failed, text, value);
  }
}
