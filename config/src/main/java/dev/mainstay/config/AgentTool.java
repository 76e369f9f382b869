package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A tool of an agent: an HTTP request, or another agent. */
public record AgentTool(
    @Setting(value = "Its name, as the model knows it.", required = true) String name,
    @Setting(value = "Its description for the model.", byDefault = "") String description,
    @Setting("A JSON Schema of its arguments.") Map<String, Object> parameters,
    @Setting(value = "The request that carries it out.", optional = true) @Nullable Request http,
    @Setting("The agent that carries it out.") @Nullable String agent,
    @Setting(value = "What repeating a call would do.", byDefault = "unsafe") Agent.Effect effect,
    @Setting(
            value =
                "The request that tells whether a call happened, for `effect: queryable`; `{key}`"
                    + " in its URL is the call's key.",
            optional = true)
        @Nullable Request reconcile,
    @Setting(value = "How long one attempt may take.", byDefault = "30s", least = "1ms")
        Duration timeout,
    @Setting("When a failed call is made again; never where `effect` is unsafe.") Retry retry,
    @Setting(
            value = "Whether a person must agree first: true, false or for which arguments.",
            shortFor = "always")
        Approval approval,
    @Setting(value = "US dollars a call.", type = PricePerCall.class) @Nullable BigDecimal price) {

  /** An HTTP request. */
  public record Request(
      @Setting(value = "Its method.", byDefault = "POST") Method method,
      @Setting(value = "Its URL.", required = true) String url,
      @Setting(value = "Its headers.", type = Types.HiddenText.class)
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
      @Setting(value = "Attempts of one call.", byDefault = "3", least = "1", most = "100")
          int attempts,
      @Setting(value = "The wait before the second.", byDefault = "1s") Duration initialDelay,
      @Setting(value = "By which it grows.", byDefault = "2", least = "1", most = "100")
          double factor) {}

  /** When a person must agree first. */
  public record Approval(
      @Setting(value = "For every call.", byDefault = "false") boolean always,
      @Setting("A pointer to a number in the arguments, for example `/amount`.")
          @Nullable String when,
      @Setting("The number above which a person must agree.") @Nullable Double above) {}

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
