package dev.mainstay.core.guard;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;

/** What guards targets and providers from more requests than help. */
public record GuardSettings(
    @Setting("When a target's breaker opens, and for how long.") BreakerSettings breaker,
    @Setting(
            value =
                "The most retries at a provider, as a share of the requests to it. Mainstay always"
                    + " allows 10 in any 10 s. A first attempt at another provider does not count.",
            byDefault = "0.2",
            least = "0",
            most = "100")
        double retryBudget) {

  private static final GuardSettings DEFAULTS = Declaration.defaults(GuardSettings.class);

  public static GuardSettings defaults() {
    return DEFAULTS;
  }
}
