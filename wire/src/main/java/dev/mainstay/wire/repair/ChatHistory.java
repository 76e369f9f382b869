package dev.mainstay.wire.repair;

import dev.mainstay.wire.repair.BodyEdits.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chat wants the results of an assistant's calls right after it, one for each id. Ids may come
 * again in later turns (some models count from 0 in each), so a result belongs to the last call of
 * its id before it.
 */
final class ChatHistory {
  /** Mistral: "Unexpected role 'user' after role 'tool'", code 3230. */
  private static final String GO_ON =
      "{\"role\":\"assistant\",\"content\":" + BodyEdits.quoted(HistoryRepair.SEEN) + "}";

  private final byte[] body;
  private final LocatedValue messages;
  private final List<Piece> pieces = new ArrayList<>();

  /** The results of each assistant's message, by place and by id; the first of several. */
  private final Map<Integer, Map<String, Integer>> results = new HashMap<>();

  /** All places in {@link #results}. */
  private final Set<Integer> placed = new HashSet<>();

  /** How many messages before a place are no results. */
  private final int[] others;

  private final boolean bridged;
  private int mended;

  private ChatHistory(boolean bridged, byte[] body, LocatedValue messages) {
    this.bridged = bridged;
    this.body = body;
    this.messages = messages;
    this.others = new int[messages.items().size() + 1];
  }

  /**
   * @param bridged whether the model has to speak between a result and a user
   */
  static int mend(boolean bridged, byte[] body, LocatedValue request, BodyEdits edits) {
    var messages = request.get("messages");
    if (messages == null || !messages.isArray()) {
      return 0;
    }
    var history = new ChatHistory(bridged, body, messages);
    history.match();
    history.rewrite();
    if (history.mended > 0) {
      edits.replace(messages, BodyEdits.rewrite(body, messages, history.pieces));
    }
    return history.mended;
  }

  private void match() {
    var callers = new HashMap<String, Integer>();
    for (int i = 0; i < messages.items().size(); i++) {
      var message = messages.items().get(i);
      for (var id : ids(message)) {
        callers.put(id, i);
      }
      others[i + 1] = others[i] + (isResult(message) ? 0 : 1);
      if (isResult(message)) {
        var caller = callers.get(message.text("tool_call_id"));
        if (caller != null) {
          var found = results.computeIfAbsent(caller, k -> new HashMap<>());
          if (found.putIfAbsent(message.text("tool_call_id"), i) == null) {
            placed.add(i);
          }
        }
      }
    }
  }

  private static boolean isResult(LocatedValue message) {
    // Ollama pairs by order and name: what has no id is not ours to judge.
    return message.text("role").equals("tool") && !message.text("tool_call_id").isEmpty();
  }

  private static Set<String> ids(LocatedValue message) {
    var ids = new LinkedHashSet<String>();
    if (message.text("role").equals("assistant")) {
      for (var call : message.list("tool_calls")) {
        if (!call.text("id").isEmpty()) {
          ids.add(call.text("id"));
        }
      }
    }
    return ids;
  }

  private void rewrite() {
    var items = messages.items();
    for (int i = 0; i < items.size(); i++) {
      var message = items.get(i);
      if (isResult(message)) {
        // Placed with its caller, unless it is nobody's or comes twice.
        mended += placed.contains(i) ? 0 : 1;
        continue;
      }
      assistantOrOther(i, message);
      var found = results.getOrDefault(i, Map.of());
      var ids = ids(message);
      for (int at : inOrder(i, ids, found)) {
        pieces.add(Piece.kept(messages, at));
      }
      for (var id : ids) {
        if (!found.containsKey(id)) {
          pieces.add(Piece.made(missing(id)));
          mended++;
        }
      }
      if (bridged && !ids.isEmpty() && userFollows(i)) {
        pieces.add(Piece.made(GO_ON));
        mended++;
      }
    }
  }

  private boolean userFollows(int caller) {
    for (int i = caller + 1; i < messages.items().size(); i++) {
      if (!isResult(messages.items().get(i))) {
        return messages.items().get(i).text("role").equals("user");
      }
    }
    return false;
  }

  /** Results right after their call stay in their order; those from elsewhere follow them. */
  private List<Integer> inOrder(int caller, Set<String> ids, Map<String, Integer> found) {
    var order = new ArrayList<Integer>();
    for (var id : ids) {
      var at = found.get(id);
      if (at != null) {
        order.add(at);
      }
    }
    order.sort(null);
    for (int at : order) {
      mended += others[at] > others[caller + 1] ? 1 : 0;
    }
    return order;
  }

  private void assistantOrOther(int i, LocatedValue message) {
    var calls = message.get("tool_calls");
    if (calls == null || !message.text("role").equals("assistant")) {
      pieces.add(Piece.kept(messages, i));
      return;
    }
    var own = new BodyEdits(body);
    if (calls.items().isEmpty()) {
      // OpenAI: "Invalid 'messages[1].tool_calls': empty array."
      own.removeFields(message, field -> field.name().equals("tool_calls"));
    } else {
      var seen = new HashSet<String>();
      own.removeItems(calls, call -> !call.text("id").isEmpty() && !seen.add(call.text("id")));
    }
    if (own.isEmpty()) {
      pieces.add(Piece.kept(messages, i));
    } else {
      mended++;
      pieces.add(new Piece(i, own.within(message)));
    }
  }

  private static String missing(String id) {
    return "{\"role\":\"tool\",\"tool_call_id\":"
        + BodyEdits.quoted(id)
        + ",\"content\":"
        + BodyEdits.quoted(HistoryRepair.NO_RESULT)
        + "}";
  }
}
