package dev.mainstay.gateway.endpoint;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which operation a path means, and in which dialect its client speaks. */
public final class Faces {
  /**
   * What a path asks for.
   *
   * @param model the model in the path, or null where it stands in the body
   * @param stream whether the path asks for a stream
   */
  record Face(Operation operation, Dialect dialect, @Nullable String model, boolean stream) {}

  /** Gemini's client asks for the stable version or the beta; a provider is asked for the beta. */
  private static final List<String> GEMINI_MODELS = List.of("/v1beta/models/", "/v1/models/");

  private Faces() {}

  /** The face at {@code path}, or null where there is none. */
  public static @Nullable Face of(String path, HttpHeaders headers) {
    return switch (path) {
      case "/v1/chat/completions" ->
          new Face(Operation.CHAT, openAiOrMistral(headers), null, false);
      case "/v1/embeddings" ->
          new Face(Operation.EMBEDDINGS, openAiOrMistral(headers), null, false);
      case "/v1/responses" -> new Face(Operation.RESPONSES, Dialect.OPENAI_RESPONSES, null, false);
      case "/v1/messages" -> new Face(Operation.MESSAGES, Dialect.ANTHROPIC, null, false);
      case "/v1/messages/count_tokens" ->
          new Face(Operation.COUNT_TOKENS, Dialect.ANTHROPIC, null, false);
      default -> gemini(path);
    };
  }

  private static @Nullable Face gemini(String path) {
    int colon = path.lastIndexOf(':');
    for (var models : GEMINI_MODELS) {
      if (path.startsWith(models) && colon > models.length()) {
        return gemini(path, colon, decoded(path.substring(models.length(), colon)));
      }
    }
    return null;
  }

  private static @Nullable Face gemini(String path, int colon, String model) {
    return switch (path.substring(colon + 1)) {
      case "generateContent" -> new Face(Operation.GENERATE, Dialect.GEMINI, model, false);
      case "streamGenerateContent" -> new Face(Operation.GENERATE, Dialect.GEMINI, model, true);
      case "countTokens" -> new Face(Operation.GEMINI_COUNT_TOKENS, Dialect.GEMINI, model, false);
      case "embedContent" -> new Face(Operation.GEMINI_EMBED, Dialect.GEMINI, model, false);
      case "batchEmbedContents" ->
          new Face(Operation.GEMINI_BATCH_EMBED, Dialect.GEMINI, model, false);
      default -> null;
    };
  }

  /** The model that a path of the list of models names: empty for all, null for another path. */
  static @Nullable String listed(String path) {
    if (path.equals("/v1/models") || path.equals("/v1beta/models")) {
      return "";
    }
    for (var models : GEMINI_MODELS) {
      if (path.startsWith(models) && path.length() > models.length()) {
        return decoded(path.substring(models.length()));
      }
    }
    return null;
  }

  private static String decoded(String path) {
    try {
      return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return path;
    }
  }

  /** The dialect in which to tell an error where no face is known. */
  public static Dialect dialect(String path, HttpHeaders headers) {
    var face = of(path, headers);
    if (face != null) {
      return face.dialect();
    }
    // Nobody but Gemini's clients sends its key so, whatever the version in the path.
    if (path.startsWith("/v1beta/")
        || path.startsWith("/upload/")
        || headers.contains(RequestHeaders.X_GOOG_API_KEY)
        || headers.contains("x-goog-api-client")) {
      return Dialect.GEMINI;
    }
    return headers.contains(RequestHeaders.ANTHROPIC_VERSION)
        ? Dialect.ANTHROPIC
        : openAiOrMistral(headers);
  }

  /** Both clients ask at the same paths; Mistral's say so in their user agent. */
  private static Dialect openAiOrMistral(HttpHeaders headers) {
    return agentNames(headers, "mistral") ? Dialect.MISTRAL : Dialect.OPENAI_CHAT;
  }

  /** Whether the client is one of OpenAI's own SDKs, by its user agent: OpenAI/Python, say. */
  static boolean openAiSdk(HttpHeaders headers) {
    return agentNames(headers, "openai");
  }

  private static boolean agentNames(HttpHeaders headers, String company) {
    var agent = headers.get(RequestHeaders.USER_AGENT);
    return agent != null && agent.toLowerCase(Locale.ROOT).contains(company);
  }
}
