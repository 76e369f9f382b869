package dev.mainstay.app.broken;

import java.util.List;

/** The official Java SDKs that read streams. */
enum Sdk {
  OPENAI_CHAT(Speaking.CHAT, "stop", "tool_calls") {
    @Override
    Client at(String base) {
      return new SdkClient.OpenAiChat(base);
    }
  },
  OPENAI_RESPONSES(Speaking.RESPONSES, "completed", "completed") {
    @Override
    Client at(String base) {
      return new SdkClient.OpenAiResponses(base);
    }
  },
  ANTHROPIC(Speaking.ANTHROPIC, "end_turn", "tool_use") {
    @Override
    Client at(String base) {
      return new SdkClient.AnthropicMessages(base);
    }
  };

  final Speaking dialect;
  private final String stopped;
  private final String called;

  Sdk(Speaking dialect, String stopped, String called) {
    this.dialect = dialect;
    this.stopped = stopped;
    this.called = called;
  }

  abstract Client at(String base);

  /** The one ending of a whole answer, as the SDK says it. */
  List<String> ending(boolean calling) {
    return List.of(calling ? called : stopped);
  }
}
