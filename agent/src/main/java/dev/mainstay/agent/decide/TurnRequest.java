package dev.mainstay.agent.decide;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.DoubleNode;
import tools.jackson.databind.node.StringNode;

/**
 * The request of a model call. A pure function of the run's state, so that a replay builds the same
 * bytes.
 */
public final class TurnRequest {
  private TurnRequest() {}

  /** What {@code call} asks the model in the run {@code run}. */
  public static ModelRequest of(String run, RunState state, NextAction.CallModel call) {
    var definition = state.definition();
    var messages = messages(state);
    var client = state.accepted().request().client();
    var bounds = call.bounds();
    var tools = OfferedTools.of(state);
    var request =
        ModelRequest.of(definition.model(), messages.getFirst())
            .withMessages(messages)
            .withTools(tools)
            .withOrigin(
                new ModelRequest.Origin(
                    client.isEmpty() ? null : client, run, null, definition.name()))
            .withLimits(
                new Limits(
                    Math.max(1, bounds.requests()), Duration.ofMillis(bounds.deadlineMs()), null))
            .withSettings(_ -> settings(definition.recovery(), bounds.restarts()));
    var forked = state.forked();
    if (forked != null && forked.temperature() != null) {
      request = withTemperature(request, forked.temperature());
    }
    // The tools stay in the request, so that the provider's prompt cache keeps hitting.
    return state.answers().isLast() && !tools.isEmpty()
        ? with(request, "tool_choice", StringNode.valueOf("none"))
        : request;
  }

  /** The same request at another temperature. */
  public static ModelRequest withTemperature(ModelRequest request, double temperature) {
    return with(request, "temperature", DoubleNode.valueOf(temperature));
  }

  private static ModelRequest with(ModelRequest request, String option, JsonNode value) {
    var options = new LinkedHashMap<>(request.options());
    options.put(option, value);
    return request.withOptions(options);
  }

  /**
   * A stream that breaks in the middle of an answer fails the call: the run asks again, from the
   * session as it was, and its journal says so.
   */
  private static CallSettings settings(CallSettings own, int restarts) {
    var policy = own.policy();
    return own.withPolicy(
        policy
            .withMidStream(MidStream.ERROR)
            .withBounds(policy.bounds().withStreamRestarts(restarts)));
  }

  private static List<Message> messages(RunState state) {
    var messages = new ArrayList<Message>();
    var instructions = instructions(state.definition());
    if (!instructions.isEmpty()) {
      messages.add(Message.system(instructions));
    }
    messages.addAll(TranscriptRepair.mend(state.transcript()));
    return messages;
  }

  private static String instructions(AgentDefinition definition) {
    var output = definition.output();
    if (output == null) {
      return definition.instructions();
    }
    return (definition.instructions() + "\n\n").stripLeading()
        + "Your final answer must be JSON alone, without any other text, that fits this JSON"
        + " Schema:\n"
        + Tree.write(output.schema());
  }
}
