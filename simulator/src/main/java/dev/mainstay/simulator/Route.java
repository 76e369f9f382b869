package dev.mainstay.simulator;

/** What a path asks for. */
sealed interface Route {
  /** An answer of a model. */
  record Ask(Format format, String provider) implements Route {}

  /** The list of models, or one of them where {@code model} is not empty. */
  record Models(String provider, String model) implements Route {}

  /** Nothing that is simulated. */
  record Unknown() implements Route {}

  OpenAiChat CHAT = new OpenAiChat();
  OpenAiEmbeddings EMBEDDINGS = new OpenAiEmbeddings();

  static Route of(String method, String path) {
    int at = path.indexOf("/v1/");
    if (at < 0) return new Unknown();
    String provider = at == 0 ? "" : path.substring(1, at);
    String rest = path.substring(at + 3);
    if (method.equals("GET") && rest.equals("/models")) return new Models(provider, "");
    if (method.equals("GET") && rest.startsWith("/models/"))
      return new Models(provider, rest.substring(8));
    if (!method.equals("POST")) return new Unknown();
    return switch (rest) {
      case "/chat/completions" -> new Ask(CHAT, provider);
      case "/embeddings" -> new Ask(EMBEDDINGS, provider);
      default -> new Unknown();
    };
  }
}
