package dev.mainstay.core.failure;

import dev.mainstay.core.failure.Failure.StreamEnding;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure laid flat: the same fields whatever it came from, as they stand in a line of {@code
 * classify}. Any of them may be missing. Immutable.
 *
 * @param provider the provider's name as in the rule tables, or null
 * @param where how it was observed
 * @param status the HTTP status as observed, or null
 * @param body what the provider sent, or null
 * @param message an exception's text, possibly with its causes, or null
 * @param ending how a stream ended, or null
 */
public record Facts(
    @Nullable String provider,
    Where where,
    @Nullable Integer status,
    Headers headers,
    @Nullable String body,
    @Nullable String message,
    @Nullable StreamEnding ending) {

  public Facts {
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(headers, "headers");
  }

  /** How a failure was observed. */
  public enum Where {
    /** An HTTP reply. */
    HTTP,
    /** Inside a stream, after its headers. */
    STREAM,
    /** A connection that failed. */
    TRANSPORT,
    /** An exception of a client library; also where nothing is known. */
    CLIENT;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** The name in JSON, for example {@code stream}. */
    public String wireName() {
      return wireName;
    }
  }

  /** The facts of {@code failure}. */
  public static Facts of(Failure failure) {
    return switch (failure) {
      case Failure.Reply reply ->
          new Facts(
              reply.provider(),
              Where.HTTP,
              reply.status(),
              reply.headers(),
              reply.body(),
              null,
              null);
      case Failure.Stream stream ->
          new Facts(
              stream.provider(),
              Where.STREAM,
              null,
              Headers.none(),
              stream.event(),
              null,
              stream.ending());
      case Failure.Thrown thrown ->
          new Facts(
              thrown.provider(),
              Where.CLIENT,
              thrown.status(),
              thrown.headers(),
              thrown.body(),
              thrown.text(),
              null);
    };
  }
}
