package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.ToolCallCheck.Call;
import dev.mainstay.wire.repair.ToolCallCheck.Fit;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.translate.Delta;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The calls that a model meant when it called {@code multi_tool_use.parallel}. */
final class ParallelWrapperTest {
  private static final String TOOLS =
      "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"strict\":true,"
          + "\"parameters\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},"
          + "\"required\":[\"path\"]}}},"
          + "{\"type\":\"function\",\"function\":{\"name\":\"list\"}}]}";

  private static final String USES =
      "{\"tool_uses\":[{\"recipient_name\":\"functions.read_file\",\"parameters\":{\"path\":\"a\"}},"
          + "{\"recipient_name\":\"list\",\"parameters\":{}},"
          + "{\"recipient_name\":\"functions.read_file\",\"parameters\":{\"path\":\"b\"}}]}";

  private static final List<Call> MEANT =
      List.of(
          new Call("read_file", "{\"path\":\"a\"}"),
          new Call("list", "{}"),
          new Call("read_file", "{\"path\":\"b\"}"));

  private static ToolCallCheck check(String more, Set<CallRepair> allowed) {
    var request = "{" + more + TOOLS;
    return new ToolCallCheck(
        OfferedTools.read(Dialect.OPENAI_CHAT, request.getBytes(StandardCharsets.UTF_8)),
        allowed,
        Fit.STRICT);
  }

  private static ToolCallCheck check() {
    return check("", EnumSet.allOf(CallRepair.class));
  }

  private static Result unfold(String arguments) {
    return check().check("multi_tool_use.parallel", arguments);
  }

  @Test
  void itsCallsComeInItsPlace() {
    assertThat(unfold(USES)).isEqualTo(new Result.Unfolded(MEANT, Set.of(CallRepair.TOOL_NAME)));
    assertThat(check().check("functions.multi_tool_use.parallel", USES))
        .isInstanceOf(Result.Unfolded.class);
  }

  @Test
  void alsoFromAWrapperWithinIt() {
    var nested =
        "{\"tool_uses\":[{\"recipient_name\":\"multi_tool_use.parallel\",\"parameters\":"
            + USES
            + "},{\"recipient_name\":\"functions.list\"}]}";
    assertThat(unfold(nested))
        .isInstanceOfSatisfying(
            Result.Unfolded.class,
            unfolded -> {
              assertThat(unfolded.calls()).startsWith(MEANT.toArray(Call[]::new)).hasSize(4);
              assertThat(unfolded.calls().getLast()).isEqualTo(new Call("list", "{}"));
            });
  }

