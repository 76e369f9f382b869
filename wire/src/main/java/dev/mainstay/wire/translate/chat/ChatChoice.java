package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.CustomInput;
import dev.mainstay.wire.translate.Delta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What is known of a choice while it is read: above all, which tool call a piece belongs to. */
final class ChatChoice {
  final int index;
  boolean finished;

  /** Calls that have been told. */
  int calls;

  private final Map<Integer, Call> atIndex = new HashMap<>();
  private @Nullable Call latest;
  private @Nullable Call function;

  /** Custom calls, whose input may go on until the choice finishes: nothing says that it ended. */
  private final List<Call> custom = new ArrayList<>(0);

  ChatChoice(int index) {
    this.index = index;
  }

  /** A call of which the name may be still to come. */
  private static final class Call {
    private String id = "";
    private int number = -1;
    private boolean custom;
    private boolean begun;
    private Delta.@Nullable ReasoningSeal seal;
    private final StringBuilder early = new StringBuilder();
  }

  void call(JsonNode piece, Consumer<Delta> say) {
    var id = Tree.text(piece, "id");
    boolean free = piece.path("custom").isObject();
    var function = piece.path(free ? "custom" : "function");
    var call = of(piece.path("index").asInt(-1), id, !Tree.text(function, "name").isEmpty());
    if (call.id.isEmpty()) {
      call.id = id;
    }
    call.custom |= free;
    var signature = piece.path("extra_content").path("google").path("thought_signature");
    if (signature.isString()) {
      call.seal = new Delta.ReasoningSeal(index, Dialect.GEMINI, signature);
    }
    piece(call, function, say);
  }

  /** The older form, with one call at most and no id. */
  void function(JsonNode piece, Consumer<Delta> say) {
    if (function == null) {
      function = new Call();
    }
    piece(function, piece, say);
  }

  private void piece(Call call, JsonNode function, Consumer<Delta> say) {
    var name = Tree.text(function, "name");
    if (call.number < 0 && !name.isEmpty()) {
      call.number = calls++;
      if (call.custom) {
        custom.add(call);
      }
      say.accept(
          new Delta.ToolCall(
              index,
              call.number,
              call.id.isEmpty() ? null : call.id,
              name,
              call.seal,
              call.custom));
    }
    if (call.custom) {
      input(call, Tree.text(function, "input"));
    } else {
      var arguments = function.path("arguments");
      call.early.append(arguments.isObject() ? Tree.write(arguments) : arguments.stringValue(""));
    }
    if (call.number >= 0 && !call.early.isEmpty()) {
      say.accept(new Delta.Arguments(index, call.number, call.early.toString()));
      call.early.setLength(0);
    }
  }

  private static void input(Call call, String text) {
    call.early.append(call.begun ? CustomInput.more(text) : CustomInput.begin(text));
    call.begun = true;
  }

  /** Nothing follows. */
  void ends(Consumer<Delta> say) {
    custom.forEach(call -> say.accept(new Delta.Arguments(index, call.number, CustomInput.END)));
    custom.clear();
  }

  /**
   * The call that a piece at {@code place} belongs to. A new name under a new id is a new call,
   * also at a place that is taken: some servers give every call the place 0, or none.
   */
  private Call of(int place, String id, boolean named) {
    var there = place < 0 ? latest : atIndex.get(place);
    boolean another =
        there != null
            && named
            && there.number >= 0
            && (id.isEmpty() ? place < 0 : !id.equals(there.id));
    if (there == null || another) {
      there = new Call();
      atIndex.put(place, there);
    }
    latest = there;
    return there;
  }
}
