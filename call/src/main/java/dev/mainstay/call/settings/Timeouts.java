package dev.mainstay.call.settings;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long one attempt may take for each of its parts. Whatever is set, the call's deadline ends an
 * attempt that has sent nothing yet.
 */
public record Timeouts(
    @Setting(
            value =
                "The time to resolve the name, connect, pass the proxy and finish the TLS"
                    + " handshake.",
            byDefault = "3s",
            least = "1ms")
        Duration connect,
    @Setting(
            value = "The time from the end of the request to the headers of the answer.",
            otherwise = "60 s for a stream, the deadline for a whole answer",
            least = "1ms")
        @Nullable Duration headers,
    @Setting(
            value =
                "The time from the end of the request to the first content, reasoning or tool call"
                    + " of a stream.",
            byDefault = "3m",
            least = "1ms")
        Duration firstToken,
    @Setting(
            value =
                "The time between two later events of a stream, or between two parts of a whole"
                    + " answer.",
            byDefault = "1m",
            least = "1ms")
        Duration idle,
    @Setting(
            value =
                "The time from the end of the request to the end of a stream, even if it still"
                    + " sends.",
            byDefault = "1h",
            least = "1ms")
        Duration stream) {

  /** For the headers of a stream where nothing is set. */
  public static final Duration STREAM_HEADERS = Duration.ofSeconds(60);

  private static final Timeouts DEFAULTS = Declaration.defaults(Timeouts.class);

  public Timeouts {
    Declaration.check("timeouts", Timeouts.class, connect, headers, firstToken, idle, stream);
  }

  public static Timeouts defaults() {
    return DEFAULTS;
  }
}
