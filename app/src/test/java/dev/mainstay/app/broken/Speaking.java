package dev.mainstay.app.broken;

import java.util.List;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A client's dialect: what it asks, and what it makes of what comes. */
enum Speaking {
  CHAT("openai", "gpt-") {
    @Override
    String body(String model, String more) {
      return "{\"model\":\""
          + model
          + "\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]"
          + more
          + "}";
    }
  },
  MISTRAL("mistral", "mistral-") {
    @Override
    String body(String model, String more) {
      return "{\"model\":\""
          + model
          + "\",\"stream\":true,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]"
          + more
          + "}";
    }
  },
  RESPONSES("openai", "gpt-") {
    @Override
    String body(String model, String more) {
      return "{\"model\":\"" + model + "\",\"stream\":true,\"input\":\"hi\"" + more + "}";
    }
  },
  ANTHROPIC("anthropic", "claude-sonnet-4-5@") {
    @Override
    String body(String model, String more) {
      return "{\"model\":\""
          + model
          + "\",\"stream\":true,\"max_tokens\":500,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]"
          + more
          + "}";
    }
  },
  GEMINI("gemini", "gemini-2.5-") {
    @Override
    String body(String model, String more) {
      return "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]" + more + "}";
    }
  };

  private static final JsonMapper JSON = new JsonMapper();

  final String provider;
  private final String family;

  Speaking(String provider, String family) {
    this.provider = provider;
    this.family = family;
  }

  /** A request for a stream; {@code more} are further fields, each after a comma. */
  abstract String body(String model, String more);

  /** A model of its own for each case, of a family that takes prefills where there is one. */
  String model(int number) {
    return family + "%06d".formatted(number);
  }

  /** Below a base URL. */
  String path(String model) {
    return switch (this) {
      case CHAT, MISTRAL -> "/v1/chat/completions";
      case RESPONSES -> "/v1/responses";
      case ANTHROPIC -> "/v1/messages";
      case GEMINI ->
          "/v1beta/models/" + model.replace("/", "%2F") + ":streamGenerateContent?alt=sse";
    };
  }

  /** What tools {@code look} and {@code send} are offered with. */
  String tools() {
    return switch (this) {
      case CHAT, MISTRAL ->
          ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\",\"parameters\":{\"type\":\"object\"}}},"
              + "{\"type\":\"function\",\"function\":{\"name\":\"send\",\"parameters\":{\"type\":\"object\"}}}]";
      case RESPONSES ->
          ",\"tools\":[{\"type\":\"function\",\"name\":\"look\",\"parameters\":{\"type\":\"object\"}},"
              + "{\"type\":\"function\",\"name\":\"send\",\"parameters\":{\"type\":\"object\"}}]";
      case ANTHROPIC ->
          ",\"tools\":[{\"name\":\"look\",\"input_schema\":{\"type\":\"object\"}},"
              + "{\"name\":\"send\",\"input_schema\":{\"type\":\"object\"}}]";
      case GEMINI ->
          ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"look\"},{\"name\":\"send\"}]}]";
    };
  }

  /** That the answer must be JSON. */
  String json() {
    return switch (this) {
      case CHAT, MISTRAL -> ",\"response_format\":{\"type\":\"json_object\"}";
      case RESPONSES -> ",\"text\":{\"format\":{\"type\":\"json_object\"}}";
      case ANTHROPIC ->
          ",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}}";
      case GEMINI -> ",\"generationConfig\":{\"responseMimeType\":\"application/json\"}";
    };
  }

  /** Whose targets speak another dialect than this client. */
  List<Speaking> others() {
    return Stream.of(CHAT, MISTRAL, ANTHROPIC, GEMINI)
        .filter(other -> other != this && !(this == RESPONSES && other == CHAT))
        .toList();
  }

  /** The dialect that a route falls back to. */
  Speaking next() {
    return switch (this) {
      case CHAT, RESPONSES -> ANTHROPIC;
      case ANTHROPIC, MISTRAL -> GEMINI;
      case GEMINI -> CHAT;
    };
  }

  /** An error event's data. */
  String error() {
    return switch (this) {
      case CHAT, RESPONSES ->
          "{\"error\":{\"message\":\"The server had an error\",\"type\":\"server_error\",\"code\":null,\"param\":null}}";
      case MISTRAL ->
          "{\"object\":\"error\",\"message\":\"Service unavailable\",\"type\":\"internal_server_error\",\"code\":\"3000\"}";
      case ANTHROPIC ->
          "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
      case GEMINI ->
          "{\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}";
    };
  }

  Heard read(String body) {
    var heard = new Heard();
    for (var event : Heard.events(body)) {
      heard.something(event.data());
      if (event.data().equals("[DONE]")) {
        heard.end();
        continue;
      }
      try {
        Reading.of(this, heard, event, JSON.readTree(event.data()));
      } catch (JacksonException e) {
        heard.fault("no JSON: " + event.data());
      }
    }
    if (this == GEMINI && !heard.finishes.isEmpty()) {
      heard.end();
    }
    return heard;
  }
}
