package dev.mainstay.gateway.telemetry;

/** What was asked for, in the words of OpenTelemetry's conventions for GenAI. */
public final class Operations {
  private Operations() {}

  /** The value of {@code gen_ai.operation.name} for a path of a client. */
  public static String name(String path) {
    return path.contains("mbed")
        ? "embeddings"
        : path.startsWith("/v1beta/") ? "generate_content" : "chat";
  }
}
