package dev.mainstay.call;

import dev.mainstay.core.settings.Setting;
import org.jspecify.annotations.Nullable;

/** How much may be asked; null stands for no limit. */
public record RateLimits(
    @Setting(value = "Requests a minute; a minute's worth may come at once.", least = "1")
        @Nullable Integer rpm,
    @Setting(value = "Tokens a minute.", least = "1") @Nullable Integer tpm,
    @Setting(value = "Requests at once.", least = "1") @Nullable Integer parallel) {
  public static final RateLimits NONE = new RateLimits(null, null, null);
}
