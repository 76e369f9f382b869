package dev.mainstay.core.recovery;

import java.util.Objects;

/**
 * A target's name: a provider and one of its models.
 *
 * @param provider the provider's name in the configuration, without a slash
 * @param model the provider's own name for the model; it may hold slashes
 */
public record TargetId(String provider, String model) {
  public TargetId {
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(model, "model");
    if (provider.isEmpty() || provider.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "provider: must be a name without '/': \"" + provider + "\"");
    }
  }

  /**
   * The target of that name, as {@link #toString} writes it.
   *
   * @throws IllegalArgumentException where it begins with a slash, or is empty
   */
  public static TargetId of(String name) {
    int slash = name.indexOf('/');
    return slash < 0
        ? new TargetId(name, "")
        : new TargetId(name.substring(0, slash), name.substring(slash + 1));
  }

  /** {@code provider/model}, as in the header {@code x-mainstay-target}. */
  @Override
  public String toString() {
    return model.isEmpty() ? provider : provider + "/" + model;
  }
}
