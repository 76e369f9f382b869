package dev.mainstay.app.translation;

import static java.util.Objects.requireNonNull;

import dev.mainstay.app.translation.Conversation.Assistant;
import dev.mainstay.app.translation.Conversation.Image;
import dev.mainstay.app.translation.Conversation.Pdf;
import dev.mainstay.app.translation.Conversation.Piece;
import dev.mainstay.app.translation.Conversation.Results;
import dev.mainstay.app.translation.Conversation.System;
import dev.mainstay.app.translation.Conversation.Text;
import dev.mainstay.app.translation.Conversation.User;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The dialects that are not Chat's. */
final class OtherDialects {
  private OtherDialects() {}

  // ---- Responses

  static ObjectNode responses(Conversation conversation, String model) {
    var body = Client.object().put("model", model).put("store", false);
    var input = body.putArray("input");
    for (var turn : conversation.turns()) {
      switch (turn) {
        case System system -> {
          if (input.isEmpty()) {
            body.put("instructions", system.text());
          } else {
            input.addObject().put("role", "developer").put("content", system.text());
          }
        }
        case User user -> {
          var content = input.addObject().put("role", "user").putArray("content");
          user.pieces().forEach(piece -> input(piece, content));
        }
        case Assistant said -> {
          if (said.text() != null) {
            input
                .addObject()
                .put("type", "message")
                .put("role", "assistant")
                .putArray("content")
                .addObject()
                .put("type", "output_text")
                .put("text", said.text());
          }
          for (var call : said.calls()) {
            input
                .addObject()
                .put("type", "function_call")
                .put("call_id", call.id())
                .put("name", call.name())
                .put("arguments", call.arguments());
          }
        }
        case Results results -> {
          for (var result : results.results()) {
            input
                .addObject()
                .put("type", "function_call_output")
                .put("call_id", result.call().id())
                .put("output", result.text());
          }
          if (results.more() != null) {
            input.addObject().put("role", "user").put("content", results.more());
          }
        }
      }
    }
    responsesSettings(body, conversation.settings());
    return body;
  }

  private static void input(Piece piece, ArrayNode content) {
    switch (piece) {
      case Text text -> content.addObject().put("type", "input_text").put("text", text.text());
      case Image image ->
          content
              .addObject()
              .put("type", "input_image")
              .put("image_url", "data:image/png;base64," + Conversation.standard(image.png()));
      case Pdf pdf ->
          content
              .addObject()
              .put("type", "input_file")
              .put("filename", "a.pdf")
              .put(
                  "file_data", "data:application/pdf;base64," + Conversation.standard(pdf.bytes()));
    }
  }

  private static void responsesSettings(ObjectNode body, Conversation.Settings settings) {
    body.put("stream", settings.stream());
    if (settings.tools()) {
      var tools = body.putArray("tools");
      for (var name : Conversation.tools()) {
        tools
            .addObject()
            .put("type", "function")
            .put("name", name)
            .put("strict", false)
            .set("parameters", Client.schema());
      }
      var choice = settings.choice();
      if ("look".equals(choice)) {
        body.putObject("tool_choice").put("type", "function").put("name", "look");
      } else if (choice != null) {
        body.put("tool_choice", choice);
      }
      if (settings.parallel() != null) {
        body.put("parallel_tool_calls", settings.parallel());
      }
    }
    if (settings.maxTokens() != null) {
      body.put("max_output_tokens", Math.max(16, settings.maxTokens()));
    }
    if (settings.temperature() != null) {
      body.put("temperature", settings.temperature());
    }
    if (settings.topP() != null) {
      body.put("top_p", settings.topP());
    }
    if (settings.effort() != null) {
      body.putObject("reasoning").put("effort", settings.effort()).put("summary", "auto");
    }
    if (settings.format() != null) {
      var format = body.putObject("text").putObject("format");
      if (settings.format().equals("json")) {
        format.put("type", "json_object");
      } else {
        format.put("type", "json_schema").put("name", "answer").set("schema", Client.schema());
      }
    }
  }

  // ---- Anthropic

