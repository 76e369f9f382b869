package dev.mainstay.call;

import dev.mainstay.core.recovery.InvalidPolicyException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long one attempt may take for each of its parts. Whatever is set, the call's deadline ends an
 * attempt that has sent nothing yet.
 *
 * @param connect name, route, proxy and TLS; default 3 s
 * @param headers from the request being sent to the reply's headers; null (the default) for 60 s
 *     with a stream and the deadline with a whole answer
 * @param firstToken from the request being sent to the first content, reasoning or tool call of a
 *     stream; default 3 min
 * @param idle between two events of a stream after that, or two parts of a whole answer; default 60
 *     s
 */
public record Timeouts(
    Duration connect, @Nullable Duration headers, Duration firstToken, Duration idle) {

  /** For the headers of a stream where nothing is set. */
  static final Duration STREAM_HEADERS = Duration.ofSeconds(60);

  private static final Timeouts DEFAULTS =
      new Timeouts(Duration.ofSeconds(3), null, Duration.ofMinutes(3), Duration.ofSeconds(60));

  public Timeouts {
    positive("timeouts.connect", connect);
    positive("timeouts.headers", headers);
    positive("timeouts.first-token", firstToken);
    positive("timeouts.idle", idle);
  }

  public static Timeouts defaults() {
    return DEFAULTS;
  }

  private static void positive(String field, @Nullable Duration value) {
    if (value != null && !value.isPositive()) {
      throw new InvalidPolicyException(field, value + " is not longer than 0");
    }
  }
}
