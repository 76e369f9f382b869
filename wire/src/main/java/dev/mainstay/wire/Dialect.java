package dev.mainstay.wire;

/** A wire format. Where client and target speak the same one, bytes pass through unchanged. */
public enum Dialect {
  OPENAI_CHAT("openai-chat"),
  OPENAI_RESPONSES("openai-responses"),
  /** A variant of OpenAI Chat: the same paths and shapes, other errors, thinking as content. */
  MISTRAL("mistral"),
  ANTHROPIC("anthropic"),
  GEMINI("gemini");

  private final String label;

  Dialect(String label) {
    this.label = label;
  }

  /** The name in records and metrics. */
  public String label() {
    return label;
  }
}
