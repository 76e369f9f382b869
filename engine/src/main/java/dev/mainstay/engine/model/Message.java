package dev.mainstay.engine.model;

import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One message of a conversation. Its form is OpenAI Chat's, which the engine translates for each
 * target; it carries what other dialects need to have sent back, such as signed reasoning.
 *
 * @param json the message; not to be changed any more
 */
public record Message(ObjectNode json) {

  /** Instructions. */
  public static Message system(String text) {
    return of("system", text);
  }

  /** What a person, or the program, says. */
  public static Message user(String text) {
    return of("user", text);
  }

  /** What the model said, without tool calls. */
  public static Message assistant(String text) {
    return of("assistant", text);
  }

  /**
   * The result of a tool call.
   *
   * @param callId the id that the model gave the call
   */
  public static Message toolResult(String callId, String content) {
    var message = of("tool", content);
    message.json.put("tool_call_id", callId);
    return message;
  }

  private static Message of(String role, String text) {
    return new Message(Tree.object().put("role", role).put("content", text));
  }

  /** {@code system}, {@code user}, {@code assistant} or {@code tool}. */
  public String role() {
    return Tree.text(json, "role");
  }

  /** The text, or "" where there is none. */
  public String text() {
    var content = json.path("content");
    if (content.isString()) {
      return content.stringValue();
    }
    var text = new StringBuilder();
    for (var part : content) {
      text.append(Tree.text(part, "text"));
    }
    return text.toString();
  }

  /** The reasoning that came with the message, or "". */
  public String reasoning() {
    return Tree.text(json, "reasoning_content");
  }

  /** The id of the call that a tool's result answers, or null. */
  public @Nullable String toolCallId() {
    return json.path("tool_call_id").stringValue(null);
  }

  /** The tool calls of the model, in order; empty where there are none. */
  public List<ToolCall> toolCalls() {
    var calls = new ArrayList<ToolCall>();
    for (var call : json.path("tool_calls")) {
      var function = call.path("function");
      calls.add(
          new ToolCall(Tree.text(call, "id"), Tree.text(function, "name"), arguments(function)));
    }
    return List.copyOf(calls);
  }

  private static String arguments(JsonNode function) {
    var arguments = Tree.text(function, "arguments");
    return arguments.isEmpty() ? "{}" : arguments;
  }

  /**
   * A tool call of the model.
   *
   * @param id pairs the call with its result
   * @param arguments as JSON text; the engine has checked that it is JSON
   */
  public record ToolCall(String id, String name, String arguments) {}
}
