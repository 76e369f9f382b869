package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.request.Arguments;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.CacheMark;
import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Media;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Kind;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.Seal;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the messages of OpenAI Chat or Mistral. */
final class RequestMessages {
  private final TranslationContext context;

  /** Names of the tools by the ids of their calls. */
  private final Map<String, String> called = new HashMap<>();

  /** Seals that were carried here for the next calls, in their order. */
  private final ArrayDeque<Seal> forCalls = new ArrayDeque<>();

  RequestMessages(TranslationContext context) {
    this.context = context;
  }

  List<Turn> read(Node messages) {
    var turns = new ArrayList<Turn>();
    boolean results = false;
    for (var message : messages.elements()) {
      var role = message.require("role");
      boolean result = role.string().equals("tool");
      if (result && results) {
        // The results of one turn's calls are one turn.
        var last = turns.removeLast();
        var parts = new ArrayList<>(last.parts());
        parts.add(result(message));
        turns.add(new Turn(Role.USER, parts));
      } else {
        turns.add(turn(message, role));
      }
      results = result;
    }
    return turns;
  }

  private Turn turn(Node message, Node role) {
    return switch (role.string()) {
      case "system", "developer" ->
          context.at(message, new Turn(Role.SYSTEM, content(message), name(message), false));
      case "user" ->
          context.at(message, new Turn(Role.USER, content(message), name(message), false));
      case "assistant" -> context.at(message, assistant(message));
      case "tool" -> context.at(message, new Turn(Role.USER, List.of(result(message))));
      case "function" ->
          throw context.refuse(
              Feature.LEGACY_FUNCTIONS, role.path(), "the old form of tools cannot be given back");
      default -> throw role.wrong("system, developer, user, assistant or tool");
    };
  }

  private @Nullable String name(Node message) {
    return context.from() == Dialect.MISTRAL ? null : message.string("name");
  }

  private Turn assistant(Node message) {
    forCalls.clear();
    var parts = new ArrayList<Part>(RequestReasoning.read(context, message));
    parts.addAll(content(message));
    if (message.string("refusal") instanceof String refusal && !refusal.isEmpty()) {
      parts.add(context.at(message, new Part.Refusal(refusal)));
    }
    if (message.get("audio") instanceof Node audio) {
      context.lose(Feature.NATIVE_CONTENT, audio.path());
    }
    if (message.get("function_call") instanceof Node old) {
      throw context.refuse(
          Feature.LEGACY_FUNCTIONS, old.path(), "the old form of tools cannot be given back");
    }
    if (message.get("tool_calls") instanceof Node calls) {
      for (var call : calls.elements()) {
        parts.add(call(call));
      }
    }
    var prefix = message.bool("prefix");
    return new Turn(Role.ASSISTANT, parts, name(message), prefix != null && prefix);
  }

  private Part.ToolCall call(Node call) {
    boolean custom = "custom".equals(call.string("type"));
    var made = call.require(custom ? "custom" : "function");
    var id = call.require("id").string();
    var name = made.require("name").string();
    called.put(id, name);
    var arguments =
        custom
            ? CustomTool.arguments(made.require("input").string())
            : Arguments.read(context, made.get("arguments"));
    return context.at(call, new Part.ToolCall(id, name, arguments, seal(call), null, custom));
  }

  private @Nullable Seal seal(Node call) {
    // Where Google's own OpenAI-compatible endpoint puts it.
    var google = call.get("extra_content") instanceof Node extra ? extra.get("google") : null;
    var signature = google == null ? null : google.string("thought_signature");
    return signature == null ? forCalls.poll() : new Seal(Dialect.GEMINI, Body.of(signature));
  }

  private Part.ToolResult result(Node message) {
    var id = message.require("tool_call_id").string();
    var name = message.string("name");
    return context.at(
        message,
        new Part.ToolResult(
            id, name == null ? called.get(id) : name, content(message), false, cache(message)));
  }

