package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.request.CacheMark;
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

/** Reads the messages of a request and the blocks in them. */
final class RequestBlocks {
  private final TranslationContext context;

  /** Names of the tools by the ids of their calls. */
  private final Map<String, String> called = new HashMap<>();

  /** A seal that was carried here for the next call. */
  private @Nullable Seal forCall;

  RequestBlocks(TranslationContext context) {
    this.context = context;
  }

  List<Turn> turns(Node messages) {
    var turns = new ArrayList<Turn>();
    for (var message : messages.elements()) {
      var name = message.require("role");
      var role =
          switch (name.string()) {
            case "user" -> Role.USER;
            case "assistant" -> Role.ASSISTANT;
            case "system" -> Role.SYSTEM;
            default -> throw name.wrong("user, assistant or system");
          };
      turns.add(context.at(message, new Turn(role, content(message.require("content")))));
    }
    return turns;
  }

  /** A string, or a list of blocks. */
  List<Part> content(Node content) {
    if (content.isString()) {
      return content.string().isEmpty()
          ? List.of()
          : List.of(context.at(content, new Part.Text(content.string(), null)));
    }
    if (!content.isArray()) {
      throw content.wrong("a string or a list of blocks");
    }
    var parts = new ArrayList<Part>();
    for (var block : content.elements()) {
      if (block(block) instanceof Part part) {
        parts.add(context.at(block, part));
      }
    }
    return parts;
  }

  private @Nullable Part block(Node block) {
    var type = block.require("type");
    return switch (type.string()) {
      case "text" -> text(block);
      case "image" -> image(block);
      case "document" -> document(block);
      case "search_result" -> searchResult(block);
      case "tool_use" -> toolUse(block);
      case "tool_result" -> toolResult(block);
      case "thinking" -> thinking(block);
      case "redacted_thinking" -> redacted(block);
      case "container_upload" ->
          throw context.refuse(
              Feature.PROVIDER_FILE, block.path(), "a file that a provider keeps cannot be sent");
      default -> {
        context.lose(Feature.NATIVE_CONTENT, block.path());
        yield null;
      }
    };
  }

  private Part text(Node block) {
    if (block.get("citations") instanceof Node citations && !citations.json().isEmpty()) {
      context.lose(Feature.CITATIONS, citations.path());
    }
    return new Part.Text(block.require("text").string(), cache(block));
  }

  private Part image(Node block) {
    var source = block.require("source");
    var found = source(source);
    var type = found instanceof Source.Url url ? Media.mimeType(url.url()) : null;
    return new Part.Media(
        Kind.IMAGE,
        found,
        type == null ? source.string("media_type") : type,
        null,
        null,
        cache(block));
  }

  private Part document(Node block) {
    if (block.get("citations") instanceof Node citations
        && Boolean.TRUE.equals(citations.bool("enabled"))) {
      context.lose(Feature.CITATIONS, citations.path());
    }
    var source = block.require("source");
    var found = source(source);
    var media = source.string("media_type");
    return new Part.Media(
        Kind.DOCUMENT,
        found,
        found instanceof Source.Plain ? "text/plain" : media == null ? "application/pdf" : media,
        block.string("title"),
        null,
        cache(block));
  }

  private Source source(Node source) {
    var type = source.require("type");
    return switch (type.string()) {
      case "base64" -> new Source.Base64(source.require("data").string());
      case "url" -> new Source.Url(source.require("url").string());
      case "text" -> new Source.Plain(source.require("data").string());
      case "content" -> new Source.Plain(texts(source.require("content")));
      case "file" ->
          throw context.refuse(
              Feature.PROVIDER_FILE, source.path(), "a file that a provider keeps cannot be sent");
      default -> throw type.wrong("base64, url, text, content or file");
    };
  }

  private String texts(Node content) {
    if (content.isString()) {
      return content.string();
    }
    var texts = new ArrayList<String>();
    for (var block : content.elements()) {
      if (!block.require("type").string().equals("text")) {
        throw context.refuse(
            Feature.DOCUMENT, block.path(), "an image within a document cannot be said");
      }
      texts.add(block.require("text").string());
    }
    return String.join("\n", texts);
  }

  private Part searchResult(Node block) {
    return new Part.Media(
        Kind.DOCUMENT,
        new Source.Plain(
            block.require("source").string() + "\n\n" + texts(block.require("content"))),
        "text/plain",
        block.string("title"),
        null,
        cache(block));
  }

  private Part toolUse(Node block) {
    var id = block.require("id").string();
    var name = block.require("name").string();
    called.put(id, name);
    var input = block.get("input");
    var seal = forCall;
    forCall = null;
    return new Part.ToolCall(
        id, name, input == null ? Tree.object() : input.object(), seal, cache(block));
  }

  private Part toolResult(Node block) {
    var id = block.require("tool_use_id").string();
    var content = block.get("content");
    return new Part.ToolResult(
        id,
        called.get(id),
        content == null ? List.of() : content(content),
        Boolean.TRUE.equals(block.bool("is_error")),
        cache(block));
  }

  private Part thinking(Node block) {
    var text = block.string("thinking");
    return new Part.Reasoning(
        text == null ? "" : text, Seal.read(Dialect.ANTHROPIC, block.string("signature")));
  }

  /** Anthropic's own, or what another dialect's seal was carried in. */
  private @Nullable Part redacted(Node block) {
    var carried = Seals.read(block.require("data").string());
    if (carried == null) {
      return new Part.Reasoning("", new Seal(Dialect.ANTHROPIC, block.json()));
    }
    var seal = Seal.of(carried);
    if (carried.ofCall()) {
      forCall = seal;
      return null;
    }
    return seal == null ? null : new Part.Reasoning("", seal);
  }

  static @Nullable CacheMark cache(Node block) {
    return block.get("cache_control") instanceof Node mark
        ? new CacheMark("1h".equals(mark.string("ttl")))
        : null;
  }
}
