package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import tools.jackson.core.JsonParser;

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

  /** Reads the object {@code p} stands on. */
  public static Usage read(JsonParser p) {
    var usage = new OpenAiUsage();
    Json.fields(p, usage::field);
    return usage.disjoint();
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "prompt_tokens", "input_tokens" -> prompt = Json.count(p);
      case "completion_tokens", "output_tokens" -> completion = Json.count(p);
      case "total_tokens" -> total = Json.count(p);
      // DeepSeek and Mistral tell it beside the count rather than in the details.
      case "prompt_cache_hit_tokens", "num_cached_tokens" -> cached = Json.count(p);
      case "prompt_tokens_details", "prompt_token_details", "input_tokens_details" ->
          Json.fields(p, this::promptDetail);
      case "completion_tokens_details", "output_tokens_details" ->
          Json.fields(p, this::completionDetail);
      default -> {}
    }
  }

  private void promptDetail(String name, JsonParser p) {
    switch (name) {
      case "cached_tokens" -> cached = Json.count(p);
      case "cache_write_tokens" -> cacheWrite = Json.count(p);
      default -> {}
    }
  }

  private void completionDetail(String name, JsonParser p) {
    if (name.equals("reasoning_tokens")) {
      reasoning = Json.count(p);
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
