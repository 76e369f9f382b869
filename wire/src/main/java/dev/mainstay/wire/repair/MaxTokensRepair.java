package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lowers the limit of tokens of a request to what a provider says its model can write. */
public final class MaxTokensRepair {
  private static final List<String> NAMES =
      List.of("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens");

  /**
   * Anthropic's least budget for thinking,
   * docs.claude.com/en/docs/build-with-claude/extended-thinking.
   */
  private static final long LEAST_BUDGET = 1024;

  private MaxTokensRepair() {}

  /**
   * {@code body} with a lower limit; the sizes are the limits.
   *
   * @param error the body of the provider's error
   * @return empty where the request sets no limit, or the error names none below it
   */
  public static Optional<EditedRequest> lower(Dialect dialect, byte[] body, String error) {
    var request = LocatedValue.object(body);
    if (request == null) {
      return Optional.empty();
    }
    long now = limit(dialect, request);
    var words = ProviderWords.read(error);
    var room = TokenLimit.room(words.text(), now);
    long limit = room > 0 ? room : TokenLimit.limit(words.text(), now);
    if (limit <= 0 || limit >= now) {
      return dialect == Dialect.ANTHROPIC && words.says("budget_tokens")
          ? budgetBelow(body, request, now)
          : Optional.empty();
    }
    var edits = new BodyEdits(body);
    set(dialect, request, limit, edits);
    return edits.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new EditedRequest(
                edits.apply(),
                now,
                limit,
                "lowered the limit of tokens from " + now + " to " + limit,
                room > 0 ? null : new Quirk.MaxTokens(limit),
                Set.of("max_tokens")));
  }

  /** Anthropic: "`max_tokens` must be greater than `thinking.budget_tokens`". */
  private static Optional<EditedRequest> budgetBelow(
      byte[] body, LocatedValue request, long maxTokens) {
    var budget = budget(request);
    long before = budget == null ? -1 : budget.number();
    long after = Math.max(LEAST_BUDGET, maxTokens / 4 * 3);
    if (budget == null || before < maxTokens || after >= maxTokens) {
      return Optional.empty();
    }
    var edits = new BodyEdits(body);
    edits.replace(budget, Long.toString(after));
    return Optional.of(
        new EditedRequest(
            edits.apply(),
            before,
            after,
            "lowered the budget for thinking from " + before + " to " + after,
            null,
            Set.of("thinking.budget_tokens")));
  }

  /** The largest limit that the request sets, or -1. */
  private static long limit(Dialect dialect, LocatedValue request) {
    long limit = -1;
    for (var value : values(dialect, request)) {
      limit = Math.max(limit, value.number());
    }
    return limit;
  }

  private static List<LocatedValue> values(Dialect dialect, LocatedValue request) {
    var holder =
        dialect == Dialect.GEMINI ? request.get("generationConfig", "generation_config") : request;
    var values = new ArrayList<LocatedValue>(1);
    if (holder != null) {
      for (var field : holder.fields()) {
        var name = field.name().equals("maxOutputTokens") ? "max_output_tokens" : field.name();
        if (NAMES.contains(name)) {
          values.add(field.value());
        }
      }
    }
    return values;
  }

  /** Lowers what is above {@code limit}, and a budget for thinking that would not leave room. */
  static void set(Dialect dialect, LocatedValue request, long limit, BodyEdits edits) {
    var budget = dialect == Dialect.ANTHROPIC ? budget(request) : null;
    boolean tight = budget != null && budget.number() >= limit;
    if (limit < 1 || tight && limit <= LEAST_BUDGET) {
      return;
    }
    boolean lowered = false;
    for (var value : values(dialect, request)) {
      if (value.number() > limit) {
        edits.replace(value, Long.toString(limit));
        lowered = true;
      }
    }
    if (lowered && tight && budget != null) {
      edits.replace(budget, Long.toString(Math.max(LEAST_BUDGET, limit / 4 * 3)));
    }
  }

  private static @Nullable LocatedValue budget(LocatedValue request) {
    var thinking = request.get("thinking");
    return thinking == null ? null : thinking.get("budget_tokens");
  }
}
