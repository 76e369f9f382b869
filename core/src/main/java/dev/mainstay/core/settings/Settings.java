package dev.mainstay.core.settings;

import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.guard.GuardSettings;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.Preset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What is in force, from {@code MAINSTAY_*} variables over the defaults, or over a preset that
 * {@code MAINSTAY_PRESET} names. Immutable. Where the variables come from and when they are read
 * again is the caller's.
 *
 * @param retryBudget retries as a share of a provider's requests; default 0.2
 * @param inForce every setting with its value and where it came from, in the configuration's order
 */
public record Settings(
    Policy policy, BreakerSettings breaker, double retryBudget, List<InForce> inForce) {

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

  /** What the variables may give. */
  private record Declared(
      @Setting(value = "A named set of the values below.", byDefault = "standard") Preset preset,
      @Setting(value = "How Mainstay recovers a call.", inline = true) Policy policy,
      @Setting(value = "What guards targets and providers.", inline = true) GuardSettings guards) {

    Declared withPreset(Preset value) {
      return new Declared(value, value.applyTo(policy), guards);
    }
  }

  public Settings {
    inForce = List.copyOf(inForce);
  }

  /**
   * @throws InvalidPolicyException naming the variable, what was found and what is allowed
   */
  public static Settings from(Map<String, String> variables) {
    var environment =
        new Environment(
            variables,
            Declared.class,
            (variable, found, allowed) -> {
              throw new InvalidPolicyException(
                  variable, "found %s; allowed: %s".formatted(found, allowed));
            });
    environment.refuseUnknown();
    var reader = new SettingsReader();
    var given = environment.given();
    var defaults = Declaration.defaults(Declared.class);
    // The preset first: it decides over what the other variables are read.
    var preset = (Preset) reader.one(Declared.class, "preset", given);
    var base = preset == null ? defaults : defaults.withPreset(preset);
    reader.changed("", defaults, base, Source.PRESET.name());
    var read =
        Objects.requireNonNull(reader.read(Declared.class, given, base, Source.DEFAULT.name()));
    var inForce = new ArrayList<InForce>();
    Declaration.texts(read, "")
        .forEach(
            (path, text) ->
                inForce.add(
                    new InForce(
                        path,
                        Environment.variable(path),
                        text,
                        source(Objects.requireNonNull(reader.origins().get(path))))));
    return new Settings(
        read.policy(), read.guards().breaker(), read.guards().retryBudget(), inForce);
  }

  private static Source source(String origin) {
    return origin.equals(Source.DEFAULT.name())
        ? Source.DEFAULT
        : origin.equals(Source.PRESET.name()) ? Source.PRESET : Source.ENVIRONMENT;
  }
}
