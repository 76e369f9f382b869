package dev.mainstay.agent.api;

import dev.mainstay.agent.ModelCaller;
import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.record.RecordedConversation;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.agent.record.RunStep.Content;
import dev.mainstay.agent.record.RunStep.Kind;
import dev.mainstay.agent.record.RunStep.Use;
import dev.mainstay.agent.replay.RunDiff;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.engine.model.Tool;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * {@code POST /api/calls/ID/replay} makes a recorded call again, with something changed, and {@code
 * GET /api/calls/A/diff/B} compares two. Thread-safe.
 */
public final class CallReplays implements Routes {
  private static final Pattern PATHS = Pattern.compile("/api/calls/([^/]+)/(replay|diff/([^/]+))");
  private static final Set<String> STREAMED = Set.of("stream", "stream_options");
  private static final Set<String> OURS = Set.of("model", "messages", "tools");

  private final LedgerReader reader;
  private final ModelCaller models;

  public CallReplays(LedgerReader reader, ModelCaller models) {
    this.reader = reader;
    this.models = models;
  }

  @Override
  public List<Described> described() {
    return List.of(
        new Described(
                "POST",
                "/api/calls/{call}/replay",
                "replayCall",
                "Repeats a call and compares the answers")
            .takes(RunShapes.NewCallReplay.class)
            .gives(200, RunShapes.ReplayedCall.class),
        new Described("GET", "/api/calls/{call}/diff/{other}", "diffCalls", "Compares two calls")
            .gives(200, RunShapes.Difference.class));
  }

  @Override
  public boolean covers(String path) {
    return PATHS.matcher(path).matches();
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    var body = exchange.method().equals("POST") ? exchange.takeBody() : null;
    var path = exchange.path();
    exchange
        .loop()
        .blocking(
            () -> reply(path, body, caller),
            (reply, thrown) ->
                RunsApi.respond(
                    exchange, reply == null ? RunsApi.failed(exchange, thrown) : reply));
  }

  private Reply reply(String path, byte @Nullable [] body, Caller caller)
      throws InterruptedException {
    var parts = PATHS.matcher(path);
    if (!parts.matches()) {
      throw RunsApi.nothing();
    }
    var first = read(parts.group(1), caller);
    var other = parts.group(3);
    return other == null
        ? replay(first, Objects.requireNonNull(body), caller)
        : new Reply(200, RunDiff.of(side(first), side(read(other, caller))));
  }

  /** The call of that id; a client's are its own alone. */
  private RecordedConversation read(String id, Caller caller) {
    var stored = reader.call(id);
    if (stored == null
        || (caller.client() != null && !caller.client().equals(stored.call().client()))) {
      throw new Refused(404, "unknown_call", "There is no call " + id + ".");
    }
    return RecordedConversation.of(reader, stored);
  }

  private Reply replay(RecordedConversation was, byte[] body, Caller caller)
      throws InterruptedException {
    var json = Reply.object(body);
    for (var name : STREAMED) {
      if (json.path("set").has(name)) {
        throw new Refused(
            400,
            "invalid_set",
            "set.%s cannot be changed: Mainstay reads a replay whole.".formatted(name));
      }
    }
    var request = was.request();
    if (request == null || was.asked().isEmpty()) {
      throw new Refused(
          409,
          "not_recorded",
          "Mainstay cannot repeat this call: it has no recorded request, or the request has no"
              + " messages.");
    }
    var asked = (ObjectNode) request.deepCopy();
    json.path("set").properties().forEach(each -> set(asked, each.getKey(), each.getValue()));
    var outcome = models.call(request(asked, was.call(), caller), event -> {});
    var answer = Tree.object();
    answer.put("replay_of", was.call().id());
    answer.put("call", outcome.evidence().callId());
    var step = step(outcome);
    answer.set("answer", step.json());
    answer.set(
        "diff",
        RunDiff.of(side(was), new RunDiff.Side(outcome.evidence().callId(), List.of(step))));
    return new Reply(200, answer);
  }

  private static void set(ObjectNode asked, String name, JsonNode value) {
    if (name.equals("instructions")) {
      var messages = Tree.array();
      if (value.isString()) {
        messages.add(Message.system(value.stringValue()).json());
      }
      for (var message : asked.path("messages")) {
        var role = Tree.text(message, "role");
        if (!role.equals("system") && !role.equals("developer")) {
          messages.add(message);
        }
      }
      asked.set("messages", messages);
    } else if (value.isNull()) {
      asked.remove(name);
    } else {
      asked.set(name, value);
    }
  }

  private static ModelRequest request(ObjectNode asked, CallRecord was, Caller caller) {
    var messages = new ArrayList<Message>();
    for (var message : asked.path("messages")) {
      if (message instanceof ObjectNode object) {
        messages.add(new Message(object));
      }
    }
    var tools = new ArrayList<Tool>();
    for (var tool : asked.path("tools")) {
      var function = tool.path("function");
      if (function.path("name").isString()) {
        tools.add(
            new Tool(
                Tree.text(function, "name"),
                Tree.text(function, "description"),
                function.path("parameters").isObject()
                    ? function.get("parameters")
                    : Tree.object().put("type", "object")));
      }
    }
    Map<String, JsonNode> options = new LinkedHashMap<>();
    for (var field : asked.properties()) {
      if (!OURS.contains(field.getKey()) && !STREAMED.contains(field.getKey())) {
        options.put(field.getKey(), field.getValue());
      }
    }
    var model = asked.path("model").asString(was.modelAsked() == null ? "" : was.modelAsked());
    if (messages.isEmpty() || model.isEmpty()) {
      throw new Refused(400, "invalid_replay", "A call has a model and messages.");
    }
    try {
      return ModelRequest.of(model, messages.getFirst())
          .withMessages(messages)
          .withTools(tools)
          .withOptions(options)
          .withOrigin(new ModelRequest.Origin(caller.client(), null, was.id(), null));
    } catch (IllegalArgumentException e) {
      throw new Refused(400, "invalid_replay", String.valueOf(e.getMessage()));
    }
  }

  // ---- as steps, which the diff compares

  private static RunDiff.Side side(RecordedConversation call) {
    return new RunDiff.Side(call.call().id(), List.of(step(call.call(), call.answer())));
  }

  private static RunStep step(CallRecord call, @Nullable Message answer) {
    return RunStep.of(call, 1, 1, calls(answer), answer);
  }

  /** The arguments of an answer's tool calls, to be compared by pointer. */
  private static @Nullable JsonNode calls(@Nullable Message answer) {
    if (answer == null || answer.toolCalls().isEmpty()) {
      return null;
    }
    var calls = Tree.array();
    for (var call : answer.toolCalls()) {
      calls.addObject().put("name", call.name()).set("arguments", tree(call.arguments()));
    }
    return calls;
  }

  private static JsonNode tree(String text) {
    try {
      return Tree.read(text);
    } catch (tools.jackson.core.JacksonException e) {
      return StringNode.valueOf(text);
    }
  }

  private static RunStep step(ModelOutcome outcome) {
    var call = outcome.evidence().call();
    var answer = outcome instanceof ModelOutcome.Answered answered ? answered.message() : null;
    if (call != null) {
      return step(call, answer);
    }
    var why =
        outcome instanceof ModelOutcome.Failed failed
            ? failed.failureClass() + "/" + failed.kind().wireName() + ": " + failed.message()
            : null;
    return new RunStep(
        1,
        Kind.MODEL,
        "",
        "failed",
        new Content(1, outcome.evidence().callId(), null, null, null, why),
        Use.NOTHING);
  }
}
