package dev.mainstay.agent.record;

import dev.mainstay.agent.record.RunStep.Content;
import dev.mainstay.agent.record.RunStep.Kind;
import dev.mainstay.agent.record.RunStep.Use;
import dev.mainstay.engine.model.Message;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.wire.json.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run that a client's agent made: its transcript and its steps, put together from its calls. A
 * call's request holds the history so far, so the result of a tool call stands in the request of a
 * later call. Not thread-safe.
 */
public final class ClientRun {
  private final List<List<Message>> threads = new ArrayList<>();
  private final List<ObjectNode> transcript = new ArrayList<>();
  private final Map<String, RunStep> tools = new LinkedHashMap<>();
  private final List<RunStep> steps = new ArrayList<>();
  private int turns;
  private boolean bodiesMissing;

  /**
   * @param reported what the agent reported of its tool calls, oldest first
   */
  public static ClientRun of(List<RecordedConversation> calls, List<JsonNode> reported) {
    var run = new ClientRun();
    calls.forEach(run::add);
    reported.forEach(run::add);
    return run;
  }

  private ClientRun() {}

  private void add(RecordedConversation each) {
    var call = each.call();
    bodiesMissing |= each.request() == null;
    int thread = thread(each.asked());
    var known = threads.get(thread);
    int shared = shared(known, each.asked());
    for (var message : each.asked().subList(shared, each.asked().size())) {
      append(thread, message, call);
      answered(message, call.startedAt());
    }
    boolean delivered = call.verdict() == null;
    turns += delivered ? 1 : 0;
    steps.add(RunStep.of(call, steps.size() + 1, turns, null, each.answer()));
    known.clear();
    known.addAll(each.asked());
    var answer = each.answer();
    if (answer != null) {
      known.add(answer);
      append(thread, answer, call);
      for (var asked : answer.toolCalls()) {
        planned(call, asked);
      }
    }
  }

  private void planned(CallRecord call, Message.ToolCall asked) {
    var step =
        new RunStep(
            steps.size() + 1,
            Kind.TOOL,
            asked.name(),
            "running",
            new Content(
                turns, call.id(), asked.id(), JournalSteps.json(asked.arguments()), null, null),
            new Use(1, 0, 0L, call.startedAt().plus(call.total()), null));
    steps.add(step);
    tools.put(asked.id(), step);
  }

  /** The result of a tool call came back: it had ended when the request that holds it began. */
  private void answered(Message message, Instant by) {
    var id = message.toolCallId();
    var step = id == null ? null : tools.get(id);
    if (step != null && step.status().equals("running")) {
      replace(step, "completed", message.text(), step.use().startedAt(), by);
    }
  }

  private void replace(
      RunStep step,
      String status,
      @Nullable String result,
      @Nullable Instant from,
      @Nullable Instant to) {
    var now = step.with(status, result, new Use(step.use().attempts(), 0, 0L, from, to));
    steps.set(step.step() - 1, now);
    var asked = step.content().toolCall();
    if (asked != null) {
      tools.put(asked, now);
    }
  }

  /** What only the agent knows of a tool call: when it ran, and how it ended. */
  private void add(JsonNode report) {
    var result = report.path("result");
    var text =
        result.isMissingNode() || result.isNull()
            ? null
            : result.isString() ? result.stringValue() : Tree.write(result);
    var from = time(report, "started_at");
    var to = time(report, "ended_at");
    boolean failed = report.path("ok").isBoolean() && !report.path("ok").asBoolean();
    var status = failed ? "failed" : text == null && to == null ? "running" : "completed";
    var known = tools.get(Tree.text(report, "tool_call"));
    if (known != null) {
      var use = known.use();
      replace(
          known,
          failed ? "failed" : known.content().result() == null ? status : known.status(),
          text == null ? known.content().result() : text,
          from == null ? use.startedAt() : from,
          to == null ? use.endedAt() : to);
      return;
    }
    var arguments = report.path("arguments");
    steps.add(
        new RunStep(
            steps.size() + 1,
            Kind.TOOL,
            Tree.text(report, "name"),
            status,
            new Content(
                null,
                null,
                report.path("tool_call").stringValue(null),
                arguments.isMissingNode() ? null : arguments,
                null,
                text),
            new Use(1, 0, 0L, from, to)));
  }

  private static @Nullable Instant time(JsonNode report, String name) {
    var text = Tree.text(report, name);
    return text.isEmpty() ? null : Instant.parse(text);
  }

  // ---- threads

  /** The conversation that {@code asked} goes on with: the one that shares most with it. */
  private int thread(List<Message> asked) {
    int best = -1;
    int most = 0;
    for (int i = 0; i < threads.size(); i++) {
      int shared = shared(threads.get(i), asked);
      // Instructions alone are what any two conversations of an agent have in common.
      if (shared > most && !onlyInstructions(asked, shared)) {
        best = i;
        most = shared;
      }
    }
    if (best < 0) {
      threads.add(new ArrayList<>());
      best = threads.size() - 1;
    }
    return best;
  }

  private static boolean onlyInstructions(List<Message> asked, int shared) {
    return asked.subList(0, shared).stream()
        .allMatch(each -> each.role().equals("system") || each.role().equals("developer"));
  }

  private static int shared(List<Message> known, List<Message> asked) {
    int most = Math.min(known.size(), asked.size());
    int shared = 0;
    while (shared < most && likeness(known.get(shared)).equals(likeness(asked.get(shared)))) {
      shared++;
    }
    return shared;
  }

  /** What stays the same when a client sends an answer back in words of its own. */
  private static Map<String, String> likeness(Message message) {
    var likeness = new HashMap<String, String>();
    likeness.put("role", message.role());
    likeness.put("text", message.text().strip());
    likeness.put("call", String.valueOf(message.toolCallId()));
    for (var call : message.toolCalls()) {
      likeness.put("tool " + call.id(), call.name());
    }
    return likeness;
  }

  private void append(int thread, Message message, CallRecord call) {
    var json = message.json().deepCopy();
    json.put("call", call.id());
    if (thread > 0) {
      json.put("thread", thread + 1);
    }
    transcript.add(json);
  }

  // ---- what came of it

  /** Messages in order, each with the call that first held it; further threads are numbered. */
  public List<ObjectNode> transcript() {
    return transcript;
  }

  /** Model calls and tool calls in order. */
  public List<RunStep> steps() {
    return List.copyOf(steps);
  }

  /** Answers that the client got. */
  public int turns() {
    return turns;
  }

  /** Whether bodies were not kept, so that the transcript has gaps. */
  public boolean bodiesMissing() {
    return bodiesMissing;
  }

  /** What was said first by a person, or null. */
  public @Nullable String input() {
    return transcript.stream()
        .filter(each -> Tree.text(each, "role").equals("user"))
        .map(each -> new Message(each).text())
        .findFirst()
        .orElse(null);
  }

  /** The last answer without tool calls, or null. */
  public @Nullable String output() {
    for (var message : transcript.reversed()) {
      if (Tree.text(message, "role").equals("assistant")) {
        var said = new Message(message);
        return said.toolCalls().isEmpty() ? said.text() : null;
      }
    }
    return null;
  }
}
