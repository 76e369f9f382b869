package dev.mainstay.app.translation;

import dev.mainstay.app.translation.Conversation.Assistant;
import dev.mainstay.app.translation.Conversation.Image;
import dev.mainstay.app.translation.Conversation.Pdf;
import dev.mainstay.app.translation.Conversation.Piece;
import dev.mainstay.app.translation.Conversation.Results;
import dev.mainstay.app.translation.Conversation.System;
import dev.mainstay.app.translation.Conversation.Text;
import dev.mainstay.app.translation.Conversation.Turn;
import dev.mainstay.app.translation.Conversation.User;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A client that writes a conversation in its dialect, as its SDK does. */
enum Client {
  OPENAI("OpenAI/Python 2.8.1") {
    @Override
    String path(String model, boolean stream) {
      return "/v1/chat/completions";
    }

    @Override
    ObjectNode body(Conversation conversation, String model) {
      var body = chat(conversation, model, "developer", "max_completion_tokens", "seed");
      if (conversation.settings().stream()) {
        body.putObject("stream_options").put("include_usage", true);
      }
      return body;
    }
  },
  RESPONSES("OpenAI/JS 6.9.1") {
    @Override
    String path(String model, boolean stream) {
      return "/v1/responses";
    }

    @Override
    ObjectNode body(Conversation conversation, String model) {
      return OtherDialects.responses(conversation, model);
    }
  },
  ANTHROPIC("Anthropic/Python 0.75.0") {
    @Override
    String path(String model, boolean stream) {
      return "/v1/messages";
    }

    @Override
    ObjectNode body(Conversation conversation, String model) {
      return OtherDialects.anthropic(conversation, model);
    }
  },
  MISTRAL("mistral-client-python/1.9.11") {
    @Override
    String path(String model, boolean stream) {
      return "/v1/chat/completions";
    }

    @Override
    ObjectNode body(Conversation conversation, String model) {
      var body = chat(conversation, model, "system", "max_tokens", "random_seed");
      var messages = body.path("messages");
      if (conversation.turns().getLast() instanceof Assistant
          && messages.get(messages.size() - 1) instanceof ObjectNode last) {
        last.put("prefix", true);
      }
      return body;
    }
  },
  GEMINI("google-genai-sdk/1.52.0") {
    @Override
    String path(String model, boolean stream) {
      return "/v1beta/models/"
          + model.replace("/", "%2F")
          + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
    }

    @Override
    ObjectNode body(Conversation conversation, String model) {
      return OtherDialects.gemini(conversation);
    }
  };

  private final String agent;

  Client(String agent) {
    this.agent = agent;
  }

  /** How it names itself. */
  String agent() {
    return agent;
  }

  abstract String path(String model, boolean stream);

  abstract ObjectNode body(Conversation conversation, String model);

  static ObjectNode object() {
    return JsonMapper.shared().createObjectNode();
  }

  static JsonNode parsed(String json) {
    return JsonMapper.shared().readTree(json);
  }

  static JsonNode schema() {
    return parsed(
        "{\"type\":\"object\",\"properties\":{\"place\":{\"type\":\"string\"}},\"additionalProperties\":false}");
  }

  /** OpenAI Chat, with the names that differ from OpenAI to Mistral. */
  private static ObjectNode chat(
      Conversation conversation, String model, String systemRole, String maxTokens, String seed) {
    var body = object().put("model", model);
    var messages = body.putArray("messages");
    conversation.turns().forEach(turn -> chat(turn, messages, systemRole));
    var settings = conversation.settings();
    chatSettings(body, settings);
    if (settings.maxTokens() != null) {
      body.put(maxTokens, settings.maxTokens());
    }
    if (settings.seed() != null) {
      body.put(seed, settings.seed());
    }
    return body;
  }

  private static void chat(Turn turn, ArrayNode messages, String systemRole) {
    switch (turn) {
      case System system ->
          messages
              .addObject()
              .put("role", messages.isEmpty() ? systemRole : "system")
              .put("content", system.text());
      case User user -> {
        var message = messages.addObject().put("role", "user");
        if (user.pieces().size() == 1 && user.pieces().getFirst() instanceof Text text) {
          message.put("content", text.text());
        } else {
          var content = message.putArray("content");
          user.pieces().forEach(piece -> chatPart(piece, content, systemRole.equals("system")));
        }
      }
      case Assistant said -> {
        var message = messages.addObject().put("role", "assistant");
        message.put("content", said.text());
        if (!said.calls().isEmpty()) {
          var calls = message.putArray("tool_calls");
          for (var call : said.calls()) {
            calls
                .addObject()
                .put("id", call.id())
                .put("type", "function")
                .putObject("function")
                .put("name", call.name())
                .put("arguments", call.arguments());
          }
        }
      }
      case Results results -> {
        for (var result : results.results()) {
          messages
              .addObject()
              .put("role", "tool")
              .put("tool_call_id", result.call().id())
              .put("content", result.text());
        }
        if (results.more() != null) {
          messages.addObject().put("role", "user").put("content", results.more());
        }
      }
    }
  }

  private static void chatPart(Piece piece, ArrayNode content, boolean mistral) {
    switch (piece) {
      case Text text -> content.addObject().put("type", "text").put("text", text.text());
      case Image image ->
          content
              .addObject()
              .put("type", "image_url")
              .putObject("image_url")
              .put("url", "data:image/png;base64," + Conversation.standard(image.png()));
      case Pdf pdf -> {
        var url = "data:application/pdf;base64," + Conversation.standard(pdf.bytes());
        if (mistral) {
          content.addObject().put("type", "document_url").put("document_url", url);
        } else {
          content
              .addObject()
              .put("type", "file")
              .putObject("file")
              .put("filename", "a.pdf")
              .put("file_data", url);
        }
      }
    }
  }

  private static void chatSettings(ObjectNode body, Conversation.Settings settings) {
    body.put("stream", settings.stream());
    if (settings.tools()) {
      var tools = body.putArray("tools");
      for (var name : Conversation.tools()) {
        tools
            .addObject()
            .put("type", "function")
            .putObject("function")
            .put("name", name)
            .set("parameters", schema());
      }
      var choice = settings.choice();
      if ("look".equals(choice)) {
        body.putObject("tool_choice")
            .put("type", "function")
            .putObject("function")
            .put("name", "look");
      } else if (choice != null) {
        body.put("tool_choice", choice);
      }
      if (settings.parallel() != null) {
        body.put("parallel_tool_calls", settings.parallel());
      }
    }
    if (settings.temperature() != null) {
      body.put("temperature", settings.temperature());
    }
    if (settings.topP() != null) {
      body.put("top_p", settings.topP());
    }
    if (!settings.stops().isEmpty()) {
      settings.stops().forEach(body.putArray("stop")::add);
    }
    if (settings.effort() != null) {
      body.put("reasoning_effort", settings.effort());
    }
    if ("json".equals(settings.format())) {
      body.putObject("response_format").put("type", "json_object");
    } else if (settings.format() != null) {
      body.putObject("response_format")
          .put("type", "json_schema")
          .putObject("json_schema")
          .put("name", "answer")
          .set("schema", schema());
    }
  }

  /** All dialects in order. */
  static List<Client> all() {
    return List.of(values());
  }
}
