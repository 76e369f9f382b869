package dev.mainstay.app.broken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.app.broken.Breaking.Way;
import dev.mainstay.simulator.Answer;
import dev.mainstay.simulator.Continues;
import dev.mainstay.simulator.FaultPoint;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The proof of continuation: an answer of each dialect is recorded; then it breaks at every point
 * (before and after every event, and inside every event: after its first byte, in its middle,
 * before its last byte), in every way, at targets of every habit. Real sockets, one gateway, one
 * simulator, thousands of streams. The client must end with the whole answer, or with an error that
 * its SDK raises: never with half an answer taken for whole, never with a character or a tool call
 * twice.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class BrokenStreamsTest {
  private static final Answer TEXT = Answer.USUAL;
  private static final Answer REASONED =
      new Answer(TEXT.text(), "They ask how it went, so I say it.", List.of(), null, null);
  private static final Answer CALLING =
      new Answer("I look at it and then send it.", null, Breaking.TWO_CALLS, null, null);

  @SuppressWarnings("NullAway.Init")
  private static Breaking breaking;

  @BeforeAll
  static void start() throws Exception {
    breaking = new Breaking();
  }

  @AfterAll
  static void stop() {
    breaking.close();
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenAnswerIsFinished(Speaking dialect) throws Exception {
    var cases = breaking.cases(dialect, TEXT, "", Continues.values(), Way.values());
    for (var result : breaking.run(dialect, cases, "")) {
      assertThat(result.heard().faults).as(result::toString).isEmpty();
      assertThat(result.heard().success()).as(result::toString).isTrue();
      assertThat(result.heard().text).as(result::toString).hasToString(TEXT.text());
      assertThat(result.heard().finishes).as(result::toString).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void toolCallsAreHandedOverOnce(Speaking dialect) throws Exception {
    var cases =
        breaking.cases(
            dialect,
            CALLING,
            dialect.tools(),
            new Continues[] {Continues.EXACTLY, Continues.STARTING_OVER},
            Way.values());
    var good = breaking.good(dialect, CALLING, dialect.tools());
    assertThat(good.calls()).hasSize(2);
    for (var result : breaking.run(dialect, cases, dialect.tools())) {
      assertThat(result.heard().faults).as(result::toString).isEmpty();
      assertThat(result.heard().success()).as(result::toString).isTrue();
      assertThat(result.heard().text).as(result::toString).hasToString(CALLING.text());
      assertThat(result.heard().calls()).as(result::toString).isEqualTo(good.calls());
    }
  }

  @ParameterizedTest
  @EnumSource
  void jsonIsOneValue(Speaking dialect) throws Exception {
    String text =
        "{\"harbour\": \"Kraków\", \"boats\": [12, 30, {\"name\": \"Zoë 🙂\"}], \"open\": true}";
    var cases =
        breaking.cases(
            dialect,
            Answer.ofText(text),
            dialect.json(),
            new Continues[] {Continues.EXACTLY, Continues.REPEATING, Continues.STARTING_OVER},
            new Way[] {Way.CUT, Way.MALFORMED});
    for (var result : breaking.run(dialect, cases, dialect.json())) {
      assertThat(result.heard().faults).as(result::toString).isEmpty();
      assertThat(result.heard().success()).as(result::toString).isTrue();
      assertThat(result.heard().text).as(result::toString).hasToString(text);
    }
  }

  @ParameterizedTest
  @EnumSource
  void reasoningIsNotSaidTwice(Speaking dialect) throws Exception {
    var cases =
        breaking.cases(
            dialect,
            REASONED,
            "",
            new Continues[] {Continues.EXACTLY, Continues.STARTING_OVER},
            new Way[] {Way.CUT, Way.ENDS, Way.ERROR_EVENT});
    String reasoning = String.valueOf(REASONED.reasoning());
    for (var result : breaking.run(dialect, cases, "")) {
      var heard = result.heard();
      assertThat(heard.faults).as(result::toString).isEmpty();
      assertThat(reasoning).as(result::toString).startsWith(heard.reasoning);
      boolean unsigned =
          dialect == Speaking.ANTHROPIC
              && heard.text.isEmpty()
              && !heard.reasoning.isEmpty()
              && !heard.signed;
      if (unsigned) {
        assertThat(heard.errors).as(result::toString).hasSize(1);
        assertThat(heard.ended()).as(result::toString).isFalse();
      } else {
        assertThat(heard.success()).as(result::toString).isTrue();
        assertThat(heard.text).as(result::toString).hasToString(REASONED.text());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBreakInTheContinuationIsOneMore(Speaking dialect) throws Exception {
    var once =
        breaking.cases(
            dialect,
            TEXT,
            "",
            new Continues[] {Continues.REPEATING, Continues.STARTING_OVER},
            new Way[] {Way.CUT, Way.ERROR_EVENT});
    var places = List.of(FaultPoint.AFTER_HEADERS, FaultPoint.after(1), FaultPoint.after(3));
    for (var result : breaking.run(dialect, breaking.twice(once, places), "")) {
      assertThat(result.heard().faults).as(result::toString).isEmpty();
      assertThat(result.heard().success()).as(result::toString).isTrue();
      assertThat(result.heard().text).as(result::toString).hasToString(TEXT.text());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBufferedAnswerIsAlwaysBegunAnew(Speaking dialect) throws Exception {
    for (var answer : List.of(REASONED, CALLING)) {
      String more = answer == CALLING ? dialect.tools() : "";
      var cases =
          breaking.cases(
              dialect,
              answer,
              more,
              new Continues[] {Continues.STARTING_OVER},
              new Way[] {Way.CUT, Way.ENDS, Way.ERROR_EVENT, Way.MALFORMED});
      var good = breaking.good(dialect, answer, more);
      for (var result : breaking.run(dialect, cases, more, "mid-stream: buffer")) {
        assertThat(result.heard().faults).as(result::toString).isEmpty();
        assertThat(result.heard().success()).as(result::toString).isTrue();
        assertThat(result.heard().text).as(result::toString).hasToString(answer.text());
        assertThat(result.heard().reasoning)
            .as(result::toString)
            .hasToString(good.reasoning.toString());
        assertThat(result.heard().calls()).as(result::toString).isEqualTo(good.calls());
        assertThat(result.raw()).doesNotContain("mainstay continues");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCallThatIsStreamedIsNeverBegunTwice(Speaking dialect) throws Exception {
    var cases =
        breaking.cases(
            dialect,
            CALLING,
            dialect.tools(),
            new Continues[] {Continues.EXACTLY, Continues.STARTING_OVER},
            new Way[] {Way.CUT, Way.ENDS, Way.ERROR_EVENT, Way.MALFORMED});
    var good = breaking.good(dialect, CALLING, dialect.tools());
    for (var result : breaking.run(dialect, cases, dialect.tools(), "tool-calls: stream")) {
      var heard = result.heard();
      assertThat(heard.faults).as(result::toString).isEmpty();
      assertThat(CALLING.text()).as(result::toString).startsWith(heard.text);
      if (heard.success()) {
        assertThat(heard.text).as(result::toString).hasToString(CALLING.text());
        assertThat(heard.calls()).as(result::toString).isEqualTo(good.calls());
      } else {
        // The error is for where a call had begun to reach the client.
        assertThat(heard.errors).as(result::toString).hasSize(1);
        assertThat(heard.ended()).as(result::toString).isFalse();
        assertThat(result.raw()).as(result::toString).contains("\"name\":\"look\"");
        for (int i = 0; i < heard.calls().size(); i++) {
          assertThat(good.calls().get(i)).as(result::toString).startsWith(heard.calls().get(i));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerOfAnotherDialectIsFinished(Speaking client) throws Exception {
    for (var target : client.others()) {
      for (var answer : List.of(REASONED, CALLING)) {
        boolean calling = answer == CALLING;
        var cases =
            breaking.cases(
                target,
                answer,
                calling ? target.tools() : "",
                new Continues[] {Continues.STARTING_OVER, Continues.REPEATING},
                new Way[] {Way.CUT, Way.ERROR_EVENT});
        var good = breaking.good(client, answer, calling ? client.tools() : "");
        String reasoning = String.valueOf(answer.reasoning());
        for (var result : breaking.run(client, cases, calling ? client.tools() : "")) {
          var heard = result.heard();
          assertThat(heard.faults).as(result::toString).isEmpty();
          assertThat(reasoning).as(result::toString).startsWith(heard.reasoning);
          assertThat(heard.success()).as(result::toString).isTrue();
          assertThat(heard.text).as(result::toString).hasToString(answer.text());
          assertThat(heard.calls()).as(result::toString).isEqualTo(good.calls());
        }
      }
    }
  }
}
