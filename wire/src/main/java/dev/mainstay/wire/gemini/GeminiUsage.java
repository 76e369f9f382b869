package dev.mainstay.wire.gemini;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;

/**
 * Gemini's {@code usageMetadata}: the prompt's count includes what was cached, but not what its own
 * tools brought; thoughts are counted beside the candidates.
 */
public final class GeminiUsage {
  private long prompt;
  private long cached;
  private long toolPrompt;
  private long candidates;
  private long thoughts;

  private GeminiUsage() {}

  /** Reads the object that comes next. */
  public static Usage read(JsonWalk walk) {
    var usage = new GeminiUsage();
    for (walk.object(); walk.field(); ) {
      usage.field(walk);
    }
    return new Usage(
        Math.max(0, usage.prompt - usage.cached) + usage.toolPrompt,
        usage.cached,
        0,
        usage.candidates,
        usage.thoughts,
        false);
  }

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "promptTokenCount" -> prompt = walk.count();
      case "cachedContentTokenCount" -> cached = walk.count();
      case "toolUsePromptTokenCount" -> toolPrompt = walk.count();
      case "candidatesTokenCount" -> candidates = walk.count();
      case "thoughtsTokenCount" -> thoughts = walk.count();
      default -> {}
    }
  }
}
