package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Crossing;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Seal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reasoning of earlier answers in Chat's messages. OpenAI has no place for it; {@code
 * reasoning_details} is the one that OpenRouter made common: a list of {@code reasoning.text} with
 * a signature, {@code reasoning.summary} and {@code reasoning.encrypted}, each with the {@code
 * format} of the dialect that made it.
 */
final class RequestReasoning {
  private RequestReasoning() {}

  static List<Part> read(Crossing crossing, Node message) {
    var parts = new ArrayList<Part>();
    if (message.get("reasoning_details") instanceof Node details) {
      for (var detail : details.elements()) {
        if (detail(detail) instanceof Part part) {
          parts.add(crossing.at(detail, part));
        }
      }
    }
    return parts;
  }

  private static @Nullable Part detail(Node detail) {
    var of = dialect(detail.string("format"));
    var type = detail.string("type");
    if (type == null) {
      return null;
    }
    return switch (type) {
      case "reasoning.text" -> {
        var signature = detail.string("signature");
        var text = detail.string("text");
        yield new Part.Reasoning(
            text == null ? "" : text,
            signature == null || of == null ? null : new Seal(of, Body.of(signature)));
      }
      case "reasoning.summary" -> {
        var text = detail.string("summary");
        yield text == null ? null : new Part.Reasoning(text, null);
      }
      case "reasoning.encrypted" -> {
        var data = detail.string("data");
        yield data == null || of == null ? null : new Part.Reasoning("", encrypted(of, data));
      }
      default -> null;
    };
  }

  private static Seal encrypted(Dialect of, String data) {
    return of == Dialect.ANTHROPIC
        ? new Seal(of, Tree.object().put("type", "redacted_thinking").put("data", data))
        : new Seal(of, Body.of(data));
  }

  private static @Nullable Dialect dialect(@Nullable String format) {
    if (format == null) {
      return null;
    }
    if (format.startsWith("anthropic")) {
      return Dialect.ANTHROPIC;
    }
    if (format.startsWith("google")) {
      return Dialect.GEMINI;
    }
    if (format.startsWith("openai-responses")) {
      return Dialect.OPENAI_RESPONSES;
    }
    return format.startsWith("mistral") ? Dialect.MISTRAL : null;
  }

  /** A thinking chunk of Mistral's; all of it is its seal. */
  static Part chunk(Node chunk) {
    var text = new StringBuilder();
    if (chunk.get("thinking") instanceof Node thinking && thinking.isArray()) {
      for (var piece : thinking.elements()) {
        if (piece.string("text") instanceof String more) {
          text.append(more);
        }
      }
    }
    return new Part.Reasoning(text.toString(), new Seal(Dialect.MISTRAL, chunk.json()));
  }
}