  @Test
  void argumentsAreMendedWithinItToo() {
    var uses =
        "{\"tool_uses\":[{\"recipient_name\":\"ReadFile\",\"parameters\":\"{'path': 'a',}\"}]}";
    assertThat(unfold(uses))
        .isEqualTo(
            new Result.Unfolded(
                List.of(new Call("read_file", "{\"path\":\"a\"}")),
                EnumSet.allOf(CallRepair.class)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "",
        "{\"tool_uses\":[]}",
        "{\"tool_uses\":{}}",
        "{\"tool_uses\":[{\"recipient_name\":\"rm\",\"parameters\":{}}]}",
        "{\"tool_uses\":[{\"recipient_name\":\"list\",\"parameters\":[1]}]}",
        "{\"tool_uses\":[{\"recipient_name\":\"list\"},{\"recipient_name\":\"read_file\",\"parameters\":{}}]}",
        "{\"tool_uses\":[{\"parameters\":{}}]}",
        "{\"tool_uses\":[{\"recipient_name\":\"list\"}",
      })
  void whereOneIsNotCertainTheModelIsAskedAgain(String arguments) {
    assertThat(unfold(arguments))
        .isInstanceOfSatisfying(
            Result.Bad.class,
            bad -> assertThat(bad.reason()).startsWith("There is no tool named multi_tool_use"));
  }

  @Test
  void aRequestForOneCallAtMostGetsNoMore() {
    var all = EnumSet.allOf(CallRepair.class);
    var one = check("\"parallel_tool_calls\":false,", all);
    assertThat(one.check("multi_tool_use.parallel", USES)).isInstanceOf(Result.Bad.class);
    assertThat(
            one.check(
                "multi_tool_use.parallel",
                "{\"tool_uses\":[{\"recipient_name\":\"list\",\"parameters\":{}}]}"))
        .isInstanceOf(Result.Unfolded.class);
    assertThat(check("", EnumSet.noneOf(CallRepair.class)).check("multi_tool_use.parallel", USES))
        .isInstanceOf(Result.Good.class);
  }

  @Test
  void aTurnsOtherCallsKeepTheirOrderAndIds() {
    var turn =
        List.<Delta>of(
            new Delta.ToolCall(0, 0, "c1", "list", null),
            new Delta.Arguments(0, 0, "{}"),
            new Delta.ToolCall(0, 1, "c2", "multi_tool_use.parallel", null),
            new Delta.Arguments(0, 1, USES.substring(0, 30)),
            new Delta.ToolCall(0, 2, "c3", "list", null),
            new Delta.Arguments(0, 2, "{}"),
            new Delta.Arguments(0, 1, USES.substring(30)),
            new Delta.Finished(0, Delta.Ending.TOOL_CALLS, "tool_calls", null));
    var repaired = TurnRepair.apply(turn, check());
    assertThat(repaired.bad()).isEmpty();
    assertThat(repaired.made()).containsExactly(CallRepair.TOOL_NAME);
    assertThat(repaired.deltas())
        .containsExactly(
            turn.get(0),
            turn.get(1),
            new Delta.ToolCall(0, 1, "c2_1", "read_file", null),
            new Delta.Arguments(0, 1, "{\"path\":\"a\"}"),
            new Delta.ToolCall(0, 2, "c2_2", "list", null),
            new Delta.Arguments(0, 2, "{}"),
            new Delta.ToolCall(0, 3, "c2_3", "read_file", null),
            new Delta.Arguments(0, 3, "{\"path\":\"b\"}"),
            new Delta.ToolCall(0, 4, "c3", "list", null),
            new Delta.Arguments(0, 4, "{}"),
            turn.getLast());
    assertThat(TurnRepair.apply(repaired.deltas(), check()).deltas()).isEqualTo(repaired.deltas());
  }

  @Test
  void aWholeAnswerIsChangedNowhereElse() {
    var wrapper = BodyEdits.quoted(USES);
    var answer =
        "{\"id\":\"x\", \"choices\":[{\"message\":{\"tool_calls\":["
            + " {\"id\":\"c0\",\"type\":\"function\",\"function\":{\"name\":\"list\",\"arguments\":\"{}\"}},"
            + " {\"id\":\"c1\", \"own\":1.50,"
            + "\"function\":{\"name\":\"multi_tool_use.parallel\",\"arguments\":"
            + wrapper
            + "}} ]}}],\"u\":1.0}";
    var repaired = AnswerRepair.apply(Dialect.OPENAI_CHAT, BodyEdits.utf8(answer), check());
    assertThat(repaired.bad()).isEmpty();
    assertThat(new String(repaired.body(), StandardCharsets.UTF_8))
        .isEqualTo(
            answer.replaceFirst(
                "(?s)\\{\"id\":\"c1\".*?\\} \\]",
                "{\"id\":\"c1_1\","
                    + " \"own\":1.50,\"function\":{\"name\":\"read_file\",\"arguments\":\"{\\\\\"path\\\\\":\\\\\"a\\\\\"}\"}},{\"id\":\"c1_2\","
                    + " \"own\":1.50,\"function\":{\"name\":\"list\",\"arguments\":\"{}\"}},{\"id\":\"c1_3\","
                    + " \"own\":1.50,\"function\":{\"name\":\"read_file\",\"arguments\":\"{\\\\\"path\\\\\":\\\\\"b\\\\\"}\"}}"
                    + " ]"));
  }

  @Test
  void inTheOtherDialectsToo() {
    var responses =
        "{\"output\":[{\"id\":\"fc_1\",\"type\":\"function_call\",\"call_id\":\"call_1\","
            + "\"name\":\"multi_tool_use.parallel\",\"arguments\":"
            + BodyEdits.quoted(USES)
            + "}]}";
    assertThat(repaired(Dialect.OPENAI_RESPONSES, responses))
        .contains("\"id\":\"fc_1_1\"", "\"call_id\":\"call_1_1\"", "\"call_id\":\"call_1_3\"");
    var messages =
        "{\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"multi_tool_use.parallel\","
            + "\"input\":"
            + USES
            + "}]}";
    assertThat(repaired(Dialect.ANTHROPIC, messages))
        .contains("\"id\":\"toolu_1_2\",\"name\":\"list\",\"input\":{}");
    var gemini =
        "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{"
            + "\"name\":\"multi_tool_use.parallel\",\"args\":"
            + USES
            + "}}]}}]}";
    assertThat(repaired(Dialect.GEMINI, gemini))
        .contains("{\"functionCall\":{\"name\":\"list\",\"args\":{}}}");
  }

  private static String repaired(Dialect dialect, String body) {
    return new String(
        AnswerRepair.apply(dialect, BodyEdits.utf8(body), check()).body(), StandardCharsets.UTF_8);
  }
}
