package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A tool of an agent: an HTTP request, or another agent. */
public record AgentTool(
    @Setting(value = "The tool's name, as the model sees it.", required = true) String name,
    @Setting(value = "The description for the model.", byDefault = "") String description,
    @Setting("The JSON Schema of the arguments.") Map<String, Object> parameters,
    @Setting(value = "The HTTP request that runs the tool.", optional = true)
        @Nullable Request http,
    @Setting("The agent that runs the tool.") @Nullable String agent,
    @Setting(
            value =
                "The tool's effect on the world, which decides whether Mainstay may repeat a call.",
            byDefault = "unsafe")
        Agent.Effect effect,
    @Setting(
            value =
                "For `effect: queryable`: the request that tells whether a call happened. `{key}`"
                    + " in its URL stands for the call's key.",
            optional = true)
        @Nullable Request reconcile,
    @Setting(value = "The time limit of one attempt.", byDefault = "30s", least = "1ms")
        Duration timeout,
    @Setting(
            "Retries of a failed tool call. Mainstay never retries a tool whose `effect` is"
                + " unsafe.")
        Retry retry,
    @Setting(
            value =
                "Whether a person must approve a call first: true, false, or a condition on the"
                    + " arguments.",
            shortFor = "always")
        Approval approval,
    @Setting(value = "US dollars per call.", type = PricePerCall.class)
        @Nullable BigDecimal price) {

  /** An HTTP request. */
  public record Request(
      @Setting(value = "The method.", byDefault = "POST") Method method,
      @Setting(value = "The URL.", required = true) String url,
      @Setting(value = "The headers.", type = Types.HiddenText.class)
          Map<String, String> headers) {}

  /** The methods of requests. */
  public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE
  }

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

  /** Dollars a call. */
  static final class PricePerCall implements dev.mainstay.core.settings.ValueType<BigDecimal> {
    @Override
    public @Nullable BigDecimal parse(String text) {
      var usd = dev.mainstay.core.settings.Dollars.decimal(text);
      return usd == null || usd.signum() < 0 ? null : usd;
    }

    @Override
    public String allowed() {
      return "dollars, 0 or more";
    }

    @Override
    public Object show(BigDecimal value) {
      return value;
    }

    @Override
    public String schema() {
      return "number";
    }
  }
}
