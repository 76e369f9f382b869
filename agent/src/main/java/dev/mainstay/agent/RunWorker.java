package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.engine.Models;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.engine.model.Tool;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * Carries one leased run on: model call, tools, next turn, until it ends or waits for a person.
 * Each step follows from the journal alone, so that any worker can take over at any point. Runs on
 * one virtual thread; the tools of a turn on others.
 */
final class RunWorker {
  /** Attempts of one turn, over all its recoveries. */
  private static final int MOST_TURN_ATTEMPTS = 4;

  private final RunJournal journal;
  private final RunState state;
  private final AgentDefinition definition;
  private final Models models;
  private final ToolCaller tools;

  RunWorker(RunJournal journal, Models models, ToolCaller tools) {
    this.journal = journal;
    state = journal.state();
    definition = state.definition();
    this.models = models;
    this.tools = tools;
  }

  /** Carries the run on until it has ended or waits. */
  void run() throws InterruptedException {
    while (state.ended() == null) {
      takeMessages();
      if (state.cancelled()) {
        end("cancelled", "cancelled", "A person cancelled the run.", null);
        return;
      }
      if (state.paused()) {
        journal.park(null);
        return;
      }
      if (!state.unfinished().isEmpty()) {
        if (!runTools(state.unfinished())) {
          journal.park(null);
          return;
        }
        continue;
      }
      var last = state.lastTurn();
      var asked = state.transcript();
      if (last != null && asked.getLast().role().equals("assistant")) {
        answered(asked.getLast());
        return;
      }
      var limit = limit();
      if (limit != null) {
        end("failed", limit.reason(), limit.words(), null);
        return;
      }
      if (!turn()) {
        return;
      }
    }
  }

  private void answered(Message answer) throws InterruptedException {
    var text = answer.text();
    if (text.isBlank()) {
      end("failed", "empty-answer", "The model answered nothing.", null);
    } else {
      end("completed", "answered", "The model answered.", StringNode.valueOf(text));
    }
  }

  private record Limit(String reason, String words) {}

  private @Nullable Limit limit() {
    var limits = definition.limits();
    if (state.turns() >= limits.maxTurns()) {
      return new Limit("turn-limit", "The run has had its %d turns.".formatted(limits.maxTurns()));
    }
    if (state.tokens() >= limits.tokens()) {
      return new Limit(
          "token-budget",
          "The run has used %d of its %d tokens.".formatted(state.tokens(), limits.tokens()));
    }
    if (state.costNanos() >= limits.costNanos()) {
      return new Limit("money-budget", "The run has spent its budget.");
    }
    return null;
  }

  // ---- a turn

  /** Asks the model; false where the run has ended. */
  private boolean turn() throws InterruptedException {
    int turn = state.turns() + 1;
    int attempt = state.turnAttempts() + 1;
    if (attempt > MOST_TURN_ATTEMPTS) {
      end(
          "dead_letter",
          "permanent-error",
          "The model did not answer in %d attempts.".formatted(MOST_TURN_ATTEMPTS),
          null);
      return false;
    }
    var request = request();
    journal.append(
        new JournalEntry.TurnStarted(
            state.lastStep() + 1, turn, attempt, hash(request.body()), journal.now()));
    var partial = new StringBuilder();
    var outcome =
        models.call(
            request,
            event -> {
              if (event instanceof ModelEvent.Text more) {
                partial.append(more.text());
              }
            });
    var used = used(outcome.evidence());
    switch (outcome) {
      case ModelOutcome.Answered answered -> {
        journal.append(entries(turn, answered, used));
        return true;
      }
      case ModelOutcome.Failed failed -> {
        journal.append(
            new JournalEntry.TurnFailed(
                turn,
                attempt,
                failed.evidence().callId(),
                failed.failureClass(),
                failed.kind(),
                failed.message(),
                used,
                partial.toString(),
                journal.now()));
        if (failed.isTransient() && attempt < MOST_TURN_ATTEMPTS && !partial.isEmpty()) {
          // The stream broke where it could not be continued; the session is as it was before.
          return true;
        }
        var words =
            "%s/%s in call %s: %s"
                .formatted(
                    failed.failureClass(),
                    failed.kind(),
                    failed.evidence().callId(),
                    failed.message());
        end(failed.isTransient() ? "dead_letter" : "failed", "permanent-error", words, null);
        return false;
      }
    }
  }

