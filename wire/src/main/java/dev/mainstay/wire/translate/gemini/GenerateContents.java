package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.ToolIds;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Media;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.Seal;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads {@code contents}. Google's SDKs write results, and for their own models calls, without an
 * id, and Gemini pairs them by name and order. The other dialects pair by id: a call without one
 * gets one from its place in the conversation, the same in every request of it, and a result
 * belongs to the call of the latest turn that has its id, or else to the first of its name there
 * that has no result yet.
 */
final class GenerateContents {
  private static final List<String> NATIVE =
      List.of("executableCode", "codeExecutionResult", "toolCall", "toolResponse");

  private final TranslationContext context;

  /** The latest turn's calls that have no result yet: their ids by the function's name. */
  private final Map<String, Deque<String>> unanswered = new HashMap<>();

  private int calls;

  GenerateContents(TranslationContext context) {
    this.context = context;
  }

  Turn system(Node system) {
    if (system.isString()) {
      return context.at(
          system,
          new Turn(Role.SYSTEM, List.of(context.at(system, new Part.Text(system.string(), null)))));
    }
    return context.at(system, new Turn(Role.SYSTEM, parts(system)));
  }

  List<Turn> read(Node contents) {
    var turns = new ArrayList<Turn>();
    var before = Role.USER;
    for (var content : contents.elements()) {
      var role = content.get("role");
      var side =
          role == null
              ? Role.USER
              : switch (role.string()) {
                case "user", "function" -> Role.USER;
                case "model" -> Role.ASSISTANT;
                default -> throw role.wrong("user or model");
              };
      if (side == Role.ASSISTANT && before == Role.USER) {
        unanswered.clear();
      }
      before = side;
      turns.add(context.at(content, new Turn(side, parts(content))));
    }
    return turns;
  }

  private List<Part> parts(Node content) {
    var parts = new ArrayList<Part>();
    var list = content.get("parts");
    if (list != null) {
      for (var part : list.elements()) {
        part(part, parts);
      }
    }
    return parts;
  }

  private void part(Node part, List<Part> parts) {
    var signature = part.string("thoughtSignature");
    if (part.get("functionCall") instanceof Node call) {
      parts.add(context.at(part, call(call, signature)));
      return;
    }
    if (part.get("functionResponse") instanceof Node response) {
      parts.add(context.at(part, result(response)));
      return;
    }
    if (part.get("inlineData") instanceof Node inline) {
      parts.add(context.at(part, inline(inline)));
    } else if (part.get("fileData") instanceof Node file) {
      parts.add(context.at(part, file(file)));
    } else if (part.get("text") instanceof Node text) {
      text(part, text.string(), signature, parts);
      return;
    } else if (NATIVE.stream().anyMatch(name -> part.get(name) != null)) {
      context.lose(Feature.NATIVE_CONTENT, part.path());
    } else if (signature == null) {
      context.lose(Feature.UNKNOWN_FIELD, part.path());
    }
    seal(part, signature, parts);
  }

  private void text(Node part, String text, @Nullable String signature, List<Part> parts) {
    if (Boolean.TRUE.equals(part.bool("thought"))) {
      thought(part, text, Seal.read(Dialect.GEMINI, signature), parts);
      return;
    }
    if (!text.isEmpty()) {
      parts.add(context.at(part, new Part.Text(text, null)));
    }
    seal(part, signature, parts);
  }

  /** A stream's thoughts come in pieces, and what signs them all comes last. */
  private void thought(Node part, String text, @Nullable Seal seal, List<Part> parts) {
    var whole = text;
    while (!parts.isEmpty()
        && parts.getLast() instanceof Part.Reasoning before
        && before.seal() == null) {
      whole = before.text() + whole;
      parts.removeLast();
    }
    parts.add(context.at(part, new Part.Reasoning(whole, seal)));
  }

  private void seal(Node part, @Nullable String signature, List<Part> parts) {
    if (Seal.read(Dialect.GEMINI, signature) instanceof Seal seal) {
      parts.add(context.at(part, new Part.Reasoning("", seal)));
    }
  }

  private Part call(Node call, @Nullable String signature) {
    var name = call.require("name").string();
    var given = call.string("id");
    var id = given;
    if (id == null || id.isEmpty()) {
      id = ToolIds.invent(Dialect.GEMINI, "request", 0, calls);
    }
    unanswered.computeIfAbsent(name, _ -> new ArrayDeque<>()).add(id);
    calls++;
    var args = call.get("args");
    var seal =
        signature == null || signature.equals(GenerateContentsWriter.UNSIGNED)
            ? null
            : Seal.read(Dialect.GEMINI, signature);
    return new Part.ToolCall(id, name, args == null ? Tree.object() : args.object(), seal, null);
  }

  private Part result(Node response) {
    var name = response.require("name").string();
    var id = answered(name, response.string("id"));
    var content = new ArrayList<Part>();
    boolean error = false;
    if (response.get("response") instanceof Node given) {
      var object = given.object();
      error = object.size() == 1 && object.has("error");
      var text = said(object);
      if (!text.isEmpty()) {
        content.add(context.at(given, new Part.Text(text, null)));
      }
    }
    if (response.get("parts") instanceof Node media) {
      for (var part : media.elements()) {
        part(part, content);
      }
    }
    return new Part.ToolResult(id, name, content, error, null);
  }

  /** The id of the call that a result belongs to; its own, or a new one, where there is none. */
  private String answered(String name, @Nullable String given) {
    var waiting = unanswered.getOrDefault(name, new ArrayDeque<>());
    if (given == null || given.isEmpty()) {
      return waiting.isEmpty()
          ? ToolIds.invent(Dialect.GEMINI, "request", 1, calls++)
          : waiting.remove();
    }
    if (!waiting.remove(given)) {
      var invented = waiting.stream().filter(ToolIds::invented).findFirst();
      if (invented.isPresent()) {
        waiting.remove(invented.get());
        return invented.get();
      }
    }
    return given;
  }

  /** Google reads {@code output} and {@code error}, or else the whole object, as the result. */
  private static String said(ObjectNode response) {
    var only = response.size() == 1 ? response.get("output") : null;
    if (only == null && response.size() == 1) {
      only = response.get("error");
    }
    JsonNode result = only == null ? response : only;
    if (result.isString()) {
      return result.stringValue();
    }
    return result.isEmpty() && result.isObject() ? "" : Tree.write(result);
  }

  private Part inline(Node inline) {
    var type = inline.require("mimeType").string();
    return new Part.Media(
        Media.kind(type),
        new Source.Base64(inline.require("data").string()),
        type,
        inline.string("displayName"),
        null,
        null);
  }

  private Part file(Node file) {
    var uri = file.require("fileUri").string();
    if ((!uri.startsWith("https://") && !uri.startsWith("http://"))
        || uri.startsWith("https://generativelanguage.googleapis.com/")) {
      throw context.refuse(
          Feature.PROVIDER_FILE, file.path(), "a file that a provider keeps cannot be sent");
    }
    var type = file.string("mimeType");
    if (type == null) {
      type = Media.mimeType(uri);
    }
    return new Part.Media(
        type == null ? Part.Kind.VIDEO : Media.kind(type),
        new Source.Url(uri),
        type,
        file.string("displayName"),
        null,
        null);
  }
}
