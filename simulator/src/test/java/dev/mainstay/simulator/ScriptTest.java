package dev.mainstay.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptTest {
  /** A buffer that ends inside a character of two halves made the parser fail. */
  @Test
  void charactersOfTwoHalvesMayStandAnywhere() {
    for (int i = 0; i < 2; i++) {
      var text = "x".repeat(i) + "🌍".repeat(3000);
      var script = Script.parse("{\"models\":{\"m\":[{\"answer\":\"" + text + "\"}]}}");
      assertThat(script.models()).containsKey("m");
    }
  }

  @Test
  void readsEveryFormOfStep() {
    var script =
        Script.parse(
            """
            models:
              gpt-4o:
                script:
                  - ok
                  - openai-rate-limit
                  - { fault: openai-server-error, times: 3, delay: 50ms }
                  - { status: 418, headers: { X-Tea: yes please }, body: { pot: short } }
                  - { reset: before-headers }
                  - { silence: 2, for: 3s }
                  - { cut-inside: character }
                  - { error-event: { error: { message: no } }, at: 4 }
                  - { answer: { text: hello, tool-calls: [ { name: t, arguments: { a: 1 } } ], finish: length }, drip: 10ms }
                then: repeat
                limit: { requests: 5, window: 10s }
                flap: { good: 2s, bad: 1s, with: openai-server-error }
            keys: { sk-poor: openai-insufficient-quota }
            known-only: true
            """);
    var model = Objects.requireNonNull(script.models().get("gpt-4o"));
    List<Step> steps = model.steps();
    assertThat(steps.get(0)).isEqualTo(Step.OK);
    assertThat(steps.get(2))
        .isEqualTo(Faults.step("openai-server-error").times(3).after(Duration.ofMillis(50)));
    assertThat(steps.get(3).fault())
        .isEqualTo(new Fault.Reply(418, Map.of("x-tea", "yes please"), "{\"pot\":\"short\"}"));
    assertThat(steps.get(4).fault()).isEqualTo(new Fault.Reset(FaultPoint.BEFORE_HEADERS));
    assertThat(steps.get(5).fault())
        .isEqualTo(new Fault.Silence(FaultPoint.after(2), Duration.ofSeconds(3)));
    assertThat(steps.get(7).fault())
        .isEqualTo(new Fault.ErrorEvent(FaultPoint.after(4), "{\"error\":{\"message\":\"no\"}}"));
    assertThat(steps.get(8).answer())
        .isEqualTo(
            new Answer(
                "hello", null, List.of(new Answer.ToolCall("t", "{\"a\":1}")), "length", null));
    assertThat(model.repeat()).isTrue();
    assertThat(model.limit()).isEqualTo(new Script.RateLimit(5, 0, Duration.ofSeconds(10)));
    assertThat(script.keys().get("sk-poor")).isEqualTo(Faults.step("openai-insufficient-quota"));
    assertThat(script.knownOnly()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "modles: {} | unknown field \"modles\"; allowed: keys, known-only, models",
        "[] | found a list",
        "models: { m: [ what ] } | models.m[0]: found \"what\", allowed: ok or one of"
            + " anthropic-bad-key",
        "models: { m: [ { reset: soon } ] } | models.m[0].reset: found \"soon\", allowed:"
            + " before-headers",
        "models: { m: [ { drip: fast } ] } | models.m[0].drip: found \"fast\", allowed: a duration",
        "models: { m: [ { status: 99 } ] } | models.m[0]: status must be 200 to 599, not 99",
        "models: { m: [ { times: 0 } ] } | models.m[0]: times must be at least 1, not 0",
        "models: { m: { then: stop } } | models.m.then: found \"stop\", allowed: ok or repeat",
        "'models: { m: [ ' | line 1",
      })
  void saysWhereAMistakeIsAndWhatIsAllowed(String yaml, String message) {
    assertThatThrownBy(() -> Script.parse(yaml))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void flapsByTheClock() {
    var clock = new AtomicLong(1_000);
    var stage = new ScriptProgress(clock::get);
    stage.set(
        Script.parse("models: { m: { flap: { good: 2s, bad: 1s, with: { status: 503 } } } }"));
    var seen = new StringBuilder();
    for (int half = 0; half < 12; half++) {
      var cue = stage.next("", "m", "", 1);
      seen.append(
          cue instanceof ScriptProgress.Next.Play(Step step) && step.fault() instanceof Fault.Reply
              ? 'x'
              : '.');
      clock.addAndGet(500_000_000L);
    }
    assertThat(seen).hasToString("....xx....xx");
  }

  @Test
  void limitsSlideWithTheClock() {
    var clock = new AtomicLong();
    var stage = new ScriptProgress(clock::get);
    stage.set(Script.parse("models: { '*': { limit: { tokens: 100, window: 10s } } }"));
    assertThat(stage.next("", "a", "k", 60)).isInstanceOf(ScriptProgress.Next.Play.class);
    assertThat(stage.next("", "a", "k", 60))
        .isEqualTo(new ScriptProgress.Next.Limited(true, 100, 10_000));
    assertThat(stage.next("", "b", "k", 60)).isInstanceOf(ScriptProgress.Next.Play.class);
    clock.addAndGet(4_000_000_000L);
    assertThat(stage.next("", "a", "k", 60))
        .isEqualTo(new ScriptProgress.Next.Limited(true, 100, 6_000));
    clock.addAndGet(6_000_000_000L);
    assertThat(stage.next("", "a", "k", 60)).isInstanceOf(ScriptProgress.Next.Play.class);
  }

  @Test
  void theMostTellingNameCounts() {
    var stage = new ScriptProgress(() -> 0);
    var script =
        Script.of("*", Step.OK.named("all"))
            .and("p/*", Step.OK.named("provider"))
            .and("m", Step.OK.named("model"));
    stage.set(script.and("p/m", Step.OK.named("both")));
    assertThat(stage.next("p", "m", "", 1))
        .isEqualTo(new ScriptProgress.Next.Play(Step.OK.named("both")));
    assertThat(stage.next("q", "m", "", 1))
        .isEqualTo(new ScriptProgress.Next.Play(Step.OK.named("model")));
    assertThat(stage.next("p", "x", "", 1))
        .isEqualTo(new ScriptProgress.Next.Play(Step.OK.named("provider")));
    assertThat(stage.next("q", "x", "", 1))
        .isEqualTo(new ScriptProgress.Next.Play(Step.OK.named("all")));
  }
}
