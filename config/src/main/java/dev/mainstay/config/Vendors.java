package dev.mainstay.config;

import dev.mainstay.core.classify.Classifier;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whose API a provider's base URL is: that company's prices and rules hold for it. */
final class Vendors {
  /** Hosts, and all names under them. */
  private static final Map<String, String> HOSTS =
      Map.ofEntries(
          Map.entry("openai.com", "openai"),
          Map.entry("anthropic.com", "anthropic"),
          Map.entry("mistral.ai", "mistral"),
          Map.entry("generativelanguage.googleapis.com", "gemini"),
          Map.entry("openai.azure.com", "azure"),
          Map.entry("cognitiveservices.azure.com", "azure"),
          Map.entry("services.ai.azure.com", "azure"),
          Map.entry("amazonaws.com", "bedrock"),
          Map.entry("aiplatform.googleapis.com", "vertex"),
          Map.entry("cohere.com", "cohere"),
          Map.entry("cohere.ai", "cohere"),
          Map.entry("groq.com", "groq"),
          Map.entry("deepseek.com", "deepseek"),
          Map.entry("openrouter.ai", "openrouter"),
          Map.entry("together.xyz", "together"),
          Map.entry("together.ai", "together"),
          Map.entry("fireworks.ai", "fireworks"),
          Map.entry("x.ai", "xai"),
          Map.entry("cerebras.ai", "cerebras"),
          Map.entry("perplexity.ai", "perplexity"),
          Map.entry("dashscope.aliyuncs.com", "dashscope"),
          Map.entry("dashscope-intl.aliyuncs.com", "dashscope"),
          Map.entry("bigmodel.cn", "zhipu"),
          Map.entry("z.ai", "zhipu"),
          Map.entry("moonshot.cn", "moonshot"),
          Map.entry("moonshot.ai", "moonshot"),
          Map.entry("minimax.io", "minimax"),
          Map.entry("minimaxi.com", "minimax"));

  private Vendors() {}

  /** As the file says, else the owner of the base URL, else the provider's name. */
  static String of(Provider provider) {
    if (provider.vendor() != null) {
      return provider.vendor().strip().toLowerCase(Locale.ROOT);
    }
    var owner = owner(provider.baseUrl());
    return owner == null ? provider.name() : owner;
  }

  /** The name of the rule table: the vendor's where there is one, else the dialect's. */
  static String rules(Provider provider) {
    var vendor = of(provider);
    return Classifier.knows(vendor) ? vendor : provider.api().label();
  }

  private static @Nullable String owner(URI url) {
    var host = url.getHost() == null ? "" : url.getHost().toLowerCase(Locale.ROOT);
    while (true) {
      var owner = HOSTS.get(host);
      int dot = host.indexOf('.');
      // Azure's and Amazon's names are regional or the customer's own: "x.openai.azure.com".
      if (owner != null || dot < 0) {
        return owner;
      }
      host = host.substring(dot + 1);
    }
  }
}
