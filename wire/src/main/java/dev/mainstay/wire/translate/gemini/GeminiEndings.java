package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import java.util.Set;

/** The values of {@code finishReason}. */
final class GeminiEndings {
  /** It is the provider that ended the answer, for what is in it. */
  private static final Set<String> FILTERED =
      Set.of(
          "SAFETY",
          "RECITATION",
          "BLOCKLIST",
          "PROHIBITED_CONTENT",
          "SPII",
          "IMAGE_SAFETY",
          "IMAGE_PROHIBITED_CONTENT",
          "IMAGE_RECITATION",
          "MODEL_ARMOR");

  private static final Set<String> OTHERS =
      Set.of(
          "LANGUAGE",
          "OTHER",
          "MALFORMED_FUNCTION_CALL",
          "UNEXPECTED_TOOL_CALL",
          "TOO_MANY_TOOL_CALLS",
          "IMAGE_OTHER",
          "NO_IMAGE",
          "MISSING_THOUGHT_SIGNATURE");

  private GeminiEndings() {}

  static Ending ending(String word, boolean calls) {
    return switch (word) {
      case "STOP" -> calls ? Ending.TOOL_CALLS : Ending.STOP;
      case "MAX_TOKENS" -> Ending.LENGTH;
      default -> FILTERED.contains(word) ? Ending.CONTENT_FILTER : Ending.OTHER;
    };
  }

  static String word(Delta.Finished finished) {
    var word = finished.word();
    if (FILTERED.contains(word) || OTHERS.contains(word)) {
      return word;
    }
    return switch (finished.ending()) {
      case STOP, STOP_SEQUENCE, TOOL_CALLS, PAUSE, OTHER -> "STOP";
      case LENGTH, CONTEXT -> "MAX_TOKENS";
      case CONTENT_FILTER, REFUSAL -> "SAFETY";
    };
  }
}
