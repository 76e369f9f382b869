package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.AgentDefinition.Limits;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.http.Loops;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs over a real engine: what it recovers, and what is left to the run, share one bound. */
@SuppressWarnings("NullAway.Init")
class RunOverEngineTest {
  private static final String CALL =
      "{ answer: { tool-calls: [ { name: look, arguments: '{\"n\": 1}' } ] } }";

  @TempDir Path directory;
  private Simulator provider;
  private Loops loops;
  private Ledger ledger;
  private Engine engine;
  private RunScene.Store store;
  private RunScene scene;

  @BeforeEach
  void start() throws Exception {
    provider = Simulator.start();
    loops = Loops.start(1);
    ledger = SqliteLedger.open(LedgerConfig.in(directory.resolve("calls")), InstantSource.system());
    var config =
        ConfigLoader.parse(
            """
            providers:
              one: { dialect: openai, base-url: "%s/one/v1", keys: [k] }
            models:
              assistant: { targets: [one/gpt-4o] }
            prices:
              - { model: gpt-4o, unit: input, price: 2.5 }
              - { model: gpt-4o, unit: output, price: 10 }
            clients:
              - { name: poor, key: k, models: [assistant], budget: { usd: 0.000001, per: day } }
            """
                .formatted(provider.url()),
            "test.yaml",
            Map.of());
    engine = Engine.start(config, ledger.recorder(), ledger.state(), loops);
    store = new RunScene.Store(directory.resolve("runs"));
    scene = new RunScene(store).model(this::call);
  }

  private ModelOutcome call(ModelRequest request, Consumer<ModelEvent> events) {
    try {
      return engine.models().call(request, events);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() {
    store.close();
    engine.close();
    ledger.close();
    loops.close();
    provider.close();
  }

  private RunState run(String... steps) {
    provider.script(
        Script.parse(
            "models: { one/gpt-4o: { script: [ %s ], then: repeat } }"
                .formatted(String.join(", ", steps))));
    return scene.run("Help.");
  }

  private static String outcome(RunState state) {
    var end = state.ended();
    return end == null ? "waits" : end.status() + " " + end.reason() + ": " + end.words();
  }

  private static Limits turns(Limits limits, int most) {
    return Declaration.with(limits, Map.of("maxTurns", most));
  }

  @Test
  void aStreamThatBreaksOnceIsAskedAgainAndItsPartIsEvidenceAlone() {
    var state = run("{ reset: 3, answer: \"one two three four five six\" }", "{ answer: Done. }");
    assertThat(outcome(state)).startsWith("completed answered");
    assertThat(Objects.requireNonNull(state.ended()).output()).hasToString("\"Done.\"");
    assertThat(scene.journal(scene.id()))
        .filteredOn(JournalEntry.TurnFailed.class::isInstance)
        .singleElement()
        .satisfies(
            failed ->
                assertThat(((JournalEntry.TurnFailed) failed).partial()).startsWith("one two"));
  }

  @Test
  void aStreamThatAlwaysBreaksIsAskedFourTimesInAll() {
    var state = run("{ reset: 3, answer: \"one two three four five six\" }");
    assertThat(outcome(state)).startsWith("dead_letter permanent-error");
    assertThat(state.usage().modelAttempts()).isEqualTo(4);
  }

  @Test
  void aProviderThatIsDownIsADeadLetterWithinTheOneBound() {
    var state = run("openai-server-error");
    assertThat(outcome(state)).startsWith("dead_letter permanent-error");
    assertThat(state.usage().modelAttempts()).isLessThanOrEqualTo(5);
  }

  @Test
  void aBadKeyIsOneRequestAndNamesTheCallAndTheStep() {
    var state = run("openai-bad-key");
    assertThat(outcome(state)).startsWith("failed permanent-error: step 1: FATAL/auth in call ");
    assertThat(state.usage().modelAttempts()).isEqualTo(1);
  }

  @Test
  void aRunOfAClientWhoseBudgetIsSpentEndsForMoney() {
    scene.model(
        (request, events) ->
            call(
                request.withOrigin(new ModelRequest.Origin("poor", scene.id(), null, "helper")),
                events));
    var state = run("{ answer: Done. }");
    assertThat(outcome(state))
        .startsWith("failed money-budget: step 1: FATAL/budget_exceeded in call ");
    assertThat(state.usage().modelAttempts()).isZero();
  }

  @Test
  void aModelThatCallsToolsForEverFailsForItsTurns() {
    scene
        .limits(limits -> turns(limits, 3))
        .tool(call -> new ToolCaller.Outcome.Succeeded("r" + scene.toolCalls().size()));
    var state = run(CALL);
    assertThat(outcome(state)).startsWith("failed turn-limit");
    assertThat(scene.toolCalls()).hasSize(2);
  }

  @Test
  void anEmptyAnswerIsNamedAsOne() {
    var state = run("{ answer: \"\" }");
    assertThat(outcome(state)).startsWith("failed empty-answer");
  }

  @Test
  void aRefusalInWordsIsOneRequestAndShowsThem() {
    var state = run("{ answer: { refusal: \"I cannot help with that.\" } }");
    assertThat(outcome(state)).startsWith("failed refused: The model refused in call ");
    assertThat(outcome(state)).endsWith(": I cannot help with that.");
    assertThat(state.usage().modelAttempts()).isEqualTo(1);
  }

  @Test
  void whatFailedBeforeItCostAnythingLeavesTheCostKnown() {
    var state = run("openai-bad-key");
    assertThat(state.usage().costUnknown()).isFalse();
    assertThat(state.usage().costNanos()).isZero();
  }

  @Test
  void anAnswerThatWasCutOffIsNoSuccess() {
    var state = run("{ answer: { text: \"And so\", finish: length } }", "{ answer: Done. }");
    assertThat(outcome(state)).startsWith("completed answered");
    assertThat(state.turns()).isEqualTo(2);
  }
}
