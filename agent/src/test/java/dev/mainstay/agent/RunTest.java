package dev.mainstay.agent;

import static dev.mainstay.agent.RunScene.calls;
import static dev.mainstay.agent.RunScene.ending;
import static dev.mainstay.agent.RunScene.failed;
import static dev.mainstay.agent.RunScene.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.AgentDefinition.Limits;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Nudged.Why;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.tool.ToolCaller.Outcome;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome.Ending;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What runs do about failures, limits and circles; each in virtual time. */
@SuppressWarnings("NullAway.Init")
class RunTest {
  @TempDir static Path directory;
  private static RunScene.Store store;
  private RunScene scene;

  @BeforeAll
  static void open() throws Exception {
    store = new RunScene.Store(directory);
  }

  @BeforeEach
  void begin() {
    scene = new RunScene(store);
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static JournalEntry.Ended end(RunState state) {
    return Objects.requireNonNull(state.ended());
  }

  private static String outcome(RunState state) {
    var end = state.ended();
    return end == null ? "waits" : end.status() + " " + end.reason();
  }

  private static Limits turns(Limits limits, int most) {
    return Declaration.with(limits, Map.of("maxTurns", most));
  }

  private static Limits toolCalls(Limits limits, int most) {
    return Declaration.with(limits, Map.of("maxTurns", 50, "toolCalls", most));
  }

  private static Limits idle(Limits limits, int most) {
    return Declaration.with(limits, Map.of("maxTurns", 50, "noProgress", most));
  }

  private static Limits deadline(Limits limits, Duration deadline) {
    return Declaration.with(limits, Map.of("deadlineMs", deadline.toMillis()));
  }

  private List<Why> nudges() {
    return scene.journal(scene.id()).stream()
        .filter(JournalEntry.Nudged.class::isInstance)
        .map(entry -> ((JournalEntry.Nudged) entry).why())
        .toList();
  }

  // ---- the turn

  @Test
  void aBrokenStreamIsRestartedThreeTimesAndLeavesNothingInTheSession() {
    scene.model(
        (request, events) -> {
          events.accept(new ModelEvent.Text("half an ans"));
          return failed("TRANSIENT", "stream_interrupted");
        });
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("dead_letter permanent-error");
    assertThat(scene.asked()).hasSize(4);
    assertThat(scene.asked())
        .extracting(request -> new String(request.body()))
        .containsOnly(new String(scene.asked().getFirst().body()));
    assertThat(scene.journal(scene.id()))
        .filteredOn(JournalEntry.TurnStarted.class::isInstance)
        .extracting(entry -> String.valueOf(((JournalEntry.TurnStarted) entry).why()))
        .satisfiesExactly(
            first -> assertThat(first).isEqualTo("null"),
            second -> assertThat(second).startsWith("restart 1 of 3: TRANSIENT/stream_interrupted"),
            third -> assertThat(third).startsWith("restart 2 of 3"),
            fourth -> assertThat(fourth).startsWith("restart 3 of 3"));
    assertThat(state.transcript()).hasSize(1);
    assertThat(scene.alerts()).containsExactly("DEAD_LETTER");
  }

  @Test
  void aPermanentFailureIsOneRequestAndOneHalt() {
    scene.answers(failed("FATAL", "auth"));
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("failed permanent-error");
    assertThat(end(state).words()).contains("step 1", "FATAL/auth", "call_x", "it failed");
    assertThat(scene.asked()).hasSize(1);
  }

  @Test
  void aCallWithUnreadableArgumentsReachesNoToolAndTheModelIsTold() {
    scene.answers(calls("look", "{\"n\": 1", "[1]"), text("Sorry."));
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("completed answered");
    assertThat(scene.toolCalls()).isEmpty();
    assertThat(new String(scene.asked().getLast().body()))
        .contains("Not called: the arguments are not JSON.");
  }

  @Test
  void whatThePolicyGaveUpOnIsADeadLetterAtOnce() {
    scene.answers(failed("TRANSIENT", "overloaded"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("dead_letter permanent-error");
    assertThat(scene.asked()).hasSize(1);
  }

  @Test
  void overflowIsAnsweredByCompactionTwiceInARow() {
    scene
        .tool(call -> new Outcome.Succeeded("x".repeat(50_000)))
        .model(
            (request, events) ->
                switch (scene.asked().size()) {
                  case 1, 2 -> calls("look", "{\"n\":" + scene.asked().size() + "}");
                  case 3, 4 -> failed("LOGIC", "context_length");
                  default -> text("Done.");
                });
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("completed answered");
    assertThat(scene.asked()).hasSize(5);
    var sizes = scene.asked().stream().map(request -> request.body().length).toList();
    assertThat(sizes.get(3)).isLessThan(sizes.get(2));
    assertThat(sizes.get(4)).isLessThan(sizes.get(3));
  }

  @Test
  void overflowThatCompactionDoesNotCureEndsTheRun() {
    scene
        .tool(call -> new Outcome.Succeeded("x".repeat(50_000)))
        .model(
            (request, events) ->
                scene.asked().size() < 3
                    ? calls("look", "{\"n\":" + scene.asked().size() + "}")
                    : failed("LOGIC", "context_length"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed context-overflow");
    assertThat(scene.asked()).hasSizeLessThanOrEqualTo(5);
  }

  @Test
  void aConversationThatCannotShrinkIsNotAskedAgain() {
    scene.answers(failed("LOGIC", "context_length"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed context-overflow");
    assertThat(scene.asked()).hasSize(1);
  }

  // ---- guards

  @Test
  void aCircleIsNudgedThenItsToolIsTakenThenTheRunEnds() {
    scene.limits(limits -> idle(limits, 40)).answers(calls("look", "{}"));
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("failed loop");
    assertThat(nudges()).containsExactly(Why.LOOP, Why.LOOP);
    assertThat(scene.toolCalls()).hasSize(5);
    assertThat(scene.asked()).hasSize(7);
  }

  @Test
  void aCircleOfTwoIsFoundToo() {
    scene
        .limits(limits -> idle(limits, 40))
        .model((request, events) -> calls("look", "{\"n\":" + scene.asked().size() % 2 + "}"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed loop");
  }

  @Test
  void aPollWhoseResultChangesIsProgress() {
    var percent = new AtomicInteger();
    scene
        .limits(limits -> idle(limits, 40))
        .tool(call -> new Outcome.Succeeded(percent.incrementAndGet() + " %"))
        .model(
            (request, events) -> scene.asked().size() <= 30 ? calls("look", "{}") : text("Done."));
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
    assertThat(nudges()).isEmpty();
  }

  @Test
  void turnsWithoutAnythingNewAreNudgedOnceThenEnd() {
    // Six different calls, over and over: too long a circle for the loop guard.
    scene
        .limits(limits -> idle(limits, 4))
        .model((request, events) -> calls("look", "{\"n\":" + scene.asked().size() % 6 + "}"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed no-progress");
    assertThat(nudges()).containsExactly(Why.NO_PROGRESS);
  }

  @Test
  void emptyAnswersAreBounded() {
    scene.answers(text(" "));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed empty-answer");
    assertThat(scene.asked()).hasSize(3);
    assertThat(scene.asked().getLast().messages())
        .noneMatch(message -> message.role().equals("assistant"));
  }

  @Test
  void anAnswerThatRepeatsItselfOrWasCutOffIsNoSuccess() {
    scene.answers(
        text("I will help you. ".repeat(500)), ending("And so", Ending.LENGTH), text("Ok."));
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
    assertThat(nudges()).containsExactly(Why.EMPTY_ANSWER, Why.EMPTY_ANSWER);
  }

  @Test
  void aRefusalIsSaid() {
    scene.answers(ending("I cannot.", Ending.REFUSED));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed refused");
  }

  @Test
  void anAnswerMustFitTheSchema() {
    var schema =
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}";
    scene
        .output(schema, 2)
        .answers(text("seven"), text("{\"n\":\"7\"}"), text("```json\n{\"n\":7}\n```"));
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("completed answered");
    assertThat(end(state).output()).hasToString("{\"n\":7}");
  }

  @Test
  void anAnswerThatNeverFitsFailsWithBoth() {
    scene.output("{\"type\":\"object\"}", 2).answers(text("seven"));
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("failed output-schema");
    assertThat(end(state).output()).hasToString("\"seven\"");
    assertThat(scene.asked()).hasSize(3);
  }

  // ---- limits

  @Test
  void theLastTurnIsKeptForTheAnswer() {
    scene
        .limits(limits -> turns(limits, 3))
        .model(
            (request, events) ->
                request.options().containsKey("tool_choice")
                    ? text("Done.")
                    : calls("look", "{\"n\":" + scene.asked().size() + "}"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
    assertThat(scene.asked()).hasSize(3);
    assertThat(scene.toolCalls()).hasSize(2);
  }

  @Test
  void whoGivesNoLastAnswerFailsForTheLimit() {
    scene
        .limits(limits -> turns(limits, 10))
        .model((request, events) -> calls("look", "{\"n\":" + scene.asked().size() + "}"));
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("failed turn-limit");
    assertThat(scene.asked()).hasSize(10);
    assertThat(scene.toolCalls()).hasSize(9);
    assertThat(scene.journal(scene.id()))
        .filteredOn(JournalEntry.Warned.class::isInstance)
        .extracting(entry -> ((JournalEntry.Warned) entry).percent())
        .containsExactly(70, 85);
    assertThat(scene.alerts()).containsExactly("BUDGET", "BUDGET");
  }

  @Test
  void toolCallsBeyondTheBudgetAreNotMade() {
    scene
        .limits(limits -> toolCalls(limits, 3))
        .model(
            (request, events) ->
                calls(
                    "look",
                    "{\"n\":" + scene.asked().size() + "}",
                    "{\"m\":" + scene.asked().size() + "}"));
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed tool-call-budget");
    assertThat(scene.toolCalls()).hasSize(3);
  }

  @Test
  void timeOfPersonsAndQueueDoesNotCountAgainstTheDeadline() {
    scene.tool(
        call -> {
          scene.pass(Duration.ofMinutes(1));
          return new Outcome.Succeeded("ok " + scene.toolCalls().size());
        });
    scene.model(
        (request, events) ->
            request.options().containsKey("tool_choice")
                ? text("Late.")
                : calls("look", "{\"n\":" + scene.asked().size() + "}"));
    var id = scene.accept("Help.", null);
    scene.pass(Duration.ofHours(1));
    scene.post(id, "pause", null, "{}");
    scene.work();
    scene.pass(Duration.ofHours(1));
    scene.post(id, "resume", null, "{}");
    scene.work();
    // The deadline of 5 minutes is over in the fifth call of a minute each.
    assertThat(outcome(scene.state(id))).isEqualTo("failed deadline");
    assertThat(scene.toolCalls()).hasSize(5);
  }

  // ---- persons

  @Test
  void aPersonExtendsTheTimeOfARun() {
    scene.tool(
        call -> {
          scene.pass(Duration.ofMinutes(1));
          return new Outcome.Succeeded("ok " + scene.toolCalls().size());
        });
    scene.model(
        (request, events) -> {
          if (scene.asked().size() == 4) {
            scene.post(scene.id(), "extend", null, "{\"budget\":{\"deadline\":\"5m\"}}");
          }
          return scene.asked().size() < 8
              ? calls("look", "{\"n\":" + scene.asked().size() + "}")
              : text("Done.");
        });
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
    assertThat(scene.toolCalls()).hasSize(7);
  }

  @Test
  void aPersonExtendsARunBeforeItsLimit() {
    var extended = new AtomicInteger();
    scene
        .limits(limits -> turns(limits, 3))
        .model(
            (request, events) -> {
              if (scene.asked().size() == 3 && extended.getAndIncrement() == 0) {
                scene.post(scene.id(), "extend", null, "{\"budget\":{\"max-turns\":5}}");
              }
              return scene.asked().size() < 5
                  ? calls("look", "{\"n\":" + scene.asked().size() + "}")
                  : text("Done.");
            });
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
    assertThat(scene.asked()).hasSize(5);
  }

  @Test
  void aPersonsMessageReachesTheModelOnceAndBehindTheResults() {
    scene.model(
        (request, events) -> {
          if (scene.asked().size() == 1) {
            scene.post(scene.id(), "message", null, "{\"text\":\"Hurry.\"}");
            return calls("look", "{}");
          }
          return text("Done.");
        });
    scene.run("Help.");
    assertThat(scene.asked().getLast().messages())
        .extracting(Message::role)
        .containsExactly("system", "user", "assistant", "tool", "user");
    assertThat(scene.asked().getLast().messages().getLast().text()).isEqualTo("Hurry.");
  }

  @Test
  void anUnsafeCallOfUnknownOutcomeWaitsAndAlerts() {
    scene
        .tool(call -> new Outcome.Failed("timeout", "no answer", null))
        .answers(calls("pay", "{}"), text("Done."));
    var state = scene.run("Pay.");
    assertThat(outcome(state)).isEqualTo("waits");
    assertThat(scene.alerts()).containsExactly("IN_DOUBT");
    scene.post(scene.id(), "resolve", "resolve:2", "{\"step\":2,\"happened\":true}");
    scene.work();
    assertThat(outcome(scene.state(scene.id()))).isEqualTo("completed answered");
    assertThat(scene.toolCalls()).hasSize(1);
  }

  // ---- sessions

  @Test
  void aSessionGoesOnWithTheTranscriptOfItsLastCompletedRun() {
    scene.answers(text("Hello Ann."), failed("FATAL", "auth"), text("You are Ann."));
    scene.accept("I am Ann.", "talk");
    scene.work();
    scene.accept("Never heard.", "talk");
    scene.work();
    scene.accept("Who am I?", "talk");
    scene.work();
    assertThat(scene.asked().getLast().messages())
        .extracting(Message::text)
        .containsExactly("You help.", "I am Ann.", "Hello Ann.", "Who am I?");
    assertThat(outcome(scene.state(scene.id()))).isEqualTo("completed answered");
  }

  @Test
  void oneRunOfASessionIsUnderWayAtATime() {
    scene.answers(text("One."), text("Two."));
    var first = scene.accept("First.", "queue");
    var second = scene.accept("Second.", "queue");
    scene.post(first, "pause", null, "{}");
    scene.work();
    assertThat(outcome(scene.state(first))).isEqualTo("waits");
    assertThat(scene.asked()).isEmpty();
    scene.post(first, "resume", null, "{}");
    scene.work();
    assertThat(outcome(scene.state(second))).isEqualTo("completed answered");
    assertThat(scene.asked().getLast().messages())
        .extracting(Message::text)
        .containsExactly("You help.", "First.", "One.", "Second.");
  }

  // ---- silence

  @Test
  void aSilentRunIsWokenOnceAndThenFails() {
    scene
        .limits(limits -> deadline(limits, Duration.ofDays(1)))
        .model(
            (request, events) -> {
              scene.pass(Duration.ofMinutes(20));
              scene.carrier().watch();
              return text("Too late.");
            });
    var state = scene.run("Help.");
    assertThat(outcome(state)).isEqualTo("failed stalled");
    assertThat(scene.journal(scene.id()))
        .filteredOn(JournalEntry.Woken.class::isInstance)
        .hasSize(2);
    assertThat(scene.asked()).hasSize(2);
  }

  @Test
  void aModelThatTalksIsNotSilent() {
    scene
        .limits(limits -> deadline(limits, Duration.ofDays(1)))
        .model(
            (request, events) -> {
              for (int i = 0; i < 20; i++) {
                scene.pass(Duration.ofMinutes(1));
                events.accept(new ModelEvent.Text("word "));
                scene.carrier().watch();
              }
              return text("A long story.");
            });
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
  }

  @Test
  void aModelCallDoesNotOutlastTheDeadline() {
    scene.model(
        (request, events) -> {
          scene.pass(Duration.ofMinutes(6));
          events.accept(new ModelEvent.Text("word "));
          scene.carrier().watch();
          return text("Too late.");
        });
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed deadline");
    assertThat(scene.asked()).hasSize(1);
  }

  @Test
  void aModelCallThatEndsWithTheDeadlineIsNoDeadLetter() {
    scene.model(
        (request, events) -> {
          scene.pass(Duration.ofMinutes(5));
          return failed("TRANSIENT", "timeout");
        });
    assertThat(outcome(scene.run("Help."))).isEqualTo("failed deadline");
    assertThat(scene.asked()).hasSize(1);
  }

  @Test
  void aModelCallThatTimesOutBeforeTheDeadlineIsADeadLetter() {
    scene.model(
        (request, events) -> {
          scene.pass(Duration.ofMinutes(1));
          return failed("TRANSIENT", "timeout");
        });
    assertThat(outcome(scene.run("Help."))).isEqualTo("dead_letter permanent-error");
  }

  @Test
  void aDecisionAboutAStepThatIsNotInDoubtChangesNothing() {
    scene.model(
        (request, events) -> {
          scene.post(scene.id(), "resolve", null, "{\"step\":7,\"happened\":true}");
          scene.post(scene.id(), "approve", "9", "{\"step\":9,\"approved\":true}");
          return scene.asked().size() == 1 ? calls("look", "{}") : text("Done.");
        });
    assertThat(outcome(scene.run("Help."))).isEqualTo("completed answered");
  }

  // ---- crashes

  @Test
  void aRunThatNoWorkerSurvivesIsGivenUpOn() {
    scene.model(
        (request, events) -> {
          throw new IllegalStateException("planted");
        });
    assertThat(outcome(scene.run("Help."))).isEqualTo("dead_letter crashed");
    assertThat(scene.asked()).hasSize(20);
  }

  @Test
  void aDefinitionIsTheSameAfterItsJournal() {
    var agent = RunScene.agent();
    var accepted =
        new JournalEntry.Accepted(
            agent,
            agent.hash(),
            new JournalEntry.RunRequest("helper", "x", List.of(), "", null, 0, Map.of(), null),
            List.of(),
            0);
    var read = (JournalEntry.Accepted) JournalJson.read(JournalJson.stored(accepted));
    assertThat(read.definition()).isEqualTo(agent);
    assertThat(read.definition().hash()).isEqualTo(agent.hash());
  }

  /** So journals stay readable for earlier versions, and hashes comparable with theirs. */
  @Test
  void aToolStandsFlatInAJournal() {
    assertThat(JournalJson.write(RunScene.tool("look", ToolDefinition.Effect.READ)))
        .isEqualTo(
            """
            {"name":"look","description":"A tool.","parameters":{"type":"object"},\
            "binding":{"kind":"http","method":"POST","url":"http://127.0.0.1:1/look","headers":[]},\
            "effect":"READ","reconcile":null,"timeoutMs":5000,\
            "retry":{"attempts":3,"initialDelayMs":1000,"factor":2.0},\
            "approval":{"always":false,"when":null,"above":0.0},"priceNanos":null}\
            """);
  }
}
