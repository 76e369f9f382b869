package dev.mainstay.gateway;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which operation a path means, and in which dialect its client speaks. */
final class Faces {
  /**
   * What a path asks for.
   *
   * @param model the model in the path, or null where it stands in the body
   * @param stream whether the path asks for a stream
   */
  record Face(Operation operation, Dialect dialect, @Nullable String model, boolean stream) {}

  private static final String GEMINI_MODELS = "/v1beta/models/";

  private Faces() {}

  /** The face at {@code path}, or null where there is none. */
  static @Nullable Face of(String path, HttpHeaders headers) {
    return switch (path) {
      case "/v1/chat/completions" ->
          new Face(Operation.CHAT, openAiOrMistral(headers), null, false);
      case "/v1/embeddings" ->
          new Face(Operation.EMBEDDINGS, openAiOrMistral(headers), null, false);
      case "/v1/responses" -> new Face(Operation.RESPONSES, Dialect.OPENAI_RESPONSES, null, false);
      case "/v1/messages" -> new Face(Operation.MESSAGES, Dialect.ANTHROPIC, null, false);
      case "/v1/messages/count_tokens" ->
          new Face(Operation.COUNT_TOKENS, Dialect.ANTHROPIC, null, false);
      default -> path.startsWith(GEMINI_MODELS) ? gemini(path) : null;
    };
  }

  private static @Nullable Face gemini(String path) {
    int colon = path.lastIndexOf(':');
    if (colon <= GEMINI_MODELS.length()) {
      return null;
    }
    var model =
        URLDecoder.decode(
            path.substring(GEMINI_MODELS.length(), colon).replace("+", "%2B"),
            StandardCharsets.UTF_8);
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

  /** The dialect in which to tell an error where no face is known. */
  static Dialect dialect(String path, HttpHeaders headers) {
    var face = of(path, headers);
    if (face != null) {
      return face.dialect();
    }
    if (path.startsWith("/v1beta/")) {
      return Dialect.GEMINI;
    }
    return headers.contains("anthropic-version") ? Dialect.ANTHROPIC : openAiOrMistral(headers);
  }

  /** Both clients ask at the same paths; Mistral's say so in their user agent. */
  private static Dialect openAiOrMistral(HttpHeaders headers) {
    var agent = headers.get("user-agent");
    return agent != null && agent.toLowerCase(Locale.ROOT).contains("mistral")
        ? Dialect.MISTRAL
        : Dialect.OPENAI_CHAT;
  }
}
