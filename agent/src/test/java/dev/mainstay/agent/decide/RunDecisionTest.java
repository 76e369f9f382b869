package dev.mainstay.agent.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.AgentDefinition.Limits;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.journal.CallFailure;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.engine.model.Message;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Whatever models, tools and persons do: runs end, within every bound, and nothing is unpaired. */
class RunDecisionTest {
  private static final int RUNS = 1000;
  private static final int MOST_ACTIONS = 3000;
  private static final String[] KINDS = {
    "stream_interrupted", "overloaded", "context_length", "auth", "invalid_tool_call", "timeout"
  };
  private static final String[] CLASSES = {"TRANSIENT", "LOGIC", "FATAL"};
  private static final String[] TEXTS = {"", "Done.", "x".repeat(5000), "again ".repeat(400)};

  @Test
  void everyRunEndsWithinItsBounds() {
    var reasons = new HashSet<String>();
    for (int seed = 0; seed < RUNS; seed++) {
      reasons.add(new RandomRun(seed).drive(seed));
    }
    // The random runs reach what they are to prove.
    assertThat(reasons)
        .contains(
            "answered",
            "turn-limit",
            "token-budget",
            "money-budget",
            "tool-call-budget",
            "deadline",
            "loop",
            "empty-answer",
            "context-overflow",
            "permanent-error");
  }

  /** One run against a random world. */
  private static final class RandomRun {
    private final RunState state = new RunState();
    private final RandomGenerator random;
    private long now = 1_000_000;
    private int turnRequests;
    private int calls;

    RandomRun(int seed) {
      random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    private static AgentDefinition agent(RandomGenerator random) {
      var limits =
          new Limits(
              random.nextInt(1, 40),
              random.nextLong(50_000, 1_000_000),
              random.nextLong(500, 100_000),
              random.nextBoolean() ? null : (Integer) random.nextInt(1, 30),
              List.of(70, 85, 95),
              random.nextLong(20_000, 300_000),
              120_000,
              8,
              random.nextInt(1, 10));
      var tool =
          new ToolDefinition(
              "look",
              "",
              Tree.object().put("type", "object"),
              new ToolDefinition.Binding.Http("POST", "http://127.0.0.1:1/"),
              ToolDefinition.Effect.READ,
              null,
              new ToolDefinition.CallPolicy(
                  1000,
                  ToolDefinition.Retry.DEFAULTS,
                  ToolDefinition.Approval.NEVER,
                  random.nextBoolean() ? null : (Long) 100L));
      return new AgentDefinition(
          "a", "m", "", limits, null, CallSettings.defaults(), List.of(tool));
    }

    private String drive(int seed) {
      var agent = agent(random);
      var request = new JournalEntry.RunRequest("a", "Go.", List.of(), "", null, 0, Map.of(), null);
      apply(new JournalEntry.Accepted(agent, "h", request, List.of(), now));
      apply(new JournalEntry.WorkerBegan(now));
      for (int i = 0; i < MOST_ACTIONS; i++) {
        assertThat(RunDecision.next(state, now)).as("pure").isEqualTo(RunDecision.next(state, now));
        switch (RunDecision.next(state, now)) {
          case NextAction.Append append -> append.entries().forEach(this::apply);
          case NextAction.CallModel call -> call(call);
          case NextAction.RunSteps steps -> steps.steps().forEach(this::step);
          case NextAction.End end -> {
            apply(end.end());
            assertThat(state.turns()).isLessThanOrEqualTo(agent.limits().maxTurns());
            var most = agent.limits().toolCalls();
            assertThat(state.usage().toolCalls()).isLessThanOrEqualTo(most == null ? 999 : most);
            return end.end().reason();
          }
          default -> throw new AssertionError("seed " + seed + ": nothing waits here");
        }
        now += random.nextInt(20) == 0 ? random.nextInt(60_000) : random.nextInt(500);
      }
      throw new AssertionError("seed " + seed + ": the run does not end");
    }

    private void apply(JournalEntry entry) {
      state.apply(entry);
    }

    private void call(NextAction.CallModel call) {
      pairs(TurnRequest.of("run", state, call).messages());
      turnRequests = call.attempt() == 1 ? 0 : turnRequests;
      assertThat(call.bounds().requests()).isPositive();
      apply(
          new JournalEntry.TurnStarted(
              call.step(), call.turn(), call.attempt(), "h", call.why(), now));
      now += random.nextInt(2000);
      int requests = random.nextInt(1, call.bounds().requests() + 1);
      turnRequests += requests;
      assertThat(turnRequests).as("all attempts of a turn").isLessThanOrEqualTo(5);
      var used = new Used(requests, random.nextInt(2000), (long) random.nextInt(50_000));
      if (random.nextInt(4) == 0) {
        var before = state.transcript();
        var failure =
            new CallFailure(
                "call",
                CLASSES[random.nextInt(CLASSES.length)],
                KINDS[random.nextInt(KINDS.length)],
                "it failed");
        int restarts = Math.min(random.nextInt(requests), call.bounds().restarts());
        apply(
            new JournalEntry.TurnFailed(
                call.turn(),
                call.attempt(),
                failure,
                used,
                random.nextBoolean(),
                restarts,
                "",
                now));
        assertThat(state.attempts().restarts()).isLessThanOrEqualTo(3);
        assertThat(state.attempts().compactions()).isLessThanOrEqualTo(2);
        assertThat(state.transcript()).as("a failed attempt leaves nothing").isEqualTo(before);
        return;
      }
      answered(call, used);
    }

    private void answered(NextAction.CallModel call, Used used) {
      boolean tools = random.nextInt(4) != 0;
      var message = tools ? calls() : Message.assistant(TEXTS[random.nextInt(TEXTS.length)]).json();
      var ending = random.nextInt(10) == 0 ? "LENGTH" : tools ? "TOOL_CALLS" : "STOP";
      apply(new JournalEntry.TurnEnded(call.turn(), "call", message, ending, used, now));
      int step = state.lastStep();
      for (var each : new Message(message).toolCalls()) {
        apply(
            new JournalEntry.StepPlanned(
                ++step, call.turn(), each.id(), each.name(), each.arguments(), "k" + step));
      }
    }

    private tools.jackson.databind.node.ObjectNode calls() {
      var message = Tree.object().put("role", "assistant");
      message.putNull("content");
      var list = message.putArray("tool_calls");
      int many = random.nextInt(1, 4);
      for (int i = 0; i < many; i++) {
        var call = list.addObject().put("id", "c" + calls++).put("type", "function");
        call.putObject("function")
            .put("name", "look")
            .put("arguments", "{\"n\":" + random.nextInt(3) + "}");
      }
      return message;
    }

    private void step(ToolStep step) {
      int number = step.planned().step();
      apply(new JournalEntry.StepStarted(number, 1, now));
      now += random.nextInt(1000);
      var result = random.nextInt(3) == 0 ? "r" + random.nextInt(3) : "x".repeat(3000);
      apply(new JournalEntry.StepEnded(number, true, result, 100L, now));
    }

    private static void pairs(List<Message> messages) {
      var open = new ArrayList<String>();
      for (var message : messages) {
        if (message.role().equals("tool")) {
          assertThat(open.remove(message.toolCallId())).isTrue();
        } else {
          assertThat(open).isEmpty();
          message.toolCalls().forEach(call -> open.add(call.id()));
        }
      }
      assertThat(open).isEmpty();
    }
  }
}
