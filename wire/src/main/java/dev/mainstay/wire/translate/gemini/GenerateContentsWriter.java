package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.ToolIds;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Media;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes {@code systemInstruction} and {@code contents}. Turns of one side that follow each other
 * become one, in which results of tools come first, in the order of their calls.
 */
final class GenerateContentsWriter {
  /**
   * What Gemini 3 accepts in place of the signature of a call that another model made
   * (ai.google.dev/gemini-api/docs/thought-signatures).
   */
  static final String UNSIGNED = "skip_thought_signature_validator";

  static final int GEMINI_3 = 300;

  private static final String BEGINNING = "(The conversation begins.)";

  private final TranslationContext context;
  private final boolean third;
  private final ArrayNode system = Tree.array();
  private final ArrayNode contents = Tree.array();
  private final Map<String, String> called = new HashMap<>();

  GenerateContentsWriter(TranslationContext context) {
    this.context = context;
    int version = Models.gemini(context.model());
    this.third = version == Models.UNKNOWN || version >= GEMINI_3;
  }

  void write(List<Turn> turns, ObjectNode body) {
    for (var turn : turns) {
      if (turn.name() != null) {
        context.lose(Feature.PARTICIPANT_NAME, turn);
      }
      var parts = parts(turn);
      if (turn.role() == Role.SYSTEM) {
        if (!contents.isEmpty()) {
          context.lose(Feature.SYSTEM_POSITION, turn);
        }
        system.addAll(parts);
      } else if (!parts.isEmpty()) {
        if (contents.isEmpty() && turn.role() == Role.ASSISTANT) {
          context.lose(Feature.FIRST_TURN, turn);
          append("user", Tree.array().add(text(BEGINNING)));
        }
        append(turn.role() == Role.USER ? "user" : "model", parts);
      }
    }
    if (contents.isEmpty() && !system.isEmpty()) {
      context.lose(Feature.SYSTEM_POSITION, "");
      append("user", system);
    } else if (!system.isEmpty()) {
      body.putObject("systemInstruction").set("parts", system);
    }
    if (contents.isEmpty()) {
      throw context.refuse(
          Feature.TEXT, "", "a conversation in which nothing is said cannot be sent");
    }
    contents.forEach(content -> resultsFirst((ObjectNode) content));
    body.set("contents", contents);
  }

  private void append(String role, ArrayNode parts) {
    if (!contents.isEmpty()
        && contents.get(contents.size() - 1) instanceof ObjectNode last
        && last.path("role").asString().equals(role)
        && last.get("parts") instanceof ArrayNode open) {
      open.addAll(parts);
    } else {
      contents.addObject().put("role", role).set("parts", parts);
    }
  }

  private static void resultsFirst(ObjectNode content) {
    var results = new ArrayList<JsonNode>();
    var rest = new ArrayList<JsonNode>();
    for (var part : content.path("parts")) {
      (part.has("functionResponse") ? results : rest).add(part);
    }
    if (!results.isEmpty()) {
      content.set("parts", Tree.array().addAll(results).addAll(rest));
    }
  }

  private ArrayNode parts(Turn turn) {
    var parts = Tree.array();
    boolean firstCall = true;
    for (var part : turn.parts()) {
      if (part.mark() != null) {
        context.lose(Feature.CACHE_CONTROL, part);
      }
      switch (part) {
        case Part.Text text -> addText(parts, text.text());
        case Part.Refusal refusal -> {
          context.lose(Feature.REFUSAL, refusal);
          addText(parts, refusal.text());
        }
        case Part.Media media -> parts.add(media(media));
        case Part.ToolCall call -> {
          parts.add(call(call, firstCall));
          firstCall = false;
        }
        case Part.ToolResult result -> result(result, parts);
        case Part.Reasoning reasoning -> reasoning(reasoning, parts);
      }
    }
    return parts;
  }

  private static void addText(ArrayNode parts, String text) {
    if (!text.isEmpty()) {
      parts.add(text(text));
    }
  }

  private static ObjectNode text(String text) {
    return Tree.object().put("text", text);
  }

