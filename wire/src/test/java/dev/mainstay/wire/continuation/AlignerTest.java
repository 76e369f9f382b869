package dev.mainstay.wire.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.continuation.Aligner.Refusal;
import dev.mainstay.wire.continuation.Seam.Certainty;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AlignerTest {
  private static final String STORY =
      "The harbour was quiet that morning, and the first boats came back with the tide.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        // what the client has | what comes back | what the client gets of it | seam | swallowed
        "The harbour was quiet| that morning| that morning|EXACT|0",
        "The harbour was quiet|The harbour was quiet that morning| that morning|ALIGNED|21",
        "The harbour was quiet|was quiet that morning| that morning|ALIGNED|9",
        "The harbour was quiet|\"was quiet that morning| that morning|ALIGNED|10",
        "The harbour was quiet|…harbour was quiet that morning, and| that morning, and|ALIGNED|18",
        "She said that |that was it, nothing else to tell|that was it, nothing else to"
            + " tell|UNCERTAIN|0",
        "na na na na na |na na hey hey, goodbye to you all|na na hey hey, goodbye to you"
            + " all|UNCERTAIN|0",
        "She counted 1, 0, 0, 0, |0, 0, 0, 0, 0, 0, 0, 0, 0, 2|0, 0, 0, 0, 0, 0, 0, 0, 0,"
            + " 2|UNCERTAIN|0",
        "港は静かだった。朝の船が|だった。朝の船が帰ってきた。|帰ってきた。|ALIGNED|8",
        "A smile 🙂🙃|🙃😉 and more of the same smiles|🙃😉 and more of the same smiles|EXACT|0",
      })
  void afterAPrefill(
      String delivered, String back, String given, Certainty certainty, int swallowed) {
    var aligner = new Aligner(delivered, Mode.PREFILL, false, false, false, List.of());
    assertThat(all(aligner, back)).isEqualTo(given);
    assertThat(aligner.seam()).isEqualTo(new Seam(certainty, swallowed));
  }

  @Test
  void byInstructionWithoutARepetitionTheSeamIsUncertain() {
    var aligner = new Aligner(STORY, Mode.INSTRUCTION, false, false, false, List.of());
    assertThat(all(aligner, " Nobody spoke.")).isEqualTo(" Nobody spoke.");
    assertThat(aligner.seam().certainty()).isEqualTo(Certainty.UNCERTAIN);
  }

  @Test
  void aSpaceThatWasTrimmedIsNotGivenTwiceNorLost() {
    for (var back : List.of("that morning, when", " that morning, when", "\nthat morning, when")) {
      var aligner =
          new Aligner("The harbour was quiet ", Mode.PREFILL, true, false, false, List.of());
      assertThat(all(aligner, back))
          .isEqualTo(back.strip().isEmpty() ? "" : back.replaceFirst("^ ", ""));
    }
    var repeating =
        new Aligner("The harbour was quiet\n\n", Mode.PREFILL, true, false, false, List.of());
    assertThat(all(repeating, "harbour was quiet\n\nThen it rained.")).isEqualTo("Then it rained.");
  }

  @Test
  void anotherAnswerIsRefused() {
    var aligner = new Aligner(STORY, Mode.INSTRUCTION, false, false, false, List.of());
    var piece = aligner.feed("The harbour was quiet that evening, when nothing moved at all.");
    assertThat(piece.text()).isEmpty();
    assertThat(piece.refused()).isEqualTo(Refusal.DIVERGED);
    assertThat(aligner.finish(false).refused()).isEqualTo(Refusal.DIVERGED);
  }

  @Test
  void aRowThatBeginsLikeTheRowsBeforeIsNoOtherAnswer() {
    String rows =
        "{\"type\":\"record\",\"owner\":\"ann\",\"id\":1}\n"
            + "{\"type\":\"record\",\"owner\":\"bob\",\"id\":2}\n";
    String next = "{\"type\":\"record\",\"owner\":\"cid\",\"id\":3}\n";
    var aligner = new Aligner(rows, Mode.INSTRUCTION, false, false, false, List.of());
    assertThat(all(aligner, next)).isEqualTo(next);
  }

  @ParameterizedTest
  @ValueSource(strings = {"E", "Eve", "Everything"})
  void tooLittleToTellARepetitionByIsRefused(String delivered) {
    for (var mode : List.of(Mode.PREFILL, Mode.INSTRUCTION)) {
      var aligner = new Aligner(delivered, mode, false, false, false, List.of());
      assertThat(aligner.feed("Everything went well at the harbour").refused())
          .isEqualTo(Refusal.AMBIGUOUS);
    }
    var again = new Aligner(delivered, Mode.RESTART, false, false, false, List.of());
    assertThat(delivered + all(again, "Everything went well")).isEqualTo("Everything went well");
  }

  @Test
  void aKnownEchoIsLeftOutHoweverShort() {
    var aligner = new Aligner("Ev", Mode.PREFILL, false, true, false, List.of());
    assertThat(all(aligner, "Everything went well")).isEqualTo("erything went well");
    var silent = new Aligner("Ev", Mode.PREFILL, false, true, false, List.of());
    assertThat(all(silent, "erything went well")).isEqualTo("erything went well");
  }

  @Test
  void aRestartMustSayTheSameAgain() {
    var other = new Aligner("The harbour", Mode.RESTART, false, false, false, List.of());
    assertThat(other.feed("The ha").refused()).isNull();
    assertThat(other.feed("nd").refused()).isEqualTo(Refusal.DIVERGED);
    var shorter = new Aligner("The harbour", Mode.RESTART, false, false, false, List.of());
    shorter.feed("The ha");
    assertThat(shorter.finish(false).refused()).isEqualTo(Refusal.DIVERGED);
    var afterReasoning = new Aligner("", Mode.RESTART, false, false, false, List.of());
    assertThat(afterReasoning.feed("T").text()).isEqualTo("T");
  }

  @Test
  void nothingNewIsFine() {
    for (var mode : Mode.values()) {
      var aligner = new Aligner(STORY, mode, false, false, false, List.of());
      var piece = aligner.feed(STORY);
      assertThat(piece.text() + aligner.finish(false).text()).isEmpty();
      assertThat(aligner.finish(false).refused()).isNull();
    }
    var silent = new Aligner(STORY, Mode.PREFILL, false, false, false, List.of());
    assertThat(silent.finish(false)).isEqualTo(new Aligner.Piece("", null, true));
  }

  @Test
  void jsonIsJoinedToOneValue() {
    String begun = "{\"name\": \"Ann\", \"tags\": [\"a";
    var fenced = new Aligner(begun, Mode.INSTRUCTION, false, false, true, List.of());
    assertThat(all(fenced, "```json\n\"Ann\", \"tags\": [\"a\", \"b\"]}\n```\nThat is all."))
        .isEqualTo("\", \"b\"]}");
    var plain = new Aligner(begun, Mode.PREFILL, false, false, true, List.of());
    assertThat(all(plain, "\"]} and a comment")).isEqualTo("\"]}");
    var broken = new Aligner(begun, Mode.INSTRUCTION, false, false, true, List.of());
    assertThat(broken.feed("\", \"b\"]}, because you asked").over()).isTrue();
    var chatter = new Aligner("{\"n\": [1, ", Mode.INSTRUCTION, false, false, true, List.of());
    assertThat(chatter.feed("Sure, here is the rest of it: 2]}").refused())
        .isEqualTo(Refusal.BROKEN_JSON);
    var unclosed = new Aligner(begun, Mode.PREFILL, false, false, true, List.of());
    unclosed.feed("bc\"]");
    assertThat(unclosed.finish(false).refused()).isEqualTo(Refusal.BROKEN_JSON);
    var whole = new Aligner("{\"a\": 1}\n", Mode.INSTRUCTION, false, false, true, List.of());
    assertThat(all(whole, "{\"a\": 1} and that is all there is to say")).isEmpty();
    var limited = new Aligner(begun, Mode.PREFILL, false, false, true, List.of());
    limited.feed("bc\"]");
    assertThat(limited.finish(true).refused()).isNull();
  }

  @Test
  void aFenceOpenedAgainInsideAFenceIsLeftOut() {
    String begun = "Here:\n```java\nint x = 1;\n";
    var aligner = new Aligner(begun, Mode.INSTRUCTION, false, false, false, List.of());
    assertThat(all(aligner, "```java\nint y = 2;\n```\n")).isEqualTo("int y = 2;\n```\n");
    var closing = new Aligner(begun, Mode.PREFILL, false, false, false, List.of());
    assertThat(all(closing, "```\nThat was it.")).isEqualTo("```\nThat was it.");
  }

  @Test
  void aStopSequenceAcrossTheSeamEndsTheAnswer() {
    var aligner =
        new Aligner("one\ntwo\n", Mode.PREFILL, false, false, false, List.of("\n\nEND", "###"));
    assertThat(all(aligner, "\nEND of it, and much more than that")).isEmpty();
    assertThat(aligner.stopSequence()).isEqualTo("\n\nEND");
    var near = new Aligner("one\ntwo\n", Mode.PREFILL, false, false, false, List.of("\n\nEND"));
    assertThat(all(near, "\nENDING well, and much more than that")).isEmpty();
    var miss = new Aligner("one\ntwo\n", Mode.PREFILL, false, false, false, List.of("\n\nEND"));
    assertThat(all(miss, "\nEN")).isEqualTo("\nEN");
  }

  @Test
  void aPairOfSurrogatesIsNeverSplit() {
    var aligner = new Aligner("A smile", Mode.PREFILL, false, false, false, List.of());
    aligner.feed(" is worth more than many words ");
    assertThat(aligner.feed("\ud83d").text()).isEmpty();
    assertThat(aligner.feed("\ude42!").text()).isEqualTo("🙂!");
  }

  static String all(Aligner aligner, String back) {
    var piece = aligner.feed(back);
    var last = aligner.finish(false);
    assertThat(last.refused()).isNull();
    return piece.text() + last.text();
  }
}
