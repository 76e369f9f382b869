package dev.mainstay.config;

import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.core.settings.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who may call. */
public record Client(
    @Setting(value = "The client's unique name, which the ledger shows.", required = true)
        String name,
    @Setting(
            value =
                "The key that the client sends as `Authorization: Bearer`, `x-api-key` or"
                    + " `x-goog-api-key`.",
            type = SecretTypes.HeaderSecret.class,
            required = true)
        Secret key,
    @Setting(
            value = "The model names that the client may request, as it writes them.",
            otherwise = "everything")
        List<String> models,
    @Setting(value = "The agents that the client may start, see and control.", otherwise = "all")
        List<String> agents,
    @Setting("The limits of the client.") RateLimits limits,
    @Setting(value = "The budget of the client.", optional = true) @Nullable Budget budget,
    @Setting(value = "The budget of each of the client's runs. It does not renew.", optional = true)
        @Nullable RunBudget runBudget) {
  public @Nullable Integer rpm() {
    return limits.rpm();
  }

  public @Nullable Integer tpm() {
    return limits.tpm();
  }

  public @Nullable Integer parallel() {
    return limits.parallel();
  }

  /** Nano-dollars each of its runs may spend, or null. */
  public @Nullable Long runNanos() {
    return runBudget == null ? null : runBudget.nanos();
  }

  /** What a run may spend. */
  public record RunBudget(
      @Setting(value = "US dollars.", name = "usd", unit = "USD", required = true) long nanos) {}
}
