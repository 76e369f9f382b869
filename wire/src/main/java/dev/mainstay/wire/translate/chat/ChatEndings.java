package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import java.util.Set;

/** The values of {@code finish_reason}. */
final class ChatEndings {
  private static final Set<String> CHAT =
      Set.of("stop", "length", "tool_calls", "content_filter", "function_call");
  private static final Set<String> MISTRAL =
      Set.of("stop", "length", "model_length", "tool_calls", "error");

  private ChatEndings() {}

  static Ending ending(String word, boolean calls) {
    return switch (word) {
      case "stop" -> calls ? Ending.TOOL_CALLS : Ending.STOP;
      case "length" -> Ending.LENGTH;
      case "model_length" -> Ending.CONTEXT;
      case "tool_calls", "function_call" -> Ending.TOOL_CALLS;
      case "content_filter" -> Ending.CONTENT_FILTER;
      default -> Ending.OTHER;
    };
  }

  static String word(Dialect dialect, Delta.Finished finished, boolean calls) {
    boolean mistral = dialect == Dialect.MISTRAL;
    // A legacy function call is told as a tool call, so its ending must be one's too.
    if ((mistral ? MISTRAL : CHAT).contains(finished.word())
        && !finished.word().equals("function_call")) {
      return finished.word();
    }
    return switch (finished.ending()) {
      case STOP, STOP_SEQUENCE, PAUSE, OTHER -> calls ? "tool_calls" : "stop";
      case TOOL_CALLS -> "tool_calls";
      case LENGTH -> "length";
      case CONTEXT -> mistral ? "model_length" : "length";
      // Not among Mistral's own words; its clients take new ones.
      case CONTENT_FILTER, REFUSAL -> "content_filter";
    };
  }
}
