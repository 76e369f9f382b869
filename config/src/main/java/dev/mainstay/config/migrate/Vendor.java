package dev.mainstay.config.migrate;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A company whose API Mainstay speaks, under the name that other gateways give it.
 *
 * @param dialect the wire format
 * @param baseUrl as the vendor's documentation has it, or null where only the customer knows it
 * @param variable the variable that usually holds its key, or null where it needs none
 */
record Vendor(String dialect, @Nullable String baseUrl, @Nullable String variable) {
  private static final Map<String, Vendor> KNOWN =
      Map.ofEntries(
          Map.entry("openai", openai("https://api.openai.com/v1", "OPENAI_API_KEY")),
          Map.entry("anthropic", of("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY")),
          Map.entry("mistral", of("mistral", "https://api.mistral.ai", "MISTRAL_API_KEY")),
          Map.entry(
              "gemini",
              of("gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY")),
          Map.entry("groq", openai("https://api.groq.com/openai/v1", "GROQ_API_KEY")),
          Map.entry("deepseek", openai("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY")),
          Map.entry("together_ai", openai("https://api.together.xyz/v1", "TOGETHERAI_API_KEY")),
          Map.entry("openrouter", openai("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")),
          Map.entry(
              "fireworks_ai",
              openai("https://api.fireworks.ai/inference/v1", "FIREWORKS_AI_API_KEY")),
          Map.entry("xai", openai("https://api.x.ai/v1", "XAI_API_KEY")),
          Map.entry("cerebras", openai("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY")),
          Map.entry("moonshot", openai("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY")),
          Map.entry("ollama", openai("http://localhost:11434/v1", null)),
          Map.entry("ollama_chat", openai("http://localhost:11434/v1", null)),
          Map.entry("azure", openai(null, "AZURE_API_KEY")),
          Map.entry("azure_ai", openai(null, "AZURE_AI_API_KEY")),
          Map.entry("hosted_vllm", openai(null, null)),
          Map.entry("openai_like", openai(null, null)),
          Map.entry("custom_openai", openai(null, null)),
          Map.entry("lm_studio", openai(null, null)));

  private static Vendor of(String dialect, String baseUrl, String variable) {
    return new Vendor(dialect, baseUrl, variable);
  }

  private static Vendor openai(@Nullable String baseUrl, @Nullable String variable) {
    return new Vendor("openai", baseUrl, variable);
  }

  /** The vendor of that name, or null where Mainstay does not speak its API. */
  static @Nullable Vendor named(String name) {
    return KNOWN.get(name.replace('-', '_'));
  }

  /** The name of the vendor at {@code url}, or null where it is no vendor's own. */
  static @Nullable String at(String url) {
    return KNOWN.entrySet().stream()
        .filter(known -> url.equals(known.getValue().baseUrl()))
        .map(Map.Entry::getKey)
        .sorted()
        .findFirst()
        .orElse(null);
  }

  /** The name of the vendor whose models are called so, where a file names none. */
  static String ofModel(String model) {
    if (model.startsWith("claude")) {
      return "anthropic";
    }
    if (model.startsWith("gemini")) {
      return "gemini";
    }
    boolean mistral =
        model.startsWith("mistral")
            || model.startsWith("codestral")
            || model.startsWith("ministral")
            || model.startsWith("magistral");
    return mistral ? "mistral" : "openai";
  }

  /** {@code base} as the vendor's own SDK takes it: without the version that this SDK adds. */
  String base(String base) {
    var trimmed = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    return !dialect.equals("openai") && trimmed.endsWith("/v1")
        ? trimmed.substring(0, trimmed.length() - 3)
        : trimmed;
  }
}
