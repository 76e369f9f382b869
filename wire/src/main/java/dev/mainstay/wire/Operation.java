package dev.mainstay.wire;

import org.jspecify.annotations.Nullable;

/**
 * What a client asks for: which format its body has, and under which path a provider takes it.
 *
 * <p>The path is what follows the provider's base URL as that provider's own SDK takes it: with
 * OpenAI the base URL ends in {@code /v1}, with the others it does not.
 */
public enum Operation {
  CHAT(Dialect.OPENAI_CHAT, true),
  RESPONSES(Dialect.OPENAI_RESPONSES, true),
  EMBEDDINGS(Dialect.OPENAI_CHAT, false),
  MESSAGES(Dialect.ANTHROPIC, true),
  COUNT_TOKENS(Dialect.ANTHROPIC, false),
  GENERATE(Dialect.GEMINI, true),
  GEMINI_COUNT_TOKENS(Dialect.GEMINI, false),
  GEMINI_EMBED(Dialect.GEMINI, false),
  GEMINI_BATCH_EMBED(Dialect.GEMINI, false),
  /** Anything else a provider offers: its bytes are not read. */
  PASS_THROUGH(Dialect.OPENAI_CHAT, false);

  private final Dialect dialect;
  private final boolean generates;

  Operation(Dialect dialect, boolean generates) {
    this.dialect = dialect;
    this.generates = generates;
  }

  /** The dialect its requests and answers are written in. */
  public Dialect dialect() {
    return dialect;
  }

  /** Whether a model writes an answer, so that an empty one is a failure. */
  public boolean generates() {
    return generates;
  }

  /** Whether the model stands in the path rather than in the body. */
  public boolean modelInPath() {
    return dialect == Dialect.GEMINI;
  }

  /** Whether an {@code api} offers this without translation. */
  public boolean offeredBy(Api api) {
    return switch (this) {
      case CHAT, EMBEDDINGS -> api == Api.OPENAI || api == Api.MISTRAL;
      case RESPONSES -> api == Api.OPENAI;
      case MESSAGES, COUNT_TOKENS -> api == Api.ANTHROPIC;
      case GENERATE, GEMINI_COUNT_TOKENS, GEMINI_EMBED, GEMINI_BATCH_EMBED -> api == Api.GEMINI;
      case PASS_THROUGH -> true;
    };
  }

  /**
   * What a provider of {@code api} is asked for in this one's place: the same where it offers it;
   * else, where a model is to write an answer, its own way to ask for one, with a translated body.
   * Null where there is nothing like it there.
   */
  public @Nullable Operation at(Api api) {
    if (offeredBy(api)) {
      return this;
    }
    if (!generates) {
      return null;
    }
    return switch (api) {
      case OPENAI, MISTRAL -> CHAT;
      case ANTHROPIC -> MESSAGES;
      case GEMINI -> GENERATE;
    };
  }

  /** The dialect in which a provider of {@code api}, which offers this, is asked. */
  public Dialect dialectAt(Api api) {
    return api == Api.MISTRAL && dialect == Dialect.OPENAI_CHAT ? Dialect.MISTRAL : dialect;
  }

  /**
   * What to append to the base URL of a provider of {@code api}.
   *
   * @param model the target's model, percent-encoded by the caller where it stands in the path
   * @param stream whether the client asked for a stream
   */
  public String path(Api api, String model, boolean stream) {
    return switch (this) {
      case CHAT -> api == Api.MISTRAL ? "/v1/chat/completions" : "/chat/completions";
      case EMBEDDINGS -> api == Api.MISTRAL ? "/v1/embeddings" : "/embeddings";
      case RESPONSES -> "/responses";
      case MESSAGES -> "/v1/messages";
      case COUNT_TOKENS -> "/v1/messages/count_tokens";
      case GENERATE ->
          "/v1beta/models/"
              + model
              + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
      case GEMINI_COUNT_TOKENS -> "/v1beta/models/" + model + ":countTokens";
      case GEMINI_EMBED -> "/v1beta/models/" + model + ":embedContent";
      case GEMINI_BATCH_EMBED -> "/v1beta/models/" + model + ":batchEmbedContents";
      case PASS_THROUGH -> throw new IllegalStateException("a pass-through keeps its own path");
    };
  }
}
