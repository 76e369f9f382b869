package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.CacheMark;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Media;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the content of a message of OpenAI Chat or Mistral. */
final class RequestParts {
  private final TranslationContext context;
  private final boolean mistral;

  RequestParts(TranslationContext context) {
    this.context = context;
    this.mistral = context.to() == Dialect.MISTRAL;
  }

  /** One text as a string, anything else as parts. */
  JsonNode content(List<Part> parts) {
    var list = Tree.array();
    for (var part : parts) {
      var written = part(part);
      if (written != null) {
        list.add(mark(part, written));
      }
    }
    if (list.isEmpty()) {
      return Body.of("");
    }
    var first = list.get(0);
    return list.size() == 1 && first.size() == 2 && first.get("text") instanceof JsonNode text
        ? text
        : list;
  }

  private @Nullable ObjectNode part(Part part) {
    return switch (part) {
      case Part.Text text -> text(text.text());
      case Part.Refusal refusal -> {
        context.lose(Feature.REFUSAL, refusal);
        yield text(refusal.text());
      }
      case Part.Media media -> media(media);
      case Part.Reasoning reasoning -> reasoning(reasoning);
      // Seen to before.
      case Part.ToolCall _, Part.ToolResult _ -> null;
    };
  }

  private @Nullable ObjectNode reasoning(Part.Reasoning reasoning) {
    var seal = reasoning.seal();
    if (mistral
        && seal != null
        && seal.of() == Dialect.MISTRAL
        && seal.value() instanceof ObjectNode chunk) {
      return chunk.deepCopy();
    }
    context.lose(Feature.REASONING_HISTORY, reasoning);
    return null;
  }

  private static ObjectNode text(String text) {
    return Tree.object().put("type", "text").put("text", text);
  }

  private ObjectNode media(Part.Media media) {
    if (media.source() instanceof Source.Plain plain) {
      context.lose(Feature.PLAIN_DOCUMENT, media);
      return text(media.name() == null ? plain.text() : media.name() + "\n\n" + plain.text());
    }
    return switch (media.kind()) {
      case IMAGE -> image(media);
      case DOCUMENT -> mistral ? documentUrl(media) : file(media);
      case AUDIO -> audio(media);
      case VIDEO -> throw context.refuse(Feature.VIDEO, context.place(media));
    };
  }

  private static ObjectNode image(Part.Media media) {
    var part = Tree.object().put("type", "image_url");
    var image = part.putObject("image_url");
    image.put("url", Media.url(media, media.mimeType() == null ? "image/png" : media.mimeType()));
    if (media.detail() != null) {
      image.put("detail", media.detail());
    }
    return part;
  }

  private ObjectNode documentUrl(Part.Media media) {
    var part = Tree.object().put("type", "document_url");
    part.put("document_url", Media.url(media, mimeType(media)));
    if (media.name() != null) {
      part.put("document_name", media.name());
    }
    return part;
  }

  private ObjectNode file(Part.Media media) {
    if (media.source() instanceof Source.Url) {
      throw context.refuse(
          Feature.DOCUMENT, context.place(media), "a document at an address cannot be sent");
    }
    var part = Tree.object().put("type", "file");
    part.putObject("file")
        .put("filename", media.name() == null ? Media.UNNAMED : media.name())
        .put("file_data", Media.url(media, mimeType(media)));
    return part;
  }

  private static String mimeType(Part.Media media) {
    return media.mimeType() == null ? "application/pdf" : media.mimeType();
  }

  private ObjectNode audio(Part.Media media) {
    var part = Tree.object().put("type", "input_audio");
    if (mistral) {
      return part.put(
          "input_audio",
          media.source() instanceof Source.Base64 base64
              ? base64.data()
              : Media.url(media, "audio/wav"));
    }
    if (!(media.source() instanceof Source.Base64 base64)) {
      throw context.refuse(
          Feature.AUDIO, context.place(media), "a sound at an address cannot be sent");
    }
    var format =
        switch (media.mimeType()) {
          case "audio/mpeg", "audio/mp3" -> "mp3";
          case null -> "wav";
          case "audio/wav", "audio/x-wav", "audio/wave" -> "wav";
          default ->
              throw context.refuse(
                  Feature.AUDIO, context.place(media), "sound of this type cannot be sent");
        };
    part.putObject("input_audio").put("data", base64.data()).put("format", format);
    return part;
  }

  private ObjectNode mark(Part part, ObjectNode written) {
    CacheMark cache = part.mark();
    if (cache != null) {
      if (!mistral && Models.gpt(context.model()) >= Models.FIRST_GPT_WITH_BREAKPOINTS) {
        written.putObject("prompt_cache_breakpoint").put("mode", "explicit");
      } else {
        context.lose(Feature.CACHE_CONTROL, part);
      }
    }
    return written;
  }
}
