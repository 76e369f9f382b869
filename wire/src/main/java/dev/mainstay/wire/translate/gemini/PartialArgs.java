package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The arguments of a function call that Gemini streams ({@code streamFunctionCallArguments}): each
 * piece says where in them it stands, and a string may come in several. Not thread-safe.
 */
final class PartialArgs {
  private static final Pattern STEP =
      Pattern.compile("\\.([^.\\[\\]]+)|\\[(\\d{1,4})]|\\['((?:[^'\\\\]|\\\\.)*)']");

  private final String id;
  private final ObjectNode args = Tree.object();

  /** Where strings stand that go on. */
  private final Set<String> open = new HashSet<>(2);

  PartialArgs(JsonNode call) {
    id = Tree.text(call, "id");
    add(call);
  }

  /** Whether {@code call} is another piece of this one. */
  boolean goesOnWith(JsonNode call) {
    return Tree.text(call, "name").isEmpty() || (!id.isEmpty() && Tree.text(call, "id").equals(id));
  }

  /** Takes what one {@code functionCall} brings. */
  void add(JsonNode call) {
    if (call.path("args") instanceof ObjectNode whole) {
      args.setAll(whole);
    }
    call.path("partialArgs").forEach(this::piece);
  }

  /** What has come, as JSON. */
  String json() {
    return Tree.write(args);
  }

  private void piece(JsonNode piece) {
    var path = Tree.text(piece, "jsonPath");
    var steps = steps(path);
    if (steps.isEmpty()) {
      return;
    }
    JsonNode holder = args;
    for (int i = 0; i < steps.size() - 1; i++) {
      holder = within(holder, steps.get(i), steps.get(i + 1) instanceof Integer);
      if (holder == null) {
        return;
      }
    }
    var last = steps.getLast();
    var value = value(piece);
    if (value.isString() && open.contains(path)) {
      var before = at(holder, last);
      if (before != null && before.isString()) {
        value = JsonNodeFactory.instance.stringNode(before.stringValue() + value.stringValue());
      }
    }
    if (piece.path("willContinue").asBoolean(false)) {
      open.add(path);
    } else {
      open.remove(path);
    }
    put(holder, last, value);
  }

  private static JsonNode value(JsonNode piece) {
    for (var kind : List.of("stringValue", "numberValue", "boolValue")) {
      if (piece.has(kind)) {
        return piece.get(kind);
      }
    }
    return JsonNodeFactory.instance.nullNode();
  }

  private static List<Object> steps(String path) {
    var steps = new ArrayList<Object>();
    var found = STEP.matcher(path);
    int at = path.startsWith("$") ? 1 : 0;
    while (found.find(at) && found.start() == at) {
      if (found.group(2) != null) {
        steps.add(Integer.valueOf(found.group(2)));
      } else {
        steps.add(found.group(1) != null ? found.group(1) : found.group(3));
      }
      at = found.end();
    }
    return at == path.length() ? steps : List.of();
  }

  private static @Nullable JsonNode at(JsonNode holder, Object step) {
    return step instanceof Integer index ? holder.get(index) : holder.get((String) step);
  }

  private static @Nullable JsonNode within(JsonNode holder, Object step, boolean list) {
    var known = at(holder, step);
    if (known != null && known.isContainer()) {
      return known;
    }
    JsonNode made = list ? Tree.array() : Tree.object();
    return put(holder, step, made) ? made : null;
  }

  private static boolean put(JsonNode holder, Object step, JsonNode value) {
    if (step instanceof Integer index && holder instanceof ArrayNode array) {
      while (array.size() <= index) {
        array.addNull();
      }
      array.set(index, value);
      return true;
    }
    if (step instanceof String name && holder instanceof ObjectNode object) {
      object.set(name, value);
      return true;
    }
    return false;
  }
}