  static ObjectNode anthropic(Conversation conversation, String model) {
    var settings = conversation.settings();
    var body = Client.object().put("model", model);
    int most = settings.maxTokens() == null ? 4096 : settings.maxTokens();
    body.put("max_tokens", most).put("stream", settings.stream());
    var messages = body.putArray("messages");
    for (var turn : conversation.turns()) {
      switch (turn) {
        case System system -> {
          var blocks =
              body.path("system") instanceof ArrayNode open ? open : body.putArray("system");
          blocks
              .addObject()
              .put("type", "text")
              .put("text", system.text())
              .putObject("cache_control")
              .put("type", "ephemeral");
        }
        case User user -> {
          var content = messages.addObject().put("role", "user").putArray("content");
          user.pieces().forEach(piece -> block(piece, content));
        }
        case Assistant said -> {
          var content = messages.addObject().put("role", "assistant").putArray("content");
          if (said.thought() != null) {
            content
                .addObject()
                .put("type", "thinking")
                .put("thinking", said.thought())
                .put("signature", "c2lnbmVk");
          }
          if (said.text() != null) {
            content.addObject().put("type", "text").put("text", words(said.text()));
          }
          for (var call : said.calls()) {
            content
                .addObject()
                .put("type", "tool_use")
                .put("id", fit(call.id()))
                .put("name", call.name())
                .set("input", Client.parsed(call.arguments()));
          }
        }
        case Results results -> {
          var content = messages.addObject().put("role", "user").putArray("content");
          for (var result : results.results()) {
            var block =
                content
                    .addObject()
                    .put("type", "tool_result")
                    .put("tool_use_id", fit(result.call().id()));
            if (!result.text().isEmpty()) {
              block.put("content", result.text());
            }
            if (result.error()) {
              block.put("is_error", true);
            }
          }
          if (results.more() != null) {
            content.addObject().put("type", "text").put("text", results.more());
          }
        }
      }
    }
    anthropicSettings(body, settings, most);
    return body;
  }

  /** What Anthropic takes for a text: not nothing, and no blank at the end of an answer begun. */
  private static String words(String text) {
    return text.isBlank() ? "…" : text.stripTrailing();
  }

  private static String fit(String id) {
    return id.replaceAll("[^a-zA-Z0-9_-]", "_");
  }

  private static void block(Piece piece, ArrayNode content) {
    switch (piece) {
      case Text text -> content.addObject().put("type", "text").put("text", words(text.text()));
      case Image image ->
          content
              .addObject()
              .put("type", "image")
              .putObject("source")
              .put("type", "base64")
              .put("media_type", "image/png")
              .put("data", Conversation.standard(image.png()));
      case Pdf pdf ->
          content
              .addObject()
              .put("type", "document")
              .put("title", "a.pdf")
              .putObject("source")
              .put("type", "base64")
              .put("media_type", "application/pdf")
              .put("data", Conversation.standard(pdf.bytes()));
    }
  }

  private static void anthropicSettings(ObjectNode body, Conversation.Settings settings, int most) {
    if (settings.tools()) {
      var tools = body.putArray("tools");
      for (var name : Conversation.tools()) {
        tools.addObject().put("name", name).set("input_schema", Client.schema());
      }
      var choice = settings.choice();
      if (choice != null || settings.parallel() != null) {
        var said = body.putObject("tool_choice");
        switch (choice == null ? "auto" : choice) {
          case "look" -> said.put("type", "tool").put("name", "look");
          case "required" -> said.put("type", "any");
          default -> said.put("type", choice == null ? "auto" : choice);
        }
        if (settings.parallel() != null && !"none".equals(choice)) {
          said.put("disable_parallel_tool_use", !settings.parallel());
        }
      }
    }
    boolean thinks = settings.effort() != null && !settings.effort().equals("none");
    if (settings.temperature() != null && !thinks) {
      body.put("temperature", settings.temperature());
    }
    for (var stop : settings.stops()) {
      if (!stop.isBlank()) {
        body.putArray("stop_sequences").add(stop);
      }
    }
    if (thinks) {
      switch (requireNonNull(settings.effort())) {
        case "minimal" -> body.putObject("thinking").put("type", "adaptive");
        case "low" -> {
          if (most > 1024) {
            body.putObject("thinking").put("type", "enabled").put("budget_tokens", 1024);
          }
        }
        default -> {
          body.putObject("thinking").put("type", "adaptive");
          body.putObject("output_config").put("effort", settings.effort());
        }
      }
    }
    if ("schema".equals(settings.format())) {
      var config =
          body.path("output_config") instanceof ObjectNode open
              ? open
              : body.putObject("output_config");
      config.putObject("format").put("type", "json_schema").set("schema", Client.schema());
    }
  }