  private ModelRequest request() {
    var messages = new ArrayList<Message>();
    if (!definition.instructions().isEmpty()) {
      messages.add(Message.system(definition.instructions()));
    }
    messages.addAll(state.transcript());
    var client = state.accepted().request().client();
    return ModelRequest.of(definition.model(), messages.getFirst())
        .withMessages(messages)
        .withTools(
            definition.tools().stream()
                .map(tool -> new Tool(tool.name(), tool.description(), tool.parameters()))
                .toList())
        .withOrigin(new ModelRequest.Origin(
                client.isEmpty() ? null : client, journal.run(), null, definition.name()));
  }

  private JournalEntry[] entries(int turn, ModelOutcome.Answered answered, Used used) {
    var entries = new ArrayList<JournalEntry>();
    entries.add(
        new JournalEntry.TurnEnded(
            turn,
            answered.evidence().callId(),
            answered.message().json(),
            answered.ending().name(),
            used,
            journal.now()));
    int step = state.lastStep();
    for (var call : answered.message().toolCalls()) {
      step++;
      var arguments = canonical(call.arguments());
      entries.add(
          new JournalEntry.StepPlanned(
              step, turn, call.id(), call.name(), arguments, key(step, call.name(), arguments)));
    }
    return entries.toArray(JournalEntry[]::new);
  }

  private static Used used(ModelOutcome.Evidence evidence) {
    var call = evidence.call();
    if (call == null) {
      return Used.NOTHING;
    }
    var tokens = call.tokens();
    return new Used(call.attempts(), tokens == null ? 0 : tokens.total(), call.costNanos());
  }

  /** Fixed before the model is asked again; the same whoever carries the step out. */
  private String key(int step, String tool, String arguments) {
    return hash((journal.run() + '\n' + step + '\n' + tool + '\n' + arguments)
            .getBytes(StandardCharsets.UTF_8))
        .substring(0, 32);
  }

  /** Keys in order and no white space, so that equal arguments are equal text. */
  static String canonical(String arguments) {
    try {
      return Tree.write(sorted(Tree.read(arguments)));
    } catch (JacksonException e) {
      return "{}";
    }
  }

  private static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      var copy = Tree.object();
      node.propertyNames().stream()
          .sorted()
          .forEach(name -> copy.set(name, sorted(node.get(name))));
      return copy;
    }
    if (node.isArray()) {
      var copy = Tree.array();
      node.forEach(element -> copy.add(sorted(element)));
      return copy;
    }
    return node;
  }

  private static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  // ---- tools

  /** Runs the tool calls of a turn, as many at once as the agent allows; false where one waits. */
  private boolean runTools(List<RunState.Step> steps) throws InterruptedException {
    var runner = new StepRunner(journal, tools, definition);
    var places = new Semaphore(definition.limits().parallel());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<StepRunner.Result>>();
      for (var step : steps) {
        Callable<StepRunner.Result> work =
            () -> {
              places.acquire();
              try {
                return runner.run(step);
              } finally {
                places.release();
              }
            };
        running.add(threads.submit(work));
      }
      boolean all = true;
      try {
        for (var each : running) {
          all &= each.get() == StepRunner.Result.ENDED;
        }
      } catch (ExecutionException e) {
        threads.shutdownNow();
        if (e.getCause() instanceof InterruptedException) {
          throw new InterruptedException();
        }
        throw e.getCause() instanceof RuntimeException unchecked
            ? unchecked
            : new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        threads.shutdownNow();
        throw e;
      }
      return all;
    }
  }

  // ---- persons

  private void takeMessages() throws InterruptedException {
    for (var message : journal.messages()) {
      var content = Tree.read(new String(message.content(), StandardCharsets.UTF_8));
      var decided =
          new JournalEntry.Decided(
              message.number(),
              message.kind(),
              message.about(),
              content,
              message.by(),
              journal.now());
      if (message.kind().equals("resolve")) {
        journal.append(decided, resolved(content));
      } else {
        journal.append(decided);
      }
    }
  }

  private JournalEntry resolved(JsonNode content) {
    boolean happened = content.path("happened").asBoolean(false);
    var result = content.path("result");
    var text =
        !result.isMissingNode() && !result.isNull()
            ? result.isString() ? result.stringValue() : Tree.write(result)
            : happened ? "It happened." : "It did not happen.";
    return new JournalEntry.StepEnded(
        content.path("step").asInt(), happened, text, null, journal.now());
  }

  private void end(String status, String reason, String words, @Nullable JsonNode output)
      throws InterruptedException {
    journal.end(new JournalEntry.Ended(status, reason, words, output, journal.now()));
  }
}
