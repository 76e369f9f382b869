package dev.mainstay.call.settings;

import dev.mainstay.core.settings.Setting;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** How much may be asked; null stands for no limit. */
public record RateLimits(
    @Setting(
            value = "Requests per minute. A client may send a minute's worth at once.",
            least = "1")
        @Nullable Integer rpm,
    @Setting(value = "Tokens per minute.", least = "1") @Nullable Integer tpm,
    @Setting(value = "Concurrent requests.", least = "1") @Nullable Integer parallel) {
  public static final RateLimits NONE = new RateLimits(null, null, null);

  /** What {@code share} makes of each limit: this gateway's part of it. */
  public RateLimits shared(IntUnaryOperator share) {
    return this.equals(NONE)
        ? this
        : new RateLimits(part(rpm, share), part(tpm, share), part(parallel, share));
  }

  private static @Nullable Integer part(@Nullable Integer limit, IntUnaryOperator share) {
    return limit == null ? null : (Integer) share.applyAsInt(limit);
  }
}