  private List<Part> content(Node message) {
    var content = message.get("content");
    if (content == null) {
      return List.of();
    }
    if (content.isString()) {
      return content.string().isEmpty()
          ? List.of()
          : List.of(context.at(content, new Part.Text(content.string(), cache(message))));
    }
    if (!content.isArray()) {
      throw content.wrong("a string or a list of parts");
    }
    var parts = new ArrayList<Part>();
    for (var part : content.elements()) {
      if (part(part) instanceof Part read) {
        parts.add(context.at(part, RequestReasoning.joined(parts, read)));
      }
    }
    return parts;
  }

  private @Nullable Part part(Node part) {
    var type = part.require("type");
    return switch (type.string()) {
      case "text" -> new Part.Text(part.require("text").string(), cache(part));
      case "refusal" -> new Part.Refusal(part.require("refusal").string());
      case "thinking" -> thinking(part);
      case "image_url" -> image(part);
      case "document_url" ->
          Media.of(
              Kind.DOCUMENT,
              part.require("document_url").string(),
              part.string("document_name"),
              null,
              cache(part));
      case "input_audio" -> audio(part);
      case "file" -> file(part);
      case "reference" -> {
        context.lose(Feature.CITATIONS, part.path());
        yield null;
      }
      default ->
          throw context.refuse(
              Feature.NATIVE_CONTENT, type.path(), "a part of this type cannot be said");
    };
  }

  /** Mistral's, or what another dialect's seal was carried in. */
  private @Nullable Part thinking(Node chunk) {
    var signature = chunk.string("signature");
    if (signature != null
        && Seals.read(signature) instanceof Seals.Carried carried
        && carried.ofCall()) {
      if (Seal.of(carried) instanceof Seal seal) {
        forCalls.add(seal);
      }
      return null;
    }
    return RequestReasoning.chunk(chunk);
  }

  private static Part image(Node part) {
    var image = part.require("image_url");
    if (image.isString()) {
      return Media.of(Kind.IMAGE, image.string(), null, null, cache(part));
    }
    var detail = image.string("detail");
    return Media.of(
        Kind.IMAGE,
        image.require("url").string(),
        null,
        "auto".equals(detail) ? null : detail,
        cache(part));
  }

  private static Part audio(Node part) {
    var audio = part.require("input_audio");
    if (audio.isString()) {
      var text = audio.string();
      return text.startsWith("http") || text.startsWith("data:")
          ? Media.of(Kind.AUDIO, text, null, null, cache(part))
          : new Part.Media(Kind.AUDIO, new Source.Base64(text), null, null, null, cache(part));
    }
    var format = audio.require("format").string();
    return new Part.Media(
        Kind.AUDIO,
        new Source.Base64(audio.require("data").string()),
        format.equals("mp3") ? "audio/mpeg" : "audio/" + format,
        null,
        null,
        cache(part));
  }

  private Part file(Node part) {
    var file = part.get("file");
    var data = file == null ? null : file.get("file_data");
    if (file == null || data == null) {
      throw context.refuse(
          Feature.PROVIDER_FILE, part.path(), "a file that a provider keeps cannot be sent");
    }
    var name = file.string("filename");
    var text = data.string();
    if (text.startsWith("data:")) {
      return Media.of(Kind.DOCUMENT, text, name, null, cache(part));
    }
    return new Part.Media(
        Kind.DOCUMENT,
        new Source.Base64(text),
        name == null ? null : Media.mimeType(name),
        name,
        null,
        cache(part));
  }

  /** OpenAI's own mark, or Anthropic's, which clients of gateways send in Chat's parts too. */
  static @Nullable CacheMark cache(Node part) {
    if (part.get("prompt_cache_breakpoint") instanceof Node mark) {
      return new CacheMark(mark.string("ttl") != null);
    }
    if (part.get("cache_control") instanceof Node mark) {
      return new CacheMark("1h".equals(mark.string("ttl")));
    }
    return null;
  }
}