  // ---- Gemini

  /** Google's SDKs write results without ids, and media in the URL-safe alphabet. */
  static ObjectNode gemini(Conversation conversation) {
    var body = Client.object();
    var contents = body.putArray("contents");
    for (var turn : conversation.turns()) {
      switch (turn) {
        case System system -> {
          var parts =
              body.path("systemInstruction").path("parts") instanceof ArrayNode open
                  ? open
                  : body.putObject("systemInstruction").putArray("parts");
          parts.addObject().put("text", system.text());
        }
        case User user -> {
          var parts = contents.addObject().put("role", "user").putArray("parts");
          user.pieces().forEach(piece -> part(piece, parts));
        }
        case Assistant said -> {
          var parts = contents.addObject().put("role", "model").putArray("parts");
          if (said.thought() != null) {
            parts.addObject().put("text", said.thought()).put("thought", true);
          }
          if (said.text() != null) {
            parts.addObject().put("text", said.text());
          }
          for (var call : said.calls()) {
            var part = parts.addObject();
            var written = part.putObject("functionCall").put("name", call.name());
            // Those that Gemini's own models made have none.
            if (call.id().length() > 9) {
              written.put("id", call.id());
            } else {
              part.put("thoughtSignature", "-_-_c2lnbmVk");
            }
            written.set("args", Client.parsed(call.arguments()));
          }
        }
        case Results results -> {
          var parts = contents.addObject().put("role", "user").putArray("parts");
          for (var result : results.results()) {
            parts
                .addObject()
                .putObject("functionResponse")
                .put("name", result.call().name())
                .putObject("response")
                .put(result.error() ? "error" : "output", result.text());
          }
          if (results.more() != null) {
            parts.addObject().put("text", results.more());
          }
        }
      }
    }
    geminiSettings(body, conversation.settings());
    return body;
  }

  private static void part(Piece piece, ArrayNode parts) {
    switch (piece) {
      case Text text -> parts.addObject().put("text", text.text());
      case Image image ->
          parts
              .addObject()
              .putObject("inlineData")
              .put("mimeType", "image/png")
              .put("data", Conversation.urlSafe(image.png()));
      case Pdf pdf ->
          parts
              .addObject()
              .putObject("inlineData")
              .put("mimeType", "application/pdf")
              .put("data", Conversation.urlSafe(pdf.bytes()).replace("=", ""));
    }
  }

  private static void geminiSettings(ObjectNode body, Conversation.Settings settings) {
    var config = body.putObject("generationConfig");
    if (settings.tools()) {
      var functions = body.putArray("tools").addObject().putArray("functionDeclarations");
      for (var name : Conversation.tools()) {
        functions.addObject().put("name", name).set("parametersJsonSchema", Client.schema());
      }
      var choice = settings.choice();
      if (choice != null) {
        var said = body.putObject("toolConfig").putObject("functionCallingConfig");
        switch (choice) {
          case "look" -> said.put("mode", "ANY").putArray("allowedFunctionNames").add("look");
          case "required" -> said.put("mode", "ANY");
          default -> said.put("mode", choice.toUpperCase(Locale.ROOT));
        }
      }
    }
    if (settings.maxTokens() != null) {
      config.put("maxOutputTokens", settings.maxTokens());
    }
    if (settings.temperature() != null) {
      config.put("temperature", settings.temperature());
    }
    if (settings.seed() != null) {
      config.put("seed", settings.seed());
    }
    if (!settings.stops().isEmpty()) {
      settings.stops().forEach(config.putArray("stopSequences")::add);
    }
    if (settings.effort() != null) {
      var thinking = config.putObject("thinkingConfig");
      switch (requireNonNull(settings.effort())) {
        case "none" -> thinking.put("thinkingBudget", 0);
        case "max" -> thinking.put("thinkingBudget", -1).put("includeThoughts", true);
        case "xhigh" -> thinking.put("thinkingBudget", 20_000);
        default -> thinking.put("thinkingLevel", settings.effort().toUpperCase(Locale.ROOT));
      }
    }
    if (settings.format() != null) {
      config.put("responseMimeType", "application/json");
      if (settings.format().equals("schema")) {
        config.set("responseJsonSchema", Client.schema());
      }
    }
  }
}
