package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.request.Arguments;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the items of {@code input}. An answer is several items: they become one turn again, as do
 * the results that follow it.
 */
final class ResponsesItems {
  private final TranslationContext context;
  private final List<Turn> turns = new ArrayList<>();

  /** Names of the tools by the ids of their calls. */
  private final Map<String, String> called = new HashMap<>();

  private boolean results;

  /** A seal that was carried here for the next call. */
  private @Nullable Seal forCall;

  ResponsesItems(TranslationContext context) {
    this.context = context;
  }

  List<Turn> read(Node input) {
    if (input.isString()) {
      var text = context.at(input, new Part.Text(input.string(), null));
      return List.of(context.at(input, new Turn(Role.USER, List.of(text))));
    }
    for (var item : input.elements()) {
      item(item);
    }
    return turns;
  }

  private void item(Node item) {
    var type = item.string("type");
    if (type == null && item.get("role") == null) {
      type = "item_reference";
    }
    switch (type) {
      case null -> message(item);
      case "message" -> message(item);
      case "function_call", "custom_tool_call" -> answer(item, List.of(call(item, type)));
      case "function_call_output", "custom_tool_call_output" -> result(item);
      case "reasoning" -> answer(item, reasoning(item));
      case "item_reference" ->
          throw context.refuse(
              Feature.ITEM_REFERENCE, item.path(), "an item that a provider keeps cannot be sent");
      case "compaction", "compaction_summary", "compaction_trigger" ->
          throw context.refuse(
              Feature.NATIVE_CONTENT, item.path(), "a conversation made shorter cannot be read");
      default -> context.lose(Feature.NATIVE_CONTENT, item.path());
    }
  }

  private void message(Node item) {
    var role = item.require("role");
    var content = content(item.require("content"));
    switch (role.string()) {
      case "user" -> turn(item, Role.USER, content);
      case "system", "developer" -> turn(item, Role.SYSTEM, content);
      case "assistant" -> answer(item, content);
      default -> throw role.wrong("user, assistant, system or developer");
    }
  }

  private void turn(Node item, Role role, List<Part> parts) {
    turns.add(context.at(item, new Turn(role, parts)));
    results = false;
  }

  private void answer(Node item, List<Part> parts) {
    if (!turns.isEmpty() && turns.getLast().role() == Role.ASSISTANT) {
      append(parts);
    } else {
      turn(item, Role.ASSISTANT, parts);
    }
  }

  private void result(Node item) {
    var id = item.require("call_id").string();
    var result =
        context.at(
            item,
            new Part.ToolResult(
                id, called.get(id), content(item.require("output")), false, cache(item)));
    if (results) {
      append(List.of(result));
    } else {
      turn(item, Role.USER, List.of(result));
      results = true;
    }
  }

  private void append(List<Part> more) {
    var last = turns.removeLast();
    var parts = new ArrayList<>(last.parts());
    parts.addAll(more);
    turns.add(new Turn(last.role(), parts));
  }

  private Part call(Node item, String type) {
    var id = item.require("call_id").string();
    var name = item.require("name").string();
    called.put(id, name);
    var seal = forCall;
    forCall = null;
    boolean custom = type.equals("custom_tool_call");
    var arguments =
        custom
            ? CustomTool.arguments(item.require("input").string())
            : Arguments.read(context, item.get("arguments"));
    return context.at(item, new Part.ToolCall(id, name, arguments, seal, null, custom));
  }

  private List<Part> reasoning(Node item) {
    var sealed = item.string("encrypted_content");
    var carried = sealed == null ? null : Seals.read(sealed);
    var seal = Seal.read(Dialect.OPENAI_RESPONSES, sealed);
    if (carried != null && carried.ofCall()) {
      forCall = seal;
      return List.of();
    }
    // A foreign signature signs the very text that was shown; OpenAI's summary is paragraphs.
    var text = text(item, carried == null ? "\n\n" : "");
    return List.of(context.at(item, new Part.Reasoning(text, seal)));
  }

  private static String text(Node item, String between) {
    var pieces = new ArrayList<String>();
    var shown = item.get("content", "summary");
    if (shown != null) {
      for (var piece : shown.elements()) {
        if (piece.string("text") instanceof String more) {
          pieces.add(more);
        }
      }
    }
    return String.join(between, pieces);
  }

  private List<Part> content(Node content) {
    if (content.isString()) {
      return content.string().isEmpty()
          ? List.of()
          : List.of(context.at(content, new Part.Text(content.string(), null)));
    }
    if (!content.isArray()) {
      throw content.wrong("a string or a list of parts");
    }
    var parts = new ArrayList<Part>();
    for (var part : content.elements()) {
      parts.add(context.at(part, part(part)));
    }
    return parts;
  }

  private Part part(Node part) {
    var type = part.require("type");
    return switch (type.string()) {
      case "input_text", "text" -> new Part.Text(part.require("text").string(), cache(part));
      case "output_text" -> output(part);
      case "refusal" -> new Part.Refusal(part.require("refusal").string());
      case "input_image" -> image(part);
      case "input_file" -> file(part);
      default ->
          throw context.refuse(
              Feature.NATIVE_CONTENT, type.path(), "a part of this type cannot be said");
    };
  }

  private Part output(Node part) {
    if (part.get("annotations") instanceof Node notes && !notes.json().isEmpty()) {
      context.lose(Feature.CITATIONS, notes.path());
    }
    return new Part.Text(part.require("text").string(), cache(part));
  }

  private Part image(Node part) {
    var url = part.string("image_url");
    if (url == null) {
      throw kept(part);
    }
    var detail = part.string("detail");
    return Media.of(Kind.IMAGE, url, null, "auto".equals(detail) ? null : detail, cache(part));
  }

  private Part file(Node part) {
    var name = part.string("filename");
    var url = part.string("file_url");
    if (url != null) {
      return Media.of(Kind.DOCUMENT, url, name, null, cache(part));
    }
    var data = part.string("file_data");
    if (data == null) {
      throw kept(part);
    }
    return data.startsWith("data:")
        ? Media.of(Kind.DOCUMENT, data, name, null, cache(part))
        : new Part.Media(
            Kind.DOCUMENT,
            new Source.Base64(data),
            name == null ? null : Media.mimeType(name),
            name,
            null,
            cache(part));
  }

  private RuntimeException kept(Node part) {
    return context.refuse(
        Feature.PROVIDER_FILE, part.path(), "a file that a provider keeps cannot be sent");
  }

  private static @Nullable CacheMark cache(Node part) {
    return part.get("prompt_cache_breakpoint") instanceof Node mark
        ? new CacheMark(mark.string("ttl") != null)
        : null;
  }
}
