package dev.mainstay.core.failure;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Well-formed answers that are failures all the same. */
final class FailedAnswers {
  private FailedAnswers() {}

  /** Whether {@code map} is a model's message without text, refusal, reasoning or call. */
  static boolean saysNothing(Map<?, ?> map) {
    var role = map.get("role");
    return ("assistant".equals(role) && map.containsKey("content") && isNothing(map.get("content"))
            || "model".equals(role) && isNothing(map.get("parts")))
        && isNothing(map.get("tool_calls"))
        && isNothing(map.get("function_call"))
        && isNothing(map.get("refusal"))
        && isNothing(map.get("reasoning_content"))
        && isNothing(map.get("reasoning"));
  }

  private static boolean isNothing(@Nullable Object value) {
    return value == null
        || value instanceof String text && text.isBlank()
        || value instanceof List<?> list && list.isEmpty();
  }
}
