package dev.mainstay.wire.translate.request;

import java.util.List;

/**
 * Which tools the model may or must call.
 *
 * @param only the tools it may choose from; empty for all. With {@link Mode#REQUIRED} and a single
 *     name, that tool must be called.
 */
public record ToolChoice(Mode mode, List<String> only) {
  public ToolChoice {
    only = List.copyOf(only);
  }

  public static ToolChoice of(Mode mode) {
    return new ToolChoice(mode, List.of());
  }

  /** Reads OpenAI's word, or Mistral's. */
  public static Mode mode(Node mode) {
    return switch (mode.string()) {
      case "auto" -> Mode.AUTO;
      case "none" -> Mode.NONE;
      case "required", "any" -> Mode.REQUIRED;
      default -> throw mode.wrong("\"auto\", \"none\" or \"required\"");
    };
  }

  public enum Mode {
    AUTO,
    NONE,
    REQUIRED
  }
}
