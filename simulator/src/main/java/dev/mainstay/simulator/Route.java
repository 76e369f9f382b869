package dev.mainstay.simulator;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a path asks for. */
sealed interface Route {
  /** An answer of a model. */
  record ModelRequest(Format format, String provider) implements Route {}

  /**
   * The list of models, or one of them where {@code model} is not empty.
   *
   * @param gemini whether in Gemini's shape
   */
  record Models(String provider, String model, boolean gemini) implements Route {}

  /** Nothing that is simulated. */
  record Unknown() implements Route {}

  /** {@code body}: tells OpenAI's requests from Mistral's, which come on the same paths. */
  static Route of(String method, String path, String query, JsonNode body) {
    int beta = path.indexOf("/v1beta/");
    if (beta >= 0) return gemini(method, provider(path, beta), path.substring(beta + 7), query);
    int at = path.indexOf("/v1/");
    if (at < 0) return new Unknown();
    String provider = provider(path, at);
    String rest = path.substring(at + 3);
    if (method.equals("GET") && rest.equals("/models")) return new Models(provider, "", false);
    if (method.equals("GET") && rest.startsWith("/models/")) {
      return new Models(provider, rest.substring(8), false);
    }
    if (rest.startsWith("/models/")) return gemini(method, provider, rest, query);
    if (!method.equals("POST")) return new Unknown();
    @Nullable Format format =
        switch (rest) {
          case "/chat/completions" ->
              Mistral.isMeant(provider, body.path("model").asString(""))
                  ? new Mistral()
                  : new OpenAiChat();
          case "/responses" -> new Responses();
          case "/embeddings" -> new OpenAiEmbeddings();
          case "/messages" -> new Anthropic();
          case "/messages/count_tokens" -> SecondaryFormat.ANTHROPIC_TOKENS;
          default -> null;
        };
    return format == null ? new Unknown() : new ModelRequest(format, provider);
  }

  private static String provider(String path, int end) {
    return end == 0 ? "" : path.substring(1, end);
  }

  private static Route gemini(String method, String provider, String rest, String query) {
    if (method.equals("GET") && rest.equals("/models")) return new Models(provider, "", true);
    if (!rest.startsWith("/models/")) return new Unknown();
    String name = URLDecoder.decode(rest.substring(8), StandardCharsets.UTF_8);
    if (method.equals("GET")) return new Models(provider, name, true);
    int colon = name.lastIndexOf(':');
    if (colon < 0 || !method.equals("POST")) return new Unknown();
    String model = name.substring(0, colon);
    @Nullable Format format =
        switch (name.substring(colon + 1)) {
          case "generateContent" -> new Gemini(model, false, false);
          case "streamGenerateContent" -> new Gemini(model, true, query.contains("alt=sse"));
          case "countTokens" -> SecondaryFormat.geminiTokens(model);
          case "embedContent" -> SecondaryFormat.geminiEmbedding(model);
          case "batchEmbedContents" -> SecondaryFormat.geminiEmbeddings(model);
          default -> null;
        };
    return format == null ? new Unknown() : new ModelRequest(format, provider);
  }
}
