package dev.mainstay.wire.translate.request;

import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

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
    REQUIRED;

    /** OpenAI's word. */
    private String word() {
      return switch (this) {
        case AUTO -> "auto";
        case NONE -> "none";
        case REQUIRED -> "required";
      };
    }
  }

  /**
   * Writes it as OpenAI's dialects do: a word, one tool, or some tools.
   *
   * @param named writes the choice of the tool of that name
   * @param some writes the choice from some tools, from OpenAI's word for the mode
   */
  public JsonNode inOpenAi(Function<String, JsonNode> named, Function<String, JsonNode> some) {
    if (only.isEmpty() || mode == Mode.NONE) {
      return Body.of(mode.word());
    }
    if (mode == Mode.REQUIRED && only.size() == 1) {
      return named.apply(only.getFirst());
    }
    return some.apply(mode.word());
  }
}
