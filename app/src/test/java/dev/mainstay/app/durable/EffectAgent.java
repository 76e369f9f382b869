package dev.mainstay.app.durable;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.wire.json.Tree;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * An agent with a tool of each effect, and the model it has: the input names the tools to call, a
 * turn a line, and the answer comes after them.
 */
final class EffectAgent {
  static final String NAME = "effects";

  private EffectAgent() {}

  static String tool(Effect effect) {
    return effect.name().toLowerCase(Locale.ROOT);
  }

  /**
   * @param url of the tools
   */
  static AgentDefinition definition(String url) {
    return new AgentDefinition(
        NAME,
        "assistant",
        "",
        AgentDefinition.Limits.DEFAULTS,
        null,
        CallSettings.defaults(),
        Arrays.stream(Effect.values())
            .map(
                effect ->
                    new ToolDefinition(
                        tool(effect),
                        "A tool.",
                        Tree.object().put("type", "object"),
                        new ToolDefinition.Binding.Http("POST", url + "/" + tool(effect)),
                        effect,
                        effect == Effect.QUERYABLE ? url + "/asked?key={key}" : null,
                        new ToolDefinition.CallPolicy(
                            60_000,
                            new ToolDefinition.Retry(3, 20, 2),
                            ToolDefinition.Approval.NEVER,
                            null)))
            .toList());
  }

  /** What the model says next in the conversation of {@code request}. */
  static ModelOutcome answer(ModelRequest request) {
    var evidence = new ModelOutcome.Evidence("call_x", null, List.of());
    var input =
        request.messages().stream()
            .filter(each -> each.role().equals("user"))
            .findFirst()
            .orElseThrow();
    int turn =
        (int) request.messages().stream().filter(each -> each.role().equals("assistant")).count();
    var turns = input.text().split("\n");
    if (turn >= turns.length) {
      return new ModelOutcome.Answered(
          Message.assistant("Done."), ModelOutcome.Ending.STOP, evidence);
    }
    var message = Tree.object().put("role", "assistant");
    message.putNull("content");
    var calls = message.putArray("tool_calls");
    for (var name : turns[turn].split(" ")) {
      var id = "call_" + turn + "_" + calls.size();
      calls
          .addObject()
          .put("id", id)
          .put("type", "function")
          .putObject("function")
          .put("name", name)
          .put("arguments", "{\"id\":\"" + id + "\"}");
    }
    return new ModelOutcome.Answered(
        new Message(message), ModelOutcome.Ending.TOOL_CALLS, evidence);
  }
}
