package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;

/**
 * OpenAI's {@code usage}, of Chat, Responses and embeddings, and of those who speak it: their
 * prompt counts include what was cached, their answer counts include reasoning (xAI's do not, which
 * shows in the total).
 */
public final class OpenAiUsage {
  private long prompt;
  private long cached;
  private long cacheWrite;
  private long completion;
  private long reasoning;
  private long total;

  private OpenAiUsage() {}

  /** Reads the object that comes next. */
  public static Usage read(JsonWalk walk) {
    var usage = new OpenAiUsage();
    for (walk.object(); walk.field(); ) {
      usage.field(walk);
    }
    return usage.disjoint();
  }

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "prompt_tokens", "input_tokens" -> prompt = walk.count();
      case "completion_tokens", "output_tokens" -> completion = walk.count();
      case "total_tokens" -> total = walk.count();
      // DeepSeek and Mistral tell it beside the count rather than in the details.
      case "prompt_cache_hit_tokens", "num_cached_tokens" -> cached = walk.count();
      case "prompt_tokens_details", "prompt_token_details", "input_tokens_details" ->
          promptDetails(walk);
      case "completion_tokens_details", "output_tokens_details" -> completionDetails(walk);
      default -> {}
    }
  }

  private void promptDetails(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "cached_tokens" -> cached = walk.count();
        case "cache_write_tokens" -> cacheWrite = walk.count();
        default -> {}
      }
    }
  }

  private void completionDetails(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("reasoning_tokens")) {
        reasoning = walk.count();
      }
    }
  }

  private Usage disjoint() {
    boolean beside =
        reasoning > completion || (reasoning > 0 && total == prompt + completion + reasoning);
    return new Usage(
        Math.max(0, prompt - cached - cacheWrite),
        cached,
        cacheWrite,
        beside ? completion : completion - reasoning,
        reasoning,
        false);
  }
}
