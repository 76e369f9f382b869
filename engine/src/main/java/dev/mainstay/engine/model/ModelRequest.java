package dev.mainstay.engine.model;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One request to a model. Immutable.
 *
 * @param model a name of the configuration, or {@code provider/model}
 * @param messages the conversation so far
 * @param tools what the model may call
 * @param options any other field of an OpenAI Chat request: {@code max_tokens}, {@code
 *     temperature}, {@code response_format}, {@code tool_choice}…; the engine translates it for
 *     each target
 * @param origin on whose behalf the request is made
 * @param limits fewer attempts or less time than the configuration allows
 * @param settings changes how this call is carried out; identity for the route's own settings
 */
public record ModelRequest(
    String model,
    List<Message> messages,
    List<Tool> tools,
    Map<String, JsonNode> options,
    Origin origin,
    Limits limits,
    UnaryOperator<CallSettings> settings) {

  public ModelRequest {
    messages = List.copyOf(messages);
    tools = List.copyOf(tools);
    options = Map.copyOf(options);
    if (model.isBlank()) {
      throw new IllegalArgumentException("a model request names no model");
    }
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("a model request has no messages");
    }
  }

  /**
   * On whose behalf a request is made.
   *
   * @param client the name of a client of the configuration, whose limits and budget then hold;
   *     null for none
   * @param run the run it belongs to, or null
   * @param parent the call or step that makes it, or null
   * @param agent the agent whose run it is, or null
   */
  public record Origin(
      @Nullable String client,
      @Nullable String run,
      @Nullable String parent,
      @Nullable String agent) {
    public static final Origin NONE = new Origin(null, null, null, null);
  }

  /** A request without tools, options or limits. */
  public static ModelRequest of(String model, Message... messages) {
    return new ModelRequest(
        model,
        List.of(messages),
        List.of(),
        Map.of(),
        Origin.NONE,
        Limits.NONE,
        UnaryOperator.identity());
  }

  public ModelRequest withMessages(List<Message> value) {
    return new ModelRequest(model, value, tools, options, origin, limits, settings);
  }

  public ModelRequest withTools(List<Tool> value) {
    return new ModelRequest(model, messages, value, options, origin, limits, settings);
  }

  public ModelRequest withOptions(Map<String, JsonNode> value) {
    return new ModelRequest(model, messages, tools, value, origin, limits, settings);
  }

  public ModelRequest withOrigin(Origin value) {
    return new ModelRequest(model, messages, tools, options, value, limits, settings);
  }

  public ModelRequest withLimits(Limits value) {
    return new ModelRequest(model, messages, tools, options, origin, value, settings);
  }

  public ModelRequest withSettings(UnaryOperator<CallSettings> value) {
    return new ModelRequest(model, messages, tools, options, origin, limits, value);
  }

  /** The request as it enters the engine: an OpenAI Chat request for a stream. */
  public byte[] body() {
    ObjectNode body = Tree.object().put("model", model);
    var list = body.putArray("messages");
    messages.forEach(message -> list.add(message.json()));
    if (!tools.isEmpty()) {
      var offered = body.putArray("tools");
      tools.forEach(tool -> offered.add(tool.json()));
    }
    // In a fixed order, so that equal requests are equal bytes.
    options.keySet().stream().sorted().forEach(name -> body.set(name, options.get(name)));
    body.put("stream", true);
    body.putObject("stream_options").put("include_usage", true);
    return Tree.write(body).getBytes(StandardCharsets.UTF_8);
  }
}
