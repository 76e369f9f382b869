package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.settings.Setting;
import java.util.List;

/** One name that clients may ask for. */
public record Model(
    @Setting(value = "The name that clients ask for.", key = true) String name,
    @Setting(
            value = "The targets in fallback order: `provider/model`, or a target with its weight.",
            shortFor = "target",
            otherwise = "required")
        List<WeightedTarget> targets,
    @Setting(value = "How Mainstay chooses the first target.", byDefault = "order") Balance balance,
    @Setting(
            value =
                "Settings of `recovery` for this model, except `breaker`, `retry-budget` and"
                    + " `in-flight`.",
            inherited = true)
        ModelRecovery recovery) {

  /** How calls to it are carried out. */
  public CallSettings calls() {
    return recovery.calls();
  }

  /** The same, carried out otherwise. */
  public Model withCalls(CallSettings calls) {
    return new Model(name, targets, balance, new ModelRecovery(recovery.preset(), calls));
  }

  /** A target with its share. */
  public record WeightedTarget(
      @Setting(
              value = "A provider and one of its models.",
              type = ConfigTypes.Target.class,
              required = true)
          TargetId target,
      @Setting(
              value =
                  "The target's share with `balance: weighted`. With any balance but `order`,"
                      + " targets of weight 0 come last.",
              byDefault = "1",
              least = "0",
              most = "1000000")
          int weight) {}

  /** Which target of a model is asked first. */
  public enum Balance {
    ORDER,
    WEIGHTED,
    LEAST_BUSY,
    FASTEST_FIRST_TOKEN
  }
}
