package dev.mainstay.wire.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.JsonNodeFactory;

final class ContinuableTest {
  private static final Delta TEXT = new Delta.Text(0, "Once upon");
  private static final Delta THOUGHT = new Delta.Reasoning(0, "Hm.");
  private static final Delta SEAL =
      new Delta.ReasoningSeal(0, Dialect.ANTHROPIC, JsonNodeFactory.instance.stringNode("s"));
  private static final Delta NATIVE =
      new Delta.Native(0, Dialect.ANTHROPIC, JsonNodeFactory.instance.objectNode());

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void textMayBeGoneOnWithAndReasoningAloneIsRestarted(Dialect dialect) {
    assertThat(judge("{}", dialect, TEXT)).isEqualTo(new Continuable.Yes());
    var thought = judge("{}", dialect, THOUGHT);
    if (dialect == Dialect.ANTHROPIC) {
      assertThat(thought).isInstanceOf(Continuable.No.class);
    } else {
      assertThat(thought).isEqualTo(new Continuable.Restart());
    }
    assertThat(judge("{}", dialect, THOUGHT, SEAL)).isEqualTo(new Continuable.Restart());
    assertThat(judge("{}", dialect, THOUGHT, SEAL, TEXT)).isEqualTo(new Continuable.Yes());
    assertThat(judge("{}", dialect)).isEqualTo(new Continuable.Restart());
    var ours = Delivered.of(List.of(THOUGHT)).sealed();
    assertThat(Continuable.judge("{}".getBytes(StandardCharsets.UTF_8), dialect, ours))
        .isEqualTo(new Continuable.Restart());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "OPENAI_CHAT|{\"n\":2}|Several answers",
        "OPENAI_CHAT|{\"logprobs\":true}|Log probabilities",
        "OPENAI_CHAT|{\"modalities\":[\"text\",\"audio\"]}|image or a sound",
        "MISTRAL|{\"n\":3}|Several answers",
        "OPENAI_RESPONSES|{\"include\":[\"message.output_text.logprobs\"]}|Log probabilities",
        "OPENAI_RESPONSES|{\"conversation\":\"conv_1\"}|keeps this conversation",
        "OPENAI_RESPONSES|{\"background\":true}|in the background",
        "GEMINI|{\"generationConfig\":{\"candidateCount\":2}}|Several answers",
        "GEMINI|{\"generation_config\":{\"response_logprobs\":true}}|Log probabilities",
        "GEMINI|{\"generationConfig\":{\"responseModalities\":[\"TEXT\",\"IMAGE\"]}}|image or a"
            + " sound",
      })
  void someRequestsCannotBeGoneOnWith(Dialect dialect, String body, String reason) {
    assertThat(judge(body, dialect, TEXT))
        .isInstanceOfSatisfying(
            Continuable.No.class, no -> assertThat(no.reason()).contains(reason).endsWith("."));
  }

  @Test
  void someThingsDeliveredCannotBeGoneOnWith() {
    for (Delta one :
        List.of(
            new Delta.ToolCall(0, 0, "c", "f", null),
            new Delta.Media(0, "image/png", "AA=="),
            new Delta.Refusal(0, "I cannot"),
            new Delta.Text(1, "two"),
            new Delta.Text(0, "x".repeat(Delivered.MAX_TEXT)))) {
      assertThat(judge("{}", Dialect.ANTHROPIC, TEXT, one)).isInstanceOf(Continuable.No.class);
    }
  }

  @Test
  void whatAProvidersOwnToolsFoundCanBeGivenBackWhereTheDialectHasWordsForIt() {
    for (var dialect : Dialect.values()) {
      boolean words = dialect != Dialect.OPENAI_CHAT && dialect != Dialect.MISTRAL;
      assertThat(judge("{}", dialect, TEXT, NATIVE))
          .as("in %s", dialect)
          .isInstanceOf(words ? Continuable.Yes.class : Continuable.No.class);
    }
  }

  @Test
  void whereOnlyTheEndingIsMissingNothingIsAsked() {
    var stop = new Delta.Finished(0, Ending.STOP, "end_turn", null);
    assertThat(judge("{}", Dialect.ANTHROPIC, TEXT, stop))
        .isEqualTo(new Continuable.Complete(stop, true));
    var call = new Delta.ToolCall(0, 0, "c", "f", null);
    var tools = new Delta.Finished(0, Ending.TOOL_CALLS, "tool_use", null);
    assertThat(judge("{}", Dialect.ANTHROPIC, call, tools))
        .isEqualTo(new Continuable.Complete(tools, true));
    assertThat(judge("{\"n\":2}", Dialect.OPENAI_CHAT, TEXT, stop))
        .isInstanceOf(Continuable.No.class);
    assertThat(
            judge(
                "{\"response_format\":{\"type\":\"json_object\"}}",
                Dialect.OPENAI_CHAT,
                new Delta.Text(0, "{\"a\": [1]}")))
        .isEqualTo(
            new Continuable.Complete(new Delta.Finished(0, Ending.STOP, "stop", null), false));
    var used = new Delta.Used(new Usage(10, 0, 0, 64, 0, false));
    assertThat(judge("{\"max_tokens\":64}", Dialect.ANTHROPIC, TEXT, used))
        .isEqualTo(
            new Continuable.Complete(
                new Delta.Finished(0, Ending.LENGTH, "max_tokens", null), false));
    assertThat(judge("{\"max_tokens\":65}", Dialect.ANTHROPIC, TEXT, used))
        .isEqualTo(new Continuable.Yes());
  }

  private static Continuable judge(String body, Dialect dialect, Delta... deltas) {
    return Continuable.judge(
        body.getBytes(StandardCharsets.UTF_8), dialect, Delivered.of(List.of(deltas)));
  }
}
