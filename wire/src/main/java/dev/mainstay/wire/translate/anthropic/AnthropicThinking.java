package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Efforts;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * How much a Claude is to think. Models from 4.6 on think as they see fit, steered by an effort;
 * older ones, from 3.7 on, take a budget of tokens: at least 1,024, and less than {@code
 * max_tokens}, which it is part of. Thinking excludes a tool that must be called; with a budget, an
 * unfinished turn of tool calls must begin with its own signed thinking
 * (platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
final class AnthropicThinking {
  private static final int FIRST = 307;
  private static final int FIRST_ADAPTIVE = 406;
  private static final long LEAST = 1_024;

  private AnthropicThinking() {}

  /** Writes it where it can be said, and tells whether the model will think. */
  static boolean write(
      TranslationContext context, Request request, long maxTokens, ObjectNode body) {
    var thinking = request.thinking();
    if (thinking == null) {
      return false;
    }
    int version = Models.claude(context.model());
    var effort = thinking.asEffort();
    var budget = thinking.asBudget();
    if (effort == Effort.NONE) {
      return false;
    }
    if (effort == null && budget == null) {
      // Only how it is to be shown; without thinking there is nothing to show.
      return false;
    }
    var choice = request.toolChoice();
    boolean forced = choice != null && choice.mode() == Mode.REQUIRED;
    if (forced || (version != Models.UNKNOWN && version < FIRST)) {
      context.lose(Feature.REASONING_EFFORT, thinking);
      return false;
    }
    if (version >= FIRST_ADAPTIVE) {
      adaptive(context, thinking, body);
      return true;
    }
    if (maxTokens <= LEAST || unsigned(request)) {
      context.lose(Feature.REASONING_EFFORT, thinking);
      return false;
    }
    body.putObject("thinking").put("type", "enabled").put("budget_tokens", room(budget, maxTokens));
    return true;
  }

  private static void adaptive(TranslationContext context, Thinking thinking, ObjectNode body) {
    var written = body.putObject("thinking").put("type", "adaptive");
    if (thinking.shown() != null) {
      written.put("display", thinking.shown() ? "summarized" : "omitted");
    }
    if (Efforts.fit(context, thinking) instanceof Effort effort) {
      Body.child(body, "output_config").put("effort", effort.name().toLowerCase(Locale.ROOT));
    }
  }

  /** A fifth of {@code max_tokens} is left for the answer; a budget left to the model is half. */
  private static long room(@Nullable Long budget, long maxTokens) {
    long wanted = budget == null || budget < 0 ? maxTokens / 2 : budget;
    return Math.max(LEAST, Math.min(wanted, maxTokens - maxTokens / 5));
  }

  /** Whether the conversation ends within a turn of tool calls that was thought of elsewhere. */
  private static boolean unsigned(Request request) {
    var turns = request.turns();
    int last = turns.size() - 1;
    while (last >= 0 && turns.get(last).role() != Role.ASSISTANT) {
      if (turns.get(last).parts().stream().noneMatch(part -> part instanceof Part.ToolResult)) {
        return false;
      }
      last--;
    }
    if (last < 0) {
      return false;
    }
    var parts = turns.get(last).parts();
    return parts.stream().anyMatch(Part.ToolCall.class::isInstance)
        && !(parts.getFirst() instanceof Part.Reasoning reasoning
            && reasoning.seal() != null
            && reasoning.seal().of() == Dialect.ANTHROPIC);
  }
}