  private ObjectNode call(Part.ToolCall call, boolean first) {
    called.put(call.id(), call.name());
    var part = Tree.object();
    var written = part.putObject("functionCall");
    id(written, call.id());
    written.put("name", call.name()).set("args", call.arguments());
    var seal = call.seal();
    if (seal != null && seal.isOf(Dialect.GEMINI)) {
      part.set("thoughtSignature", seal.value());
    } else if (third && first) {
      part.put("thoughtSignature", UNSIGNED);
    }
    return part;
  }

  private static void id(ObjectNode written, String id) {
    if (!id.isEmpty() && !ToolIds.invented(id)) {
      written.put("id", ToolIds.fit(Dialect.GEMINI, id));
    }
  }

  private void result(Part.ToolResult result, ArrayNode parts) {
    var part = parts.addObject();
    var written = part.putObject("functionResponse");
    id(written, result.id());
    var name = result.name() == null ? called.get(result.id()) : result.name();
    if (name == null) {
      throw context.refuse(
          Feature.TOOL_RESULTS,
          context.place(result),
          "the result of a call that is not in the conversation cannot be given");
    }
    written.put("name", name);
    var texts = new ArrayList<String>();
    var media = Tree.array();
    for (var piece : result.content()) {
      switch (piece) {
        case Part.Text text -> texts.add(text.text());
        case Part.Media held -> media.add(media(held));
        // Results hold nothing else.
        default -> {}
      }
      if (piece.mark() != null) {
        context.lose(Feature.CACHE_CONTROL, piece);
      }
    }
    written.set("response", response(String.join("\n", texts), result.error()));
    if (media.isEmpty()) {
      return;
    }
    if (third) {
      written.set("parts", media);
    } else {
      context.lose(Feature.TOOL_RESULT_MEDIA, result);
      parts.addAll(media);
    }
  }

  /** A result that is a JSON object as it is, any other as {@code output}. */
  private static ObjectNode response(String text, boolean error) {
    if (error) {
      return Tree.object().put("error", text);
    }
    return text.startsWith("{")
            && Body.parse(text) instanceof ObjectNode object
            && !object.has("output")
            && !object.has("error")
        ? object
        : Tree.object().put("output", text);
  }

  private void reasoning(Part.Reasoning reasoning, ArrayNode parts) {
    var seal = reasoning.seal();
    if (seal == null || !seal.isOf(Dialect.GEMINI)) {
      context.lose(Feature.REASONING_HISTORY, reasoning);
      return;
    }
    var part = parts.addObject().put("text", reasoning.text());
    if (!reasoning.text().isEmpty()) {
      part.put("thought", true);
    }
    part.set("thoughtSignature", seal.value());
  }

  private ObjectNode media(Part.Media media) {
    if (media.detail() != null) {
      context.lose(Feature.IMAGE_DETAIL, media);
    }
    if (media.name() != null
        && !media.name().equals(Media.UNNAMED)
        && !(media.source() instanceof Source.Plain)) {
      context.lose(Feature.DOCUMENT_NAME, media);
    }
    return switch (media.source()) {
      case Source.Plain plain -> {
        context.lose(Feature.PLAIN_DOCUMENT, media);
        yield text(media.name() == null ? plain.text() : media.name() + "\n\n" + plain.text());
      }
      case Source.Url url -> {
        var part = Tree.object();
        part.putObject("fileData").put("mimeType", mimeType(media)).put("fileUri", url.url());
        yield part;
      }
      case Source.Base64 base64 -> inline(media, base64.data());
    };
  }

  private static ObjectNode inline(Part.Media media, String data) {
    var part = Tree.object();
    part.putObject("inlineData").put("mimeType", mimeType(media)).put("data", data);
    return part;
  }

  private static String mimeType(Part.Media media) {
    if (media.mimeType() != null) {
      return media.mimeType();
    }
    return switch (media.kind()) {
      case IMAGE -> "image/jpeg";
      case DOCUMENT -> "application/pdf";
      case AUDIO -> "audio/wav";
      case VIDEO -> "video/mp4";
    };
  }
}
