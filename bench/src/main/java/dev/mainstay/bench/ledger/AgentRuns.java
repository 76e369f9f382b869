package dev.mainstay.bench.ledger;

import static dev.mainstay.bench.ledger.Waiting.done;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.CallFailure;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/** Runs of two agents with their journals, as old as the month. */
final class AgentRuns {
  static final int COUNT = 20_000;

  /** The run with the most steps. */
  static final String LONG = id(COUNT);

  private static final int LONG_STEPS = 10_000;
  private static final int AT_ONCE = 100;
  private static final List<String> AGENTS = List.of("refunds", "refunds", "research");
  private static final String HASH = "0123456789abcdef";

  private final RunStore runs;
  private final Instant start;
  private final Duration apart = Month.LENGTH.dividedBy(COUNT + 1);

  AgentRuns(RunStore runs, Instant now) {
    this.runs = runs;
    start = now.minus(Month.LENGTH);
  }

  /** The id of the run of that number. */
  static String id(int number) {
    return "run_agent_%06d".formatted(number);
  }

  /** The agent of the run of that number. */
  static String agent(int number) {
    return AGENTS.get(number % AGENTS.size());
  }

  void fill() {
    for (int first = 0; first <= COUNT; first += AT_ONCE) {
      var accepted = new ArrayList<CompletionStage<?>>();
      int last = Math.min(COUNT, first + AT_ONCE - 1);
      for (int number = first; number <= last; number++) {
        accepted.add(accept(number));
      }
      accepted.forEach(Waiting::done);
      var ended = new ArrayList<CompletionStage<?>>();
      var at = at(last);
      for (var lease : done(runs.claim(AT_ONCE, at))) {
        ended.add(end(lease));
      }
      ended.forEach(Waiting::done);
    }
  }

  private Instant at(int number) {
    return start.plus(apart.multipliedBy(number));
  }

  private CompletionStage<?> accept(int number) {
    var at = at(number);
    return runs.accept(
        new RunStore.NewRun(
            new RunStore.Origin(id(number), agent(number), "support", null, null, 0),
            null,
            HASH,
            RunSummary.first(List.of(accepted(number)))),
        COUNT,
        at,
        at.plus(Duration.ofDays(1)));
  }

  private JournalEntry accepted(int number) {
    var definition =
        AgentDefinition.of(
            agent(number), "assistant", "Help.", AgentDefinition.Limits.DEFAULTS, List.of());
    return new JournalEntry.Accepted(
        definition,
        HASH,
        new JournalEntry.RunRequest(
            agent(number),
            "Refund order %d.".formatted(number),
            List.of(),
            "support",
            null,
            0,
            Map.of(),
            null),
        List.of(),
        at(number).toEpochMilli());
  }

  private CompletionStage<?> end(RunStore.Lease lease) {
    int number = Integer.parseInt(lease.run().substring(lease.run().lastIndexOf('_') + 1));
    long at = at(number).toEpochMilli();
    int turns = number == COUNT ? LONG_STEPS / 2 : 1 + number % 4;
    var entries = new ArrayList<JournalEntry>();
    entries.add(new JournalEntry.WorkerBegan(at));
    int step = 0;
    for (int turn = 1; turn <= turns; turn++) {
      var call = "tool_" + turn;
      var arguments = "{\"order\":\"%d\"}".formatted(turn);
      entries.add(new JournalEntry.TurnStarted(++step, turn, 1, HASH, null, at += 100));
      entries.add(
          new JournalEntry.TurnEnded(
              turn,
              callId(number, turn),
              asking(call, arguments),
              "tool_calls",
              used(),
              at += 900));
      entries.add(
          new JournalEntry.StepPlanned(
              ++step, turn, call, "lookup", arguments, "%s-%d".formatted(lease.run(), step)));
      entries.add(new JournalEntry.StepStarted(step, 1, at += 10));
      entries.add(
          new JournalEntry.StepEnded(step, true, "{\"paid\":true}", 20_000_000L, at += 200));
    }
    entries.add(new JournalEntry.TurnStarted(++step, turns + 1, 1, HASH, null, at += 100));
    boolean failed = number % 9 == 0;
    if (failed) {
      entries.add(
          new JournalEntry.TurnFailed(
              turns + 1,
              1,
              new CallFailure(
                  callId(number, turns + 1), "FATAL", "auth", "Incorrect API key provided."),
              Used.NOTHING,
              false,
              0,
              "",
              at += 300));
    } else {
      entries.add(
          new JournalEntry.TurnEnded(
              turns + 1,
              callId(number, turns + 1),
              Tree.object().put("role", "assistant").put("content", "It is refunded."),
              "stop",
              used(),
              at += 700));
    }
    var outcome = failed ? (number % 2 == 0 ? "failed" : "dead_letter") : "completed";
    entries.add(
        new JournalEntry.Ended(
            outcome,
            failed ? "permanent-error" : "answered",
            failed ? "the provider refused the key" : "the model answered",
            failed ? null : Tree.read("\"It is refunded.\""),
            at));
    var all =
        RunSummary.of(List.of(accepted(number))).stored(entries, lease.entries() + entries.size());
    return runs.end(lease, lease.entries(), all, outcome, Instant.ofEpochMilli(at));
  }

  private static String callId(int number, int turn) {
    return "call_agent_%d_%d".formatted(number, turn);
  }

  private static Used used() {
    return new Used(1, 1_200, 1_900_000L);
  }

  private static JsonNode asking(String call, String arguments) {
    var message = Tree.object().put("role", "assistant").put("content", "I look it up.");
    message
        .putArray("tool_calls")
        .addObject()
        .put("id", call)
        .put("type", "function")
        .putObject("function")
        .put("name", "lookup")
        .put("arguments", arguments);
    return message;
  }
}
