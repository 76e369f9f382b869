package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.ToolIds;
import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the messages of OpenAI Chat or Mistral. */
final class RequestMessagesWriter {
  /** Mistral refuses the user's words right after a tool's: "Unexpected role 'user'", code 3230. */
  private static final String BRIDGE = "OK.";

  private final TranslationContext context;
  private final boolean mistral;
  private final RequestParts parts;
  private final ArrayNode messages = Tree.array();

  RequestMessagesWriter(TranslationContext context) {
    this.context = context;
    this.mistral = context.to() == Dialect.MISTRAL;
    this.parts = new RequestParts(context);
  }

  ArrayNode write(List<Turn> turns) {
    for (var turn : mistral ? systemFirst(turns) : turns) {
      switch (turn.role()) {
        case SYSTEM -> message("system", turn, turn.parts());
        case USER -> user(turn);
        case ASSISTANT -> assistant(turn);
      }
    }
    if (mistral) {
      beginAnswer();
    }
    return messages;
  }

  /**
   * Mistral refuses a system message after the assistant's or a tool's, and one at the end: all
   * move to the beginning, and where there is nothing else the last becomes the user's.
   */
  private List<Turn> systemFirst(List<Turn> turns) {
    var ordered = new ArrayList<Turn>();
    var rest = new ArrayList<Turn>();
    for (var turn : turns) {
      if (turn.role() != Role.SYSTEM) {
        rest.add(turn);
      } else {
        if (!rest.isEmpty()) {
          context.lose(Feature.SYSTEM_POSITION, turn);
        }
        ordered.add(turn);
      }
    }
    if (rest.isEmpty() && !ordered.isEmpty()) {
      var last = ordered.removeLast();
      context.lose(Feature.SYSTEM_POSITION, last);
      rest.add(context.instead(last, new Turn(Role.USER, last.parts())));
    }
    ordered.addAll(rest);
    return ordered;
  }

  /** A conversation that ends with the assistant is gone on with; Mistral wants to be told so. */
  private void beginAnswer() {
    if (!messages.isEmpty()
        && messages.get(messages.size() - 1) instanceof ObjectNode last
        && last.path("role").asString("").equals("assistant")
        && !last.has("tool_calls")) {
      last.put("prefix", true);
    }
  }

  private void user(Turn turn) {
    var rest = new ArrayList<Part>();
    for (var part : turn.parts()) {
      if (part instanceof Part.ToolResult result) {
        result(result, rest);
      } else {
        rest.add(part);
      }
    }
    if (!rest.isEmpty() || turn.parts().isEmpty()) {
      if (mistral && followsResult()) {
        context.lose(Feature.TURN_ORDER, turn);
        messages.addObject().put("role", "assistant").put("content", BRIDGE);
      }
      message("user", turn, rest);
    }
  }

  private boolean followsResult() {
    return !messages.isEmpty()
        && messages.get(messages.size() - 1).path("role").asString("").equals("tool");
  }

  /** A tool's result; what Chat's tool messages cannot hold goes into {@code rest}. */
  private void result(Part.ToolResult result, List<Part> rest) {
    var message = messages.addObject();
    message.put("role", "tool");
    var id = ToolIds.fit(context.to(), result.id());
    message.put("tool_call_id", id);
    if (mistral && result.name() != null) {
      message.put("name", result.name());
    }
    if (result.error()) {
      context.lose(Feature.TOOL_RESULT_ERROR, result);
    }
    if (result.cache() != null) {
      context.lose(Feature.CACHE_CONTROL, result);
    }
    var held = new ArrayList<Part>();
    for (var part : result.content()) {
      if (part instanceof Part.Media media
          && !mistral
          && !(media.source() instanceof Source.Plain)) {
        context.lose(Feature.TOOL_RESULT_MEDIA, result);
        rest.add(new Part.Text("Result of tool call " + id + ":", null));
        rest.add(part);
      } else {
        held.add(part);
      }
    }
    message.set("content", parts.content(held));
  }

  private void assistant(Turn turn) {
    var said = new ArrayList<Part>();
    var calls = Tree.array();
    var refusal = new StringBuilder();
    for (var part : turn.parts()) {
      switch (part) {
        case Part.ToolCall call -> call(call, calls);
        case Part.Refusal refused when !mistral -> refusal.append(refused.text());
        default -> said.add(part);
      }
    }
    if (mistral && calls.isEmpty() && said.stream().allMatch(RequestMessagesWriter::isNothing)) {
      return; // Mistral refuses a message of the assistant's that says nothing.
    }
    var message = head("assistant", turn);
    if (said.isEmpty() && (!calls.isEmpty() || !refusal.isEmpty())) {
      message.putNull("content");
    } else {
      message.set("content", parts.content(said));
    }
    if (!refusal.isEmpty()) {
      message.put("refusal", refusal.toString());
    }
    if (!calls.isEmpty()) {
      message.set("tool_calls", calls);
    }
  }

  private static boolean isNothing(Part part) {
    return part instanceof Part.Text text && text.text().isEmpty()
        || part instanceof Part.Reasoning thought
            && (thought.seal() == null || !thought.seal().isOf(Dialect.MISTRAL));
  }

  private void call(Part.ToolCall call, ArrayNode calls) {
    var written = calls.addObject();
    written.put("id", ToolIds.fit(context.to(), call.id()));
    if (call.custom() && context.takesCustomTools()) {
      written.put("type", "custom");
      written
          .putObject("custom")
          .put("name", call.name())
          .put("input", CustomTool.input(call.arguments()));
    } else {
      written.put("type", "function");
      written
          .putObject("function")
          .put("name", call.name())
          .put("arguments", Tree.write(call.arguments()));
    }
    if (call.cache() != null) {
      context.lose(Feature.CACHE_CONTROL, call);
    }
  }

  private void message(String role, Turn turn, List<Part> said) {
    var message = head(role, turn);
    message.set("content", parts.content(said));
  }

  private ObjectNode head(String role, Turn turn) {
    var message = messages.addObject();
    message.put("role", role);
    if (turn.name() != null) {
      if (mistral) {
        context.lose(Feature.PARTICIPANT_NAME, turn);
      } else {
        message.put("name", turn.name());
      }
    }
    return message;
  }
}
