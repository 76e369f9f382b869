package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Seal;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reasoning of earlier answers in Chat's messages. OpenAI has no place for it; {@code
 * reasoning_details} is the one that OpenRouter made common: a list of {@code reasoning.text} with
 * a signature, {@code reasoning.summary} and {@code reasoning.encrypted}, each with the {@code
 * format} of the dialect that made it. What an answer of ours carried there comes back too; its
 * text is then in {@code reasoning_content}.
 */
final class RequestReasoning {
  private RequestReasoning() {}

  static List<Part> read(TranslationContext context, Node message) {
    var parts = new ArrayList<Part>();
    if (message.get("reasoning_details") instanceof Node details) {
      boolean alone = details.elements().size() == 1;
      for (var detail : details.elements()) {
        if (detail(message, detail, alone) instanceof Part part) {
          parts.add(context.at(detail, part));
        }
      }
    }
    return parts;
  }

  private static @Nullable Part detail(Node message, Node detail, boolean alone) {
    var of = dialect(detail.string("format"));
    var type = detail.string("type");
    if (type == null) {
      return null;
    }
    return switch (type) {
      case "reasoning.text" -> {
        var text = detail.string("text");
        yield new Part.Reasoning(
            text == null ? "" : text,
            of == null ? null : Seal.read(of, detail.string("signature")));
      }
      case "reasoning.summary" -> {
        var text = detail.string("summary");
        yield text == null ? null : new Part.Reasoning(text, null);
      }
      case "reasoning.encrypted" -> encrypted(message, detail, of, alone);
      default -> null;
    };
  }

  private static @Nullable Part encrypted(
      Node message, Node detail, @Nullable Dialect of, boolean alone) {
    var data = detail.string("data");
    if (data == null) {
      return null;
    }
    if (Seals.read(data) instanceof Seals.Carried carried) {
      return carried(message, detail, Seal.of(carried), alone);
    }
    if (of == null) {
      return null;
    }
    return new Part.Reasoning(
        "",
        of == Dialect.ANTHROPIC
            ? new Seal(of, Tree.object().put("type", "redacted_thinking").put("data", data))
            : new Seal(of, Body.of(data)));
  }

  /** A signature is worth nothing without the very text it signs. */
  private static @Nullable Part carried(
      Node message, Node detail, @Nullable Seal seal, boolean alone) {
    if (seal == null) {
      return null;
    }
    if (!seal.isOf(Dialect.ANTHROPIC) || !seal.value().isString()) {
      return new Part.Reasoning("", seal);
    }
    var text = detail.string("text");
    if (text == null && alone) {
      text = message.string("reasoning_content");
    }
    return text == null ? null : new Part.Reasoning(text, seal);
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
    return format.startsWith("openai-responses") ? Dialect.OPENAI_RESPONSES : null;
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
    var signature = chunk.string("signature");
    if (signature != null && Seals.read(signature) instanceof Seals.Carried carried) {
      return new Part.Reasoning(text.toString(), Seal.of(carried));
    }
    return new Part.Reasoning(text.toString(), new Seal(Dialect.MISTRAL, chunk.json()));
  }

  /**
   * {@code part} with the text of those before it, which go, where it is the signature of theirs:
   * in a stream the text of a thinking chunk comes before its signature.
   */
  static Part joined(List<Part> before, Part part) {
    if (!(part instanceof Part.Reasoning sealed)
        || !sealed.text().isEmpty()
        || !(sealed.seal() instanceof Seal seal)
        || seal.isOf(Dialect.MISTRAL)
        || seal.isOf(Dialect.GEMINI)) {
      return part;
    }
    var text = new StringBuilder();
    while (!before.isEmpty()
        && before.getLast() instanceof Part.Reasoning unsigned
        && unsigned.seal() instanceof Seal own
        && own.isOf(Dialect.MISTRAL)
        && !own.value().has("signature")) {
      text.insert(0, unsigned.text());
      before.removeLast();
    }
    return new Part.Reasoning(text.toString(), seal);
  }
}
