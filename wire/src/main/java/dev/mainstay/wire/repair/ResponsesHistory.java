package dev.mainstay.wire.repair;

import dev.mainstay.wire.repair.BodyEdits.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Responses wants one output for each call, anywhere after it. Where part of the conversation is
 * with the provider ({@code previous_response_id}, references), an output without a call may well
 * have it there, and stays.
 */
final class ResponsesHistory {
  /** OpenAI's "No tool output found for function call call_abc.", up to the kind of call. */
  private static final String AWAITS = "No tool output found for ";

  private static final Map<String, String> KINDS =
      Map.of(
          "function call ", "function_call_output", "custom tool call ", "custom_tool_call_output");

  /** An output that the provider waits for. */
  private record Awaited(String type, String id) {}

  private ResponsesHistory() {}

  static int mend(byte[] body, LocatedValue request, BodyEdits edits, String error) {
    var input = request.get("input");
    if (input == null || !input.isArray()) {
      return 0;
    }
    boolean kept = request.get("previous_response_id", "conversation") != null;
    var items = input.items();
    var firstOutput = new HashMap<String, Integer>();
    var calls = new HashMap<String, Integer>();
    for (int i = 0; i < items.size(); i++) {
      var item = items.get(i);
      kept |= item.text("type").equals("item_reference");
      var id = item.text("call_id");
      if (id.isEmpty()) {
        continue;
      }
      if (outputOf(item.text("type")) != null) {
        calls.putIfAbsent(id, i);
      } else if (isOutput(item.text("type"))) {
        firstOutput.putIfAbsent(id, i);
      }
    }
    int mended = 0;
    var pieces = new ArrayList<Piece>();
    var open = new ArrayList<LocatedValue>();
    for (int i = 0; i < items.size(); i++) {
      var item = items.get(i);
      var id = item.text("call_id");
      if (id.isEmpty()) {
        mended += close(open, pieces);
        pieces.add(Piece.kept(input, i));
        continue;
      }
      if (outputOf(item.text("type")) != null) {
        if (calls.getOrDefault(id, i) != i) {
          mended++;
          continue; // the same call again
        }
        pieces.add(Piece.kept(input, i));
        int output = firstOutput.getOrDefault(id, -1);
        if (output < 0) {
          open.add(item);
        } else if (output < i) {
          pieces.add(Piece.kept(input, output));
        }
        continue;
      }
      mended += close(open, pieces);
      if (!isOutput(item.text("type"))) {
        pieces.add(Piece.kept(input, i));
      } else if (firstOutput.getOrDefault(id, i) != i) {
        mended++;
      } else {
        int call = calls.getOrDefault(id, -1);
        if (call > i) {
          mended++; // before its call: it follows that
        } else if (call < 0 && !kept) {
          mended++;
        } else {
          pieces.add(Piece.kept(input, i));
        }
      }
    }
    mended += close(open, pieces);
    var awaited = kept ? awaited(error) : null;
    if (awaited != null && !calls.containsKey(awaited.id) && !firstOutput.containsKey(awaited.id)) {
      // Before anything else: the call is the last thing that the provider keeps.
      pieces.addFirst(Piece.made(output(awaited.type, awaited.id)));
      mended++;
    }
    if (mended > 0) {
      edits.replace(input, BodyEdits.rewrite(body, input, pieces));
    }
    return mended;
  }

  /** After a row of calls, those that nothing answers are answered. */
  private static int close(List<LocatedValue> open, List<Piece> pieces) {
    for (var call : open) {
      var type = outputOf(call.text("type"));
      if (type != null) {
        pieces.add(Piece.made(output(type, call.text("call_id"))));
      }
    }
    int closed = open.size();
    open.clear();
    return closed;
  }

  private static String output(String type, String id) {
    return "{\"type\":\""
        + type
        + "\",\"call_id\":"
        + BodyEdits.quoted(id)
        + ",\"output\":"
        + BodyEdits.quoted(HistoryRepair.NO_RESULT)
        + "}";
  }

  /** What {@code error} says is missing, or null. */
  private static @Nullable Awaited awaited(String error) {
    int at = error.indexOf(AWAITS);
    if (at < 0) {
      return null;
    }
    int kind = at + AWAITS.length();
    for (var known : KINDS.entrySet()) {
      if (error.startsWith(known.getKey(), kind)) {
        var id = id(error, kind + known.getKey().length());
        return id.isEmpty() ? null : new Awaited(known.getValue(), id);
      }
    }
    return null;
  }

  private static String id(String error, int start) {
    int end = start;
    while (end < error.length()
        && end - start < 100
        && (Character.isLetterOrDigit(error.charAt(end)) || error.charAt(end) == '_')) {
      end++;
    }
    return error.substring(start, end);
  }

  private static @Nullable String outputOf(String type) {
    return switch (type) {
      case "function_call" -> "function_call_output";
      case "custom_tool_call" -> "custom_tool_call_output";
      default -> null;
    };
  }

  private static boolean isOutput(String type) {
    return type.equals("function_call_output") || type.equals("custom_tool_call_output");
  }
}
