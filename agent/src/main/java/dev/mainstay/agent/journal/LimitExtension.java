package dev.mainstay.agent.journal;

import dev.mainstay.agent.AgentDefinition.Limits;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a person adds to the limits of a run: {@code {"budget": {"usd": 1, "tokens": 50000,
 * "tool-calls": 10, "max-turns": 5}}}, each of them optional and on top of what the run had.
 */
public record LimitExtension(long nanos, long tokens, int toolCalls, int turns) {
  private static final Set<String> NAMES = Set.of("usd", "tokens", "tool-calls", "max-turns");
  private static final long MOST = 1_000_000_000L;

  /** What {@code content} says; what it says wrongly counts as nothing. */
  static LimitExtension of(JsonNode content) {
    var budget = content.path("budget");
    return new LimitExtension(
        Math.round(number(budget, "usd") * 1e9),
        (long) number(budget, "tokens"),
        (int) Math.min(number(budget, "tool-calls"), Integer.MAX_VALUE),
        (int) Math.min(number(budget, "max-turns"), Integer.MAX_VALUE));
  }

  private static double number(JsonNode budget, String name) {
    return Math.clamp(budget.path(name).asDouble(0), 0, MOST);
  }

  /** What is wrong with {@code content}, in words, or null. */
  public static @Nullable String problem(JsonNode content) {
    var budget = content.path("budget");
    if (!budget.isObject() || budget.isEmpty()) {
      return "The field budget is missing: an object with usd, tokens, tool-calls or max-turns.";
    }
    for (var field : budget.properties()) {
      if (!NAMES.contains(field.getKey())) {
        return "budget.%s is not known. Allowed: usd, tokens, tool-calls, max-turns."
            .formatted(field.getKey());
      }
      var value = field.getValue();
      boolean whole = field.getKey().equals("usd") || value.isIntegralNumber();
      if (!value.isNumber() || !whole || value.asDouble() <= 0 || value.asDouble() > MOST) {
        return "budget.%s is %s, not a number above 0%s."
            .formatted(
                field.getKey(),
                value.isNumber() ? value : "no number",
                whole ? "" : " without a fraction");
      }
    }
    return null;
  }

  Limits addTo(Limits limits) {
    return new Limits(
        (int) Math.min((long) limits.maxTurns() + turns, Integer.MAX_VALUE),
        limits.costNanos() + nanos,
        limits.tokens() + tokens,
        limits.toolCalls() == null
            ? null
            : (Integer) (int) Math.min((long) limits.toolCalls() + toolCalls, Integer.MAX_VALUE),
        limits.warn(),
        limits.deadlineMs(),
        limits.stallMs(),
        limits.parallel(),
        limits.noProgress());
  }
}
