package dev.mainstay.wire.repair;

import dev.mainstay.wire.repair.BodyEdits.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gemini wants, right after a turn with function calls, one turn with as many function responses.
 * They pair by id where both have one, else by name and order.
 */
final class GeminiHistory {
  private final byte[] body;
  private final LocatedValue contents;
  private final List<Piece> pieces = new ArrayList<>();
  private final boolean alone;
  private int mended;

  private GeminiHistory(byte[] body, LocatedValue contents, boolean alone) {
    this.alone = alone;
    this.body = body;
    this.contents = contents;
  }

  /**
   * @param alone whether nothing else may stand in a turn with function responses
   */
  static int mend(byte[] body, LocatedValue request, BodyEdits edits, boolean alone) {
    var contents = request.get("contents");
    if (contents == null || !contents.isArray()) {
      return 0;
    }
    var history = new GeminiHistory(body, contents, alone);
    history.rewrite();
    if (history.mended > 0) {
      edits.replace(contents, BodyEdits.rewrite(body, contents, history.pieces));
    }
    return history.mended;
  }

  private void rewrite() {
    var items = contents.items();
    for (int i = 0; i < items.size(); ) {
      var content = items.get(i);
      if (content.text("role").equals("model")) {
        var calls = new ArrayList<LocatedValue>();
        while (i < items.size() && items.get(i).text("role").equals("model")) {
          pieces.add(Piece.kept(contents, i));
          calls.addAll(calls(items.get(i)));
          i++;
        }
        int from = i;
        while (i < items.size() && !responses(items.get(i)).isEmpty()) {
          i++;
        }
        answer(calls, from, i);
      } else {
        // Responses that follow no call.
        others(i, List.of());
        i++;
      }
    }
  }

  private static List<LocatedValue> calls(LocatedValue content) {
    return content.list("parts").stream()
        .map(part -> part.get("functionCall", "function_call"))
        .filter(Objects::nonNull)
        .toList();
  }

  private static @Nullable LocatedValue response(LocatedValue part) {
    return part.get("functionResponse", "function_response");
  }

  private static List<LocatedValue> responses(LocatedValue content) {
    return content.text("role").equals("model")
        ? List.of()
        : content.list("parts").stream().filter(part -> response(part) != null).toList();
  }

  /** The turns from {@code from} up to {@code to} have responses in them, to {@code calls}. */
  private void answer(List<LocatedValue> calls, int from, int to) {
    if (calls.isEmpty()) {
      for (int i = from; i < to; i++) {
        others(i, List.of());
      }
      return;
    }
    var left = new ArrayList<LocatedValue>();
    for (int i = from; i < to; i++) {
      left.addAll(responses(contents.items().get(i)));
    }
    if (to - from == 1 && left.size() == calls.size()) {
      // As many as are due: whether they are the right ones, Gemini does not ask.
      keep(from);
      return;
    }
    var answers = new ArrayList<String>();
    int missing = 0;
    for (var call : calls) {
      var part = take(left, call);
      missing += part == null ? 1 : 0;
      answers.add(part == null ? none(call) : part.json());
    }
    mended += missing + left.size() + (to - from > 1 ? 1 : 0);
    if (from == to) {
      pieces.add(Piece.made("{\"role\":\"user\",\"parts\":[" + String.join(",", answers) + "]}"));
      return;
    }
    write(from, answers);
    for (int i = from + 1; i < to; i++) {
      if (responses(contents.items().get(i)).size()
          < contents.items().get(i).list("parts").size()) {
        write(i, List.of());
      }
    }
  }

  private void keep(int i) {
    var content = contents.items().get(i);
    var others = new ArrayList<String>();
    for (var part : content.list("parts")) {
      if (response(part) == null) {
        others.add(part.json());
      }
    }
    var parts = content.get("parts");
    if (!alone || others.isEmpty() || parts == null) {
      pieces.add(Piece.kept(contents, i));
      return;
    }
    mended++;
    var own = new BodyEdits(body);
    own.removeItems(parts, part -> response(part) == null);
    pieces.add(new Piece(i, own.within(content)));
    pieces.add(Piece.made("{\"role\":\"user\",\"parts\":[" + String.join(",", others) + "]}"));
  }

  private static @Nullable LocatedValue take(List<LocatedValue> left, LocatedValue call) {
    for (boolean byId : new boolean[] {true, false}) {
      for (var part : left) {
        var said = response(part);
        if (said != null
            && (byId
                ? !call.text("id").isEmpty() && said.text("id").equals(call.text("id"))
                : said.text("name").equals(call.text("name"))
                    && (said.text("id").isEmpty() || call.text("id").isEmpty()))) {
          left.remove(part);
          return part;
        }
      }
    }
    return null;
  }

  /** A turn after which no call waits: responses in it are nobody's. */
  private void others(int i, List<String> first) {
    var content = contents.items().get(i);
    var orphans = responses(content);
    if (orphans.isEmpty()) {
      pieces.add(Piece.kept(contents, i));
      return;
    }
    mended += orphans.size();
    write(i, first);
  }

  private void write(int i, List<String> first) {
    var content = contents.items().get(i);
    var parts = new ArrayList<>(first);
    for (var part : content.list("parts")) {
      if (response(part) == null) {
        parts.add(part.json());
      }
    }
    if (parts.isEmpty()) {
      parts.add("{\"text\":\"[The result of an earlier tool call was here.]\"}");
    }
    var list = content.get("parts");
    if (list != null) {
      var own = new BodyEdits(body);
      own.replace(list, "[" + String.join(",", parts) + "]");
      if (first.isEmpty() && content.text("role").equals("function")) {
        var role = content.get("role");
        if (role != null) {
          own.replace(role, "\"user\"");
        }
      }
      pieces.add(new Piece(i, own.within(content)));
    }
  }

  private static String none(LocatedValue call) {
    var id = call.text("id");
    return "{\"functionResponse\":{"
        + (id.isEmpty() ? "" : "\"id\":" + BodyEdits.quoted(id) + ",")
        + "\"name\":"
        + BodyEdits.quoted(call.text("name"))
        + ",\"response\":{\"error\":"
        + BodyEdits.quoted(HistoryRepair.NO_RESULT)
        + "}}}";
  }
}
