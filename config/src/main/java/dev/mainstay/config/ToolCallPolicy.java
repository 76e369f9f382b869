package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a tool is called, be it the configuration's own or one of an MCP server. */
public record ToolCallPolicy(
    @Setting(value = "The time limit of one attempt.", byDefault = "30s", least = "1ms")
        Duration timeout,
    @Setting(
            "Retries of a failed tool call. Mainstay never retries a tool whose effect is"
                + " unsafe.")
        Retry retry,
    @Setting(
            value =
                "Whether a person must approve a call first: true, false, or a condition on the"
                    + " arguments.",
            shortFor = "always")
        Approval approval,
    @Setting(value = "US dollars per call.", type = ConfigTypes.PricePerCall.class)
        @Nullable BigDecimal price) {

  /** When a failed call is made again. */
  public record Retry(
      @Setting(
              value = "The most attempts for one tool call.",
              byDefault = "3",
              least = "1",
              most = "100")
          int attempts,
      @Setting(value = "The wait before the second attempt.", byDefault = "1s")
          Duration initialDelay,
      @Setting(
              value = "The factor by which the wait grows.",
              byDefault = "2",
              least = "1",
              most = "100")
          double factor) {}

  /** When a person must agree first. */
  public record Approval(
      @Setting(value = "Whether every call needs approval.", byDefault = "false") boolean always,
      @Setting("A pointer to a number in the arguments, for example `/amount`.")
          @Nullable String when,
      @Setting("The number above which a person must approve the call.") @Nullable Double above) {}
}
