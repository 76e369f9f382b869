package dev.mainstay.core.settings;

import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.guard.RetryBudget;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.Preset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is in force, from {@code MAINSTAY_*} variables over the defaults, or over a preset that
 * {@code MAINSTAY_PRESET} names. Immutable. Where the variables come from and when they are read
 * again is the caller's.
 *
 * <p>A variable's name is the setting's name in the configuration: {@code retry.max-delay} is
 * {@code MAINSTAY_RETRY_MAX_DELAY}. A blank value counts as not set.
 *
 * @param retryBudget retries as a share of a provider's requests; default 0.2
 * @param inForce every setting with its value and where it came from, in the configuration's order
 */
public record Settings(
    Policy policy, BreakerSettings breaker, double retryBudget, List<InForce> inForce) {

  private static final String PRESET = "MAINSTAY_PRESET";
  private static final double RETRY_BUDGET = 0.2;

  /** Groups in which every variable must be known: a typing error must not go unnoticed. */
  private static final List<String> GROUPS =
      List.of("MAINSTAY_RETRY_", "MAINSTAY_FALLBACK_", "MAINSTAY_BREAKER_", "MAINSTAY_BOUNDS_");

  /** Where a value came from. */
  public enum Source {
    DEFAULT,
    PRESET,
    ENVIRONMENT
  }

  /**
   * One setting.
   *
   * @param name as in the configuration
   * @param variable that sets it
   * @param value as text that the variable takes
   */
  public record InForce(String name, String variable, String value, Source source) {}

  public Settings {
    inForce = List.copyOf(inForce);
  }

  /**
   * @throws InvalidPolicyException naming the variable and what is wrong with its value
   */
  public static Settings from(Map<String, String> environment) {
    refuseUnknown(environment);
    var preset = preset(value(environment, PRESET));
    var base = preset == null ? Policy.defaults() : preset.policy();
    var draft = new Draft(base, BreakerSettings.defaults(), RETRY_BUDGET);
    var plain = new Draft(Policy.defaults(), BreakerSettings.defaults(), RETRY_BUDGET);
    var inForce = new ArrayList<InForce>();
    inForce.add(
        new InForce(
            "preset",
            PRESET,
            (preset == null ? Preset.MAINSTAY : preset).configName(),
            preset == null ? Source.DEFAULT : Source.ENVIRONMENT));
    for (var setting : Setting.ALL) {
      String text = value(environment, setting.variable());
      Source source =
          setting.show().apply(draft).equals(setting.show().apply(plain))
              ? Source.DEFAULT
              : Source.PRESET;
      if (text != null) {
        source = Source.ENVIRONMENT;
        try {
          setting.read().accept(draft, text);
        } catch (IllegalArgumentException e) {
          throw new InvalidPolicyException(setting.variable(), String.valueOf(e.getMessage()));
        }
      }
      inForce.add(
          new InForce(setting.name(), setting.variable(), setting.show().apply(draft), source));
    }
    try {
      var unused = new RetryBudget(draft.retryBudget);
      return new Settings(draft.policy(), draft.breaker(), draft.retryBudget, inForce);
    } catch (InvalidPolicyException e) {
      throw new InvalidPolicyException(Setting.variable(e.field()), e.reason());
    }
  }

  private static @Nullable Preset preset(@Nullable String name) {
    if (name == null) {
      return null;
    }
    try {
      return Setting.one(Preset.class, name);
    } catch (IllegalArgumentException e) {
      throw new InvalidPolicyException(PRESET, String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable String value(Map<String, String> environment, String variable) {
    String text = environment.get(variable);
    return text == null || text.isBlank() ? null : text;
  }

  private static void refuseUnknown(Map<String, String> environment) {
    var known = new TreeSet<String>();
    Setting.ALL.forEach(setting -> known.add(setting.variable()));
    for (var variable : new TreeSet<>(environment.keySet())) {
      for (var group : GROUPS) {
        if (variable.startsWith(group) && !known.contains(variable)) {
          throw new InvalidPolicyException(
              variable, "there is no such setting; those of this group are " + named(known, group));
        }
      }
    }
  }

  private static String named(TreeSet<String> known, String group) {
    return String.join(", ", known.tailSet(group).headSet(group + "\uffff"));
  }
}
