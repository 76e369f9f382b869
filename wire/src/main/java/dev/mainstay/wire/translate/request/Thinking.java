package dev.mainstay.wire.translate.request;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How much the model is to reason. Dialects say it as an effort, as a number of tokens, or both.
 *
 * @param effort null where not said
 * @param budget in tokens; null where not said, -1 where the model is to decide
 * @param shown whether the reasoning or a summary of it is wanted in the answer; null where not
 *     said
 */
public record Thinking(@Nullable Effort effort, @Nullable Long budget, @Nullable Boolean shown) {

  /** OpenAI's words, from none to most. */
  public enum Effort {
    NONE(0),
    MINIMAL(1_024),
    LOW(1_024),
    MEDIUM(8_192),
    HIGH(24_576),
    XHIGH(24_576),
    MAX(24_576);

    private final long budget;

    Effort(long budget) {
      this.budget = budget;
    }

    /**
     * In tokens, as Google maps efforts to the budgets of Gemini 2.5
     * (ai.google.dev/gemini-api/docs/openai); 24,576 is the most that its smaller models take.
     */
    public long budget() {
      return budget;
    }

    static Effort of(long budget) {
      if (budget == 0) {
        return NONE;
      }
      if (budget <= LOW.budget) {
        return LOW;
      }
      return budget <= MEDIUM.budget ? MEDIUM : HIGH;
    }
  }

  /** Reads one of OpenAI's words for an effort, in whatever case. */
  public static Effort effort(Node effort) {
    try {
      return Effort.valueOf(effort.string().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw effort.wrong("one of none, minimal, low, medium, high, xhigh, max");
    }
  }

  /** Whether the model is to reason as much as it sees fit. */
  public boolean isLeftToModel() {
    return effort == null && budget != null && budget < 0;
  }

  /** The effort, from the budget where that is all that was said; null where it is the model's. */
  public @Nullable Effort asEffort() {
    if (effort != null || budget == null || budget < 0) {
      return effort;
    }
    return Effort.of(budget);
  }

  /** The budget, from the effort where that is all that was said; null where it is the model's. */
  public @Nullable Long asBudget() {
    if (budget != null || effort == null) {
      return budget;
    }
    return effort.budget();
  }
}
