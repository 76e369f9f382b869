package dev.mainstay.wire.repair;

import dev.mainstay.wire.repair.BodyEdits.Piece;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Anthropic wants the results of an assistant's turn in the user's turn after it, before anything
 * else in it. Messages of one role in a row are one turn to it, and so they are here.
 */
final class AnthropicHistory {
  private final byte[] body;
  private final LocatedValue messages;
  private final List<Piece> pieces = new ArrayList<>();
  private int mended;

  private AnthropicHistory(byte[] body, LocatedValue messages) {
    this.body = body;
    this.messages = messages;
  }

  static int mend(byte[] body, LocatedValue request, BodyEdits edits) {
    var messages = request.get("messages");
    if (messages == null || !messages.isArray()) {
      return 0;
    }
    var history = new AnthropicHistory(body, messages);
    history.rewrite();
    if (history.mended > 0) {
      edits.replace(messages, BodyEdits.rewrite(body, messages, history.pieces));
    }
    return history.mended;
  }

  private void rewrite() {
    var items = messages.items();
    Set<String> calls = new LinkedHashSet<>();
    for (int i = 0; i < items.size(); ) {
      int end = i;
      boolean assistant = isAssistant(items.get(i));
      while (end < items.size() && isAssistant(items.get(end)) == assistant) {
        end++;
      }
      if (assistant) {
        assistant(i, end, calls);
        if (end == items.size() && !calls.isEmpty()) {
          mended += calls.size();
          pieces.add(Piece.made(message(missing(calls))));
        }
      } else {
        user(i, end, calls);
        calls.clear();
      }
      i = end;
    }
  }

  private static boolean isAssistant(LocatedValue message) {
    return message.text("role").equals("assistant");
  }

  private void assistant(int from, int to, Set<String> calls) {
    for (int i = from; i < to; i++) {
      var own = new BodyEdits(body);
      var content = messages.items().get(i).get("content");
      if (content != null) {
        own.removeItems(
            content,
            block ->
                block.text("type").equals("tool_use")
                    && !block.text("id").isEmpty()
                    && !calls.add(block.text("id")));
      }
      if (own.isEmpty()) {
        pieces.add(Piece.kept(messages, i));
      } else {
        mended++;
        pieces.add(new Piece(i, own.within(messages.items().get(i))));
      }
    }
  }

  private void user(int from, int to, Set<String> calls) {
    Map<String, LocatedValue> results = new LinkedHashMap<>();
    boolean inOrder = true;
    boolean others = false;
    int wrong = 0;
    for (int i = from; i < to; i++) {
      var content = messages.items().get(i).get("content");
      others |= content != null && content.isString();
      for (var block : content == null ? List.<LocatedValue>of() : content.items()) {
        if (!isResult(block)) {
          others = true;
        } else if (calls.contains(block.text("tool_use_id"))
            && results.putIfAbsent(block.text("tool_use_id"), block) == null) {
          inOrder &= !others;
        } else {
          wrong++;
        }
      }
    }
    wrong += calls.size() - results.size() + (inOrder ? 0 : 1);
    if (wrong == 0) {
      for (int i = from; i < to; i++) {
        pieces.add(Piece.kept(messages, i));
      }
      return;
    }
    mended += wrong;
    var blocks = new ArrayList<String>();
    results.values().forEach(block -> blocks.add(block.json()));
    var unanswered = new LinkedHashSet<>(calls);
    unanswered.removeAll(results.keySet());
    blocks.addAll(missing(unanswered));
    for (int i = from; i < to; i++) {
      others(i, i == from ? blocks : new ArrayList<>(), i == from);
    }
  }

  /** A user's message anew: {@code blocks}, and what is no result in it. */
  private void others(int i, List<String> blocks, boolean stays) {
    var message = messages.items().get(i);
    var content = message.get("content");
    if (content == null) {
      var own = new BodyEdits(body);
      if (!blocks.isEmpty() && message.field("content") == null && message.isObject()) {
        own.addField(message, "content", "[" + String.join(",", blocks) + "]");
      }
      pieces.add(new Piece(i, own.within(message)));
      return;
    }
    if (content.isString()) {
      if (blocks.isEmpty()) {
        pieces.add(Piece.kept(messages, i));
        return;
      }
      // Anthropic refuses blocks of empty text.
      if (!content.text().isBlank()) {
        blocks.add(text(content.json()));
      }
    } else {
      for (var block : content.items()) {
        if (!isResult(block)) {
          blocks.add(block.json());
        }
      }
    }
    if (blocks.isEmpty()) {
      if (!stays) {
        return;
      }
      blocks.add(text(BodyEdits.quoted("[The result of an earlier tool call was here.]")));
    }
    var own = new BodyEdits(body);
    own.replace(content, "[" + String.join(",", blocks) + "]");
    pieces.add(new Piece(i, own.within(message)));
  }

  private static boolean isResult(LocatedValue block) {
    return block.text("type").equals("tool_result");
  }

  private static List<String> missing(Set<String> ids) {
    return ids.stream()
        .map(
            id ->
                "{\"type\":\"tool_result\",\"tool_use_id\":"
                    + BodyEdits.quoted(id)
                    + ",\"is_error\":true,\"content\":"
                    + BodyEdits.quoted(HistoryRepair.NO_RESULT)
                    + "}")
        .toList();
  }

  private static String text(String json) {
    return "{\"type\":\"text\",\"text\":" + json + "}";
  }

  private static String message(List<String> blocks) {
    return "{\"role\":\"user\",\"content\":[" + String.join(",", blocks) + "]}";
  }
}
