package dev.mainstay.agent.journal;

import dev.mainstay.agent.AgentDefinition.Limits;
import dev.mainstay.core.settings.DurationText;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a person adds to the limits of a run: {@code {"budget": {"usd": 1, "tokens": 50000,
 * "tool-calls": 10, "max-turns": 5, "deadline": "5m"}}}, each of them optional and on top of what
 * the run had.
 */
public record LimitExtension(long nanos, long tokens, int toolCalls, int turns, Duration deadline) {
  private static final String DEADLINE = "deadline";
  private static final Set<String> NAMES =
      Set.of("usd", "tokens", "tool-calls", "max-turns", DEADLINE);
  private static final String ALLOWED = "usd, tokens, tool-calls, max-turns or deadline";
  private static final long MOST = 1_000_000_000L;
  private static final Duration LONGEST = Duration.ofDays(365);

  /** What {@code content} says; what it says wrongly counts as nothing. */
  static LimitExtension of(JsonNode content) {
    var budget = content.path("budget");
    var deadline = duration(budget.path(DEADLINE));
    return new LimitExtension(
        Math.round(number(budget, "usd") * 1e9),
        (long) number(budget, "tokens"),
        (int) Math.min(number(budget, "tool-calls"), Integer.MAX_VALUE),
        (int) Math.min(number(budget, "max-turns"), Integer.MAX_VALUE),
        deadline == null ? Duration.ZERO : deadline);
  }

  private static double number(JsonNode budget, String name) {
    return Math.clamp(budget.path(name).asDouble(0), 0, MOST);
  }

  /** A text such as {@code 5m}, above 0 and up to a year; null for anything else. */
  private static @Nullable Duration duration(JsonNode value) {
    try {
      var duration = DurationText.parse(value.stringValue(""));
      return duration.isPositive() && duration.compareTo(LONGEST) <= 0 ? duration : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** What is wrong with {@code content}, in words, or null. */
  public static @Nullable String problem(JsonNode content) {
    var budget = content.path("budget");
    if (!budget.isObject() || budget.isEmpty()) {
      return "The field budget is missing: an object with %s.".formatted(ALLOWED);
    }
    for (var field : budget.properties()) {
      var problem = problem(field.getKey(), field.getValue());
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  private static @Nullable String problem(String name, JsonNode value) {
    if (!NAMES.contains(name)) {
      return "budget.%s is not known. Allowed: %s.".formatted(name, ALLOWED);
    }
    if (name.equals(DEADLINE)) {
      return duration(value) == null
          ? "budget.deadline is no time such as 30s, 5m or 2h, up to 365d."
          : null;
    }
    boolean whole = name.equals("usd") || value.isIntegralNumber();
    return value.isNumber() && whole && value.asDouble() > 0 && value.asDouble() <= MOST
        ? null
        : "budget.%s is %s, not a number above 0%s."
            .formatted(
                name, value.isNumber() ? value : "no number", whole ? "" : " without a fraction");
  }

  /** The limits with what is added; a sum that is too large for its type stays at the most. */
  Limits addTo(Limits limits) {
    var calls = limits.toolCalls();
    return new Limits(
        Math.clamp((long) limits.maxTurns() + turns, 0, Integer.MAX_VALUE),
        sum(limits.costNanos(), nanos),
        sum(limits.tokens(), tokens),
        calls == null ? null : (Integer) Math.clamp((long) calls + toolCalls, 0, Integer.MAX_VALUE),
        limits.warn(),
        sum(limits.deadlineMs(), deadline.toMillis()),
        limits.stallMs(),
        limits.parallel(),
        limits.noProgress());
  }

  private static long sum(long had, long more) {
    return had > Long.MAX_VALUE - more ? Long.MAX_VALUE : had + more;
  }
}
