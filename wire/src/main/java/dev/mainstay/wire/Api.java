package dev.mainstay.wire;

import java.util.Locale;
import java.util.Optional;

/** The kind of API a provider offers: {@code dialect} in the configuration of a provider. */
public enum Api {
  OPENAI,
  ANTHROPIC,
  MISTRAL,
  GEMINI;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The name in the configuration. */
  public String label() {
    return label;
  }

  /** The API of that name in the configuration, if there is one. */
  public static Optional<Api> of(String label) {
    for (var api : values()) {
      if (api.label.equals(label)) {
        return Optional.of(api);
      }
    }
    return Optional.empty();
  }
}
