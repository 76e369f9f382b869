package dev.mainstay.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.engine.model.Tool;
import dev.mainstay.http.Loops;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a program that embeds the engine writes, and what it gets. */
class AgentLoopTest {
  private Simulator provider;
  private Loops loops;
  private Engine engine;

  /** The whole of a small agent: asks, runs the tools, asks again. */
  private static String run(Models models, ModelRequest request, UnaryOperator<String> tool)
      throws InterruptedException {
    for (int turn = 0; turn < 10; turn++) {
      switch (models.call(request)) {
        case ModelOutcome.Failed failed -> throw new IllegalStateException(failed.message());
        case ModelOutcome.Answered answered -> {
          var calls = answered.message().toolCalls();
          if (calls.isEmpty()) {
            return answered.message().text();
          }
          var messages = new ArrayList<>(request.messages());
          messages.add(answered.message());
          for (var call : calls) {
            messages.add(Message.toolResult(call.id(), tool.apply(call.arguments())));
          }
          request = request.withMessages(messages);
        }
      }
    }
    throw new IllegalStateException("the agent did not finish in 10 turns");
  }

  @BeforeEach
  void start() throws Exception {
    provider = Simulator.start();
    loops = Loops.start(1);
    var config =
        ConfigLoader.parse(
            """
            providers:
              one: { dialect: openai, base-url: "%s/one/v1", keys: [k] }
              two: { dialect: anthropic, base-url: "%s/two", keys: [k] }
            models:
              assistant: { targets: [one/gpt-4o, two/claude-sonnet-4-5] }
            """
                .formatted(provider.url(), provider.url()),
            "test.yaml",
            Map.of());
    engine = Engine.start(config, new NoRecorder(), null, loops);
  }

  @AfterEach
  void stop() {
    engine.close();
    loops.close();
    provider.close();
  }

  private static ModelRequest weather() {
    var city = Tree.object().put("type", "object");
    city.putObject("properties").putObject("city").put("type", "string");
    return ModelRequest.of("assistant", Message.user("What is the weather in Kraków?"))
        .withTools(List.of(new Tool("weather", "The weather of a city.", city)));
  }

  @Test
  void anAgentIsALoopOverTheEngine() throws Exception {
    provider.script(
        Script.parse(
            """
            models:
              one/gpt-4o:
                script:
                  - openai-rate-limit
                  - { answer: { tool-calls: [ { name: weather, arguments: '{"city":"Kraków"}' } ] } }
                  - { cut: 2 }
                  - { answer: "Sunny." }
            """));
    var asked = new ArrayList<String>();
    var answer =
        run(
            engine.models(),
            weather(),
            arguments -> {
              asked.add(arguments);
              return "sunny";
            });
    assertThat(answer).isNotBlank();
    assertThat(asked).singleElement().asString().contains("Kraków");
  }

  @Test
  void eventsArriveInOrderAndTheOutcomeHasEveryAttempt() throws Exception {
    provider.script(Script.parse("models: { one/gpt-4o: [ openai-server-error, ok ] }"));
    var text = new StringBuilder();
    var others = new ArrayList<ModelEvent>();
    var outcome =
        engine
            .models()
            .call(
                ModelRequest.of("assistant", Message.user("Hello")),
                event -> {
                  if (event instanceof ModelEvent.Text more) {
                    assertThat(others).isEmpty();
                    text.append(more.text());
                  } else {
                    others.add(event);
                  }
                });
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ModelOutcome.Answered.class,
            answered -> {
              assertThat(answered.message().text()).isEqualTo(text.toString()).isNotEmpty();
              assertThat(answered.evidence().attempts())
                  .extracting(AttemptRecord::verdict)
                  .containsExactly("TRANSIENT/server_error", null);
              var call = Objects.requireNonNull(answered.evidence().call());
              assertThat(others)
                  .containsExactly(
                      new ModelEvent.Usage(Objects.requireNonNull(call.tokens())),
                      new ModelEvent.Ended(ModelOutcome.Ending.STOP));
            });
  }

  @Test
  void aFailureHasItsVerdictAndTheProvidersWords() throws Exception {
    provider.script(
        Script.parse(
            "models: { \"*\": { script: [ { status: 400, body: { error: { message: no such thing,"
                + " type: invalid_request_error } } } ], then: repeat } }"));
    assertThat(engine.models().call(ModelRequest.of("one/gpt-4o", Message.user("Hello"))))
        .isInstanceOfSatisfying(
            ModelOutcome.Failed.class,
            failed -> {
              assertThat(failed.failureClass()).isEqualTo(FailureClass.LOGIC);
              assertThat(failed.message()).isEqualTo("no such thing");
              assertThat(failed.evidence().attempts()).hasSize(1);
            });
  }

  @Test
  void aCancelledCallEndsAndItsProviderSeesTheClientLeave() throws Exception {
    provider.script(Script.parse("models: { one/gpt-4o: [ { silence: 2 } ] }"));
    var call = engine.models().start(ModelRequest.of("one/gpt-4o", Message.user("Hello")));
    var outcome = call.await(event -> call.cancel());
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ModelOutcome.Failed.class,
            failed -> assertThat(failed.kind()).isEqualTo(Kind.CANCELLED));
  }

  private static final class NoRecorder implements Recorder {
    @Override
    public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {}

    @Override
    public boolean flush(java.time.Duration patience) {
      return true;
    }

    @Override
    public Health health() {
      return new Health(null, 0, 0, 0, 0, 0);
    }
  }
}
