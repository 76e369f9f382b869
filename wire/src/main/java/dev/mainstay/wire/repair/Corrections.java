package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The request with which a model is asked again: the same, and a note at its end that says what was
 * wrong with the answer nobody has seen. The bad answer itself is not in it, so calls and results
 * stay paired, and everything before the note stays byte for byte, so that the provider's prompt
 * cache keeps hitting. Made from the client's request each time, not from an earlier correction.
 */
public final class Corrections {
  private static final int MAX_MISTAKES = 8;
  private static final int MAX_LENGTH = 4_000;

  private Corrections() {}

  /**
   * {@code body} with a note that its last answer was thrown away, and why.
   *
   * @param mistakes sentences for the model, as {@link ToolCallCheck} and {@link JsonAnswer} word
   *     them
   * @return empty where the request has no place for a note
   */
  public static Optional<byte[]> ask(Dialect dialect, byte[] body, List<String> mistakes) {
    return append(dialect, body, note(mistakes));
  }

  static String note(List<String> mistakes) {
    var what = String.join(" ", mistakes.stream().limit(MAX_MISTAKES).toList());
    if (what.length() > MAX_LENGTH) {
      int end = Character.isHighSurrogate(what.charAt(MAX_LENGTH - 1)) ? 1 : 0;
      what = what.substring(0, MAX_LENGTH - end) + "...";
    }
    return "[Note: your last answer could not be used and was discarded. "
        + what
        + " Please answer again without this mistake.]";
  }

  private static Optional<byte[]> append(Dialect dialect, byte[] body, String note) {
    var request = LocatedValue.object(body);
    if (request == null) {
      return Optional.empty();
    }
    var edits = new BodyEdits(body);
    switch (dialect) {
      case OPENAI_CHAT, MISTRAL, ANTHROPIC -> messages(dialect, request, edits, note);
      case OPENAI_RESPONSES -> responses(request, edits, note);
      case GEMINI -> gemini(request, edits, note);
    }
    return edits.isEmpty() ? Optional.empty() : Optional.of(edits.apply());
  }

  /** Into the last turn that is not the model's: a prefilled answer stays last. */
  private static void messages(
      Dialect dialect, LocatedValue request, BodyEdits edits, String note) {
    var messages = request.get("messages");
    if (messages == null || !messages.isArray()) {
      return;
    }
    var last = lastNotBy("assistant", messages);
    var own = "{\"role\":\"user\",\"content\":" + BodyEdits.quoted(note) + "}";
    if (last == null) {
      first(messages, edits, own);
      return;
    }
    var role = last.text("role");
    // Templates want roles that alternate, and Mistral no user's turn right after a tool's.
    boolean join = role.equals("user") || role.equals("tool") && dialect == Dialect.MISTRAL;
    var content = join ? last.get("content") : null;
    if (content != null && content.isString()) {
      edits.extend(content, "\n\n" + note);
    } else if (content != null && content.isArray()) {
      edits.append(content, "{\"type\":\"text\",\"text\":" + BodyEdits.quoted(note) + "}");
    } else {
      edits.insert(last.end(), "," + own);
    }
  }

  private static @Nullable LocatedValue lastNotBy(String role, LocatedValue turns) {
    for (var turn : turns.items().reversed()) {
      if (!turn.text("role").equals(role)) {
        return turn;
      }
    }
    return null;
  }

  private static void first(LocatedValue turns, BodyEdits edits, String own) {
    if (turns.items().isEmpty()) {
      edits.append(turns, own);
    } else {
      edits.insert(turns.items().getFirst().start(), own + ",");
    }
  }

  private static void responses(LocatedValue request, BodyEdits edits, String note) {
    var input = request.get("input");
    if (input == null) {
      if (request.field("input") == null) {
        edits.addField(request, "input", BodyEdits.quoted(note));
      }
    } else if (input.isString()) {
      edits.extend(input, "\n\n" + note);
    } else if (input.isArray()) {
      edits.append(
          input,
          "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"
              + BodyEdits.quoted(note)
              + "}]}");
    }
  }

  private static void gemini(LocatedValue request, BodyEdits edits, String note) {
    var part = "{\"text\":" + BodyEdits.quoted(note) + "}";
    var own = "{\"role\":\"user\",\"parts\":[" + part + "]}";
    var contents = request.get("contents");
    if (contents == null) {
      return;
    }
    if (contents.isObject()) {
      edits.replace(contents, "[" + contents.json() + "," + own + "]");
      return;
    }
    if (!contents.isArray()) {
      return;
    }
    var last = lastNotBy("model", contents);
    if (last == null) {
      first(contents, edits, own);
      return;
    }
    var parts = last.get("parts");
    boolean results =
        last.list("parts").stream()
            .anyMatch(one -> one.get("functionResponse", "function_response") != null);
    // As many results as calls stand in a turn of their own.
    if (parts != null && parts.isArray() && !results && !last.text("role").equals("function")) {
      edits.append(parts, part);
    } else {
      edits.insert(last.end(), "," + own);
    }
  }
}
