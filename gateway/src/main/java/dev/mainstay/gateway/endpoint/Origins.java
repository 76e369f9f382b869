package dev.mainstay.gateway.endpoint;

import dev.mainstay.config.Config;
import dev.mainstay.config.Provider;
import dev.mainstay.gateway.telemetry.Traces;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who a provider of the configuration is, in the words of OpenTelemetry's conventions for GenAI.
 */
public final class Origins {
  /** Values of {@code gen_ai.provider.name} by a part of the host's name. */
  private static final Map<String, String> HOSTS =
      Map.of(
          "openai.azure.com", "azure.ai.openai",
          "amazonaws.com", "aws.bedrock",
          "aiplatform.googleapis.com", "gcp.vertex_ai",
          "groq.com", "groq",
          "deepseek.com", "deepseek",
          "cohere", "cohere",
          "perplexity.ai", "perplexity",
          "api.x.ai", "x_ai");

  private Origins() {}

  public static Traces.@Nullable Origin of(Config config, String name) {
    var provider = config.providers().get(name);
    if (provider == null) {
      return null;
    }
    var url = provider.baseUrl();
    int port = url.getPort() >= 0 ? url.getPort() : "http".equals(url.getScheme()) ? 80 : 443;
    var host = url.getHost().toLowerCase(Locale.ROOT);
    var known =
        HOSTS.entrySet().stream()
            .filter(each -> host.contains(each.getKey()))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(null);
    return new Traces.Origin(known == null ? dialect(provider) : known, host, port);
  }

  private static String dialect(Provider provider) {
    return switch (provider.api()) {
      case OPENAI -> "openai";
      case ANTHROPIC -> "anthropic";
      case MISTRAL -> "mistral_ai";
      case GEMINI -> "gcp.gemini";
    };
  }
}
