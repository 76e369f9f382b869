package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import java.util.Set;

/** The values of {@code stop_reason}. */
final class MessageEndings {
  private static final Set<String> OWN =
      Set.of(
          "end_turn",
          "max_tokens",
          "stop_sequence",
          "tool_use",
          "pause_turn",
          "refusal",
          "compaction",
          "model_context_window_exceeded");

  private MessageEndings() {}

  static Ending ending(String word, boolean calls) {
    return switch (word) {
      case "end_turn" -> calls ? Ending.TOOL_CALLS : Ending.STOP;
      case "stop_sequence" -> Ending.STOP_SEQUENCE;
      case "tool_use" -> Ending.TOOL_CALLS;
      case "max_tokens" -> Ending.LENGTH;
      case "model_context_window_exceeded" -> Ending.CONTEXT;
      case "refusal" -> Ending.REFUSAL;
      case "pause_turn" -> Ending.PAUSE;
      default -> Ending.OTHER;
    };
  }

  static String word(Delta.Finished finished, boolean calls, boolean refused) {
    if (OWN.contains(finished.word())) {
      return finished.word();
    }
    return switch (finished.ending()) {
      case STOP, OTHER -> calls ? "tool_use" : refused ? "refusal" : "end_turn";
      case STOP_SEQUENCE -> "stop_sequence";
      case TOOL_CALLS -> "tool_use";
      case LENGTH -> "max_tokens";
      case CONTEXT -> "model_context_window_exceeded";
      case CONTENT_FILTER, REFUSAL -> "refusal";
      case PAUSE -> "pause_turn";
    };
  }
}
