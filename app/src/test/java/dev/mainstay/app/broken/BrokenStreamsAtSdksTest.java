package dev.mainstay.app.broken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.app.broken.Breaking.Case;
import dev.mainstay.app.broken.Breaking.Result;
import dev.mainstay.app.broken.Breaking.Way;
import dev.mainstay.simulator.Answer;
import dev.mainstay.simulator.Continues;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The proof of continuation once more, with the official Java SDKs as the clients: wherever and
 * however a stream breaks, a program has the whole answer from its SDK, once, or the SDK's own
 * error. Says in the end how many streams there were.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class BrokenStreamsAtSdksTest {
  private static final Answer TEXT =
      Answer.ofText("The naïve café in Kraków serves 12 crêpes for 30 € 🙂.");
  private static final Answer JSON =
      Answer.ofText(
          "{\"harbour\": \"Kraków\", \"boats\": [12, {\"name\": \"Zoë 🙂\"}], \"open\": true}");
  private static final Answer REASONED =
      new Answer(TEXT.text(), "They ask, so I say.", List.of(), null, null);
  private static final Answer CALLING =
      new Answer("I look and send.", null, Breaking.TWO_CALLS, null, null);

  private static int whole;
  private static int typed;

  @SuppressWarnings("NullAway.Init")
  private static Breaking breaking;

  @BeforeAll
  static void start() throws Exception {
    breaking = new Breaking();
  }

  @AfterAll
  static void stop() {
    breaking.close();
    System.out.printf(
        "%d broken streams = %d whole answers + %d typed errors (openai-java, anthropic-java)%n",
        whole + typed, whole, typed);
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenAnswerIsFinished(Sdk sdk) throws Exception {
    var cases = new ArrayList<Case>();
    for (var answer : List.of(TEXT, JSON, REASONED, CALLING)) {
      cases.addAll(cases(sdk.dialect, answer, Continues.values(), Way.values()));
    }
    none(sdk, cases, result -> unsigned(sdk, result) ? broken(result) : whole(sdk, result));
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerOfAnotherDialectIsFinished(Sdk sdk) throws Exception {
    var anew = new Continues[] {Continues.STARTING_OVER};
    var cases = new ArrayList<Case>();
    for (var target : sdk.dialect.others()) {
      // The other dialects are read by the same code, whoever the client is.
      var habits = target == sdk.dialect.next() ? Continues.values() : anew;
      for (var answer : List.of(REASONED, CALLING)) {
        cases.addAll(cases(target, answer, habits, Way.values()));
      }
    }
    none(sdk, cases, result -> whole(sdk, result));
  }

  @ParameterizedTest
  @EnumSource
  void whatBreaksAtEveryAttemptIsNeverTakenForWhole(Sdk sdk) throws Exception {
    // One that begins anew breaks between the same two events; one that goes on, wherever it is.
    var anew = new Continues[] {Continues.STARTING_OVER};
    var on = new Continues[] {Continues.EXACTLY};
    var ways = new Way[] {Way.CUT, Way.ENDS, Way.ERROR_EVENT, Way.MALFORMED};
    var cases = new ArrayList<Case>();
    for (var answer : List.of(TEXT, CALLING)) {
      cases.addAll(cases(sdk.dialect, answer, anew, ways));
      cases.addAll(cases(sdk.dialect, answer, on, new Way[] {Way.CUT, Way.ENDS}));
    }
    int before = typed;
    none(
        sdk,
        breaking.always(cases),
        result -> isBroken(result) ? broken(result) : whole(sdk, result));
    assertThat(typed - before).isGreaterThan(cases.size() / 3);
  }

  private static List<Case> cases(Speaking target, Answer answer, Continues[] habits, Way[] ways)
      throws Exception {
    return breaking.cases(target, answer, more(target, answer), habits, ways);
  }

  /** What {@code answer} is asked for with. */
  private static String more(Speaking dialect, Answer answer) {
    if (answer == CALLING) {
      return dialect.tools();
    }
    return answer == JSON ? dialect.json() : "";
  }

  private interface Judge {
    /** What is wrong with it. */
    List<String> of(Result result);
  }

  private static void none(Sdk sdk, List<Case> cases, Judge judge) throws Exception {
    assertThat(cases).hasSizeGreaterThan(300);
    var wrong = new ArrayList<String>();
    for (var result : breaking.run(sdk::at, cases, answer -> more(sdk.dialect, answer), "")) {
      if (isBroken(result)) {
        typed++;
      } else {
        whole++;
      }
      var found = judge.of(result);
      if (!found.isEmpty()) {
        wrong.add(found + " " + result);
      }
    }
    assertThat(wrong.stream().limit(5)).as("%d of %d", wrong.size(), cases.size()).isEmpty();
  }

  private static boolean isBroken(Result result) {
    return !result.heard().errors.isEmpty();
  }

  /** Anthropic's own thinking without its signature: no beginning that anybody could go on from. */
  private static boolean unsigned(Sdk sdk, Result result) {
    var heard = result.heard();
    return sdk == Sdk.ANTHROPIC
        && result.what().target() == Speaking.ANTHROPIC
        && !heard.reasoning.isEmpty()
        && heard.text.isEmpty()
        && !heard.signed;
  }

  /** What is missing or too much in an answer; nothing where it is the whole one, once. */
  private static List<String> whole(Sdk sdk, Result result) {
    var heard = result.heard();
    var answer = result.what().answer();
    var calls = answer.toolCalls().stream().map(call -> call.name() + call.arguments()).toList();
    var wrong = new ArrayList<>(heard.faults);
    if (!heard.success()) {
      wrong.add("no success");
    }
    if (!heard.text.toString().equals(answer.text())) {
      wrong.add("another text");
    }
    if (!isPrefix(heard.reasoning, answer.reasoning())) {
      wrong.add("other reasoning");
    }
    if (!heard.calls().equals(calls)) {
      wrong.add("other calls");
    }
    if (!heard.finishes.equals(sdk.ending(!calls.isEmpty()))) {
      wrong.add("another ending");
    }
    return wrong;
  }

  /** The same for an error: before it came a beginning of the answer, and no more. */
  private static List<String> broken(Result result) {
    var heard = result.heard();
    var answer = result.what().answer();
    var wrong = new ArrayList<>(heard.faults);
    boolean begun = !heard.text.isEmpty() || !heard.reasoning.isEmpty();
    String expected = begun ? "SseException: " : "InternalServerException: ";
    if (heard.errors.size() != 1 || !heard.errors.getFirst().startsWith(expected)) {
      wrong.add("not one " + expected);
    }
    if (!isPrefix(heard.text, answer.text()) || !isPrefix(heard.reasoning, answer.reasoning())) {
      wrong.add("no beginning of the answer");
    }
    if (heard.ended() || !heard.calls().isEmpty() || !heard.finishes.isEmpty()) {
      wrong.add("more than a beginning");
    }
    return wrong;
  }

  private static boolean isPrefix(StringBuilder heard, @Nullable String said) {
    return Objects.requireNonNullElse(said, "").startsWith(heard.toString());
  }
}
