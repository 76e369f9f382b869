package dev.mainstay.call.settings;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;

/** How many attempts may be under way at one target. */
public record InFlight(
    @Setting(
            value = "Concurrent attempts at one target.",
            byDefault = "10000",
            least = "1",
            most = "1000000")
        int perTarget,
    @Setting(
            value = "Attempts that may wait for one of these places.",
            byDefault = "1000",
            least = "0",
            most = "1000000")
        int queue,
    @Setting(value = "The longest wait for a place.", name = "wait", byDefault = "5s")
        Duration maxWait) {
  private static final InFlight DEFAULTS = Declaration.defaults(InFlight.class);

  public InFlight {
    Declaration.check("in-flight", InFlight.class, perTarget, queue, maxWait);
  }

  public static InFlight defaults() {
    return DEFAULTS;
  }
}
