package dev.mainstay.wire.stream;

import java.util.Set;

/** The dialects' words for why an answer ended. */
public final class Finish {
  /** The model was done, or wants tools: there must be something in the answer. */
  private static final Set<String> ORDINARY =
      Set.of(
          "stop",
          "tool_calls",
          "function_call",
          "end_turn",
          "tool_use",
          "stop_sequence",
          "STOP",
          "completed",
          "FINISH_REASON_UNSPECIFIED");

  private static final Set<String> FAILED =
      Set.of("error", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "failed");

  private Finish() {}

  static boolean ordinary(String reason) {
    return ORDINARY.contains(reason);
  }

  /** Whether the provider says with {@code reason} that the model's answer is no answer. */
  public static boolean failed(String reason) {
    return FAILED.contains(reason);
  }
}
