package dev.mainstay.ledger.run;

import dev.mainstay.ledger.Tokens;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What the calls add up to that one client made under one {@code x-mainstay-run}.
 *
 * @param id whose run it is
 * @param parent as {@code x-mainstay-parent} said, or null
 * @param firstAt when the first call started
 * @param lastAt when the last one ended
 * @param lastFailed whether the call that ended last ended in an error
 * @param sums of all its calls
 */
public record CallRun(
    Id id,
    @Nullable String parent,
    Instant firstAt,
    Instant lastAt,
    boolean lastFailed,
    Sums sums) {

  /**
   * Two clients may use one name for their runs.
   *
   * @param client the client's name, or "" where no client key is needed
   * @param run as the client named it
   */
  public record Id(String client, String run) {}

  /**
   * @param failed calls that ended in an error
   * @param costNanos of the calls whose price is known, in nano-dollars
   * @param unpriced calls that used tokens at an unknown price
   */
  public record Sums(
      long calls, long failed, long attempts, Tokens tokens, long costNanos, long unpriced) {}

  /**
   * Which to read. A filter that is null lets all through.
   *
   * @param limit at most so many
   * @param before only those that come after this place in the list
   * @param from only those that began at this time or later
   * @param to only those that began before this time
   */
  public record Query(
      int limit,
      @Nullable Place before,
      @Nullable String run,
      @Nullable String client,
      @Nullable String parent,
      @Nullable Instant from,
      @Nullable Instant to) {

    /** The runs of that name, whoever's they are. */
    public static Query of(String run, @Nullable String client) {
      return new Query(10, null, run, client, null, null, null);
    }
  }

  /** A place in a list of runs, which is ordered by time and then by id, the newest first. */
  public record Place(Instant at, String run) {
    /**
     * The place that a cursor of {@code list} names.
     *
     * @throws IllegalArgumentException where it is none of {@link #cursor}
     */
    public static Place of(String list, String cursor) {
      try {
        var text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
        var parts = text.split(" ", 3);
        if (!parts[0].equals(list)) {
          throw new IllegalArgumentException("of another list");
        }
        return new Place(Instant.parse(parts[1]), parts[2]);
      } catch (RuntimeException e) {
        throw new IllegalArgumentException("cursor is no cursor of this list.", e);
      }
    }

    /** The place as an API gives it, for the next page. */
    public String cursor(String list) {
      var text = list + " " + at + " " + run;
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
