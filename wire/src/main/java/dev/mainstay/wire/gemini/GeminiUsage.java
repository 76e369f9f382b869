package dev.mainstay.wire.gemini;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import tools.jackson.core.JsonParser;

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

  /** Reads the object {@code p} stands on. */
  public static Usage read(JsonParser p) {
    var usage = new GeminiUsage();
    Json.fields(p, usage::field);
    return new Usage(
        Math.max(0, usage.prompt - usage.cached) + usage.toolPrompt,
        usage.cached,
        0,
        usage.candidates,
        usage.thoughts,
        false);
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "promptTokenCount" -> prompt = Json.count(p);
      case "cachedContentTokenCount" -> cached = Json.count(p);
      case "toolUsePromptTokenCount" -> toolPrompt = Json.count(p);
      case "candidatesTokenCount" -> candidates = Json.count(p);
      case "thoughtsTokenCount" -> thoughts = Json.count(p);
      default -> {}
    }
  }
}
