package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;

/** How requests that are sent twice are recognised. */
public record Idempotency(
    @Setting(
            value = "How long Mainstay returns a stored success for the same `Idempotency-Key`.",
            byDefault = "24h",
            least = "1ms")
        Duration window,
    @Setting(
            value =
                "Whether a call continues after its client leaves. Streams then carry event ids.",
            byDefault = "false")
        boolean finishWhenClientLeaves) {
  public static final Idempotency DEFAULTS = Declaration.defaults(Idempotency.class);
}
