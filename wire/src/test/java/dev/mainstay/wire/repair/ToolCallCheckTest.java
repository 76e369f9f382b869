package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.ToolCallCheck.Fit;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.translate.Delta;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ToolCallCheckTest {
  private static final Set<CallRepair> ALL = EnumSet.allOf(CallRepair.class);

  /** Names as they were seen in the wild; the tools of the request are on the right. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        // github.com/openai/codex: gpt-oss leaks its channel into the name
        "exec_command<|channel|>commentary ! exec_command,apply_patch ! exec_command",
        "exec_command<|constrain|>json ! exec_command ! exec_command",
        "<|start|>exec_command ! exec_command ! exec_command",
        "assistant to=functions.exec_command ! exec_command ! exec_command",
        // OpenAI's models repeat the namespace their prompt shows them
        "functions.get_weather ! get_weather,get_time ! get_weather",
        // Gemini's tool code
        "default_api:search ! search ! search",
        "default_api.search ! search ! search",
        // Kimi K2 numbers its calls
        "functions.get_weather:0 ! get_weather ! get_weather",
        "get_weather:12 ! get_weather ! get_weather",
        // DeepSeek's and Qwen's templates
        "get_weather<｜tool▁sep｜> ! get_weather ! get_weather",
        "get_weather</tool_call> ! get_weather ! get_weather",
        "Read_File ! read_file ! read_file",
        "readFile ! read_file ! read_file",
        "read-file ! read_file ! read_file",
        "bash ! Bash,Read ! Bash",
        "' `read_file` ' ! read_file ! read_file",
        "\"read_file\" ! read_file ! read_file",
        "read_file() ! read_file ! read_file",
        "mcp__files__read_file ! read_file,write_file ! read_file",
        "read_file ! mcp__files__read_file,mcp__files__write_file ! mcp__files__read_file",
        "get_wheather ! get_weather ! get_weather",
        "list_user ! list_users,get_users ! list_users",
        "serach_documents ! search_documents ! search_documents",
      })
  void aNameIsRepairedWhereTheIntentIsCertain(String called, String offered, String meant) {
    assertThat(check(offered).check(called, "{}"))
        .isEqualTo(new Result.Repaired(meant, "{}", Set.of(CallRepair.TOOL_NAME)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "multi_tool_use.parallel ! get_weather",
        "get_user ! set_user",
        "disable_account ! enable_account",
        "query_db2 ! query_db1",
        "read_file ! mcp__a__read_file,mcp__b__read_file",
        "mcp__gitlab__delete_repo ! mcp__github__delete_repo",
        "readfile ! read_file,read-file",
        "fetch_mails ! fetch_mail,fetch_mailz",
        "delete_all_users ! delete_users",
        "cat ! cut",
        "'' ! read_file",
        "<|channel|> ! read_file",
        "drop_table ! create_table",
      })
  void aNameIsLeftToTheModelWhereItIsNot(String called, String offered) {
    assertThat(check(offered).check(called, "{}"))
        .isInstanceOfSatisfying(
            Result.Bad.class,
            bad -> assertThat(bad.reason()).startsWith("There is no tool named ").endsWith("."));
  }

  @Test
  void aProvidersOwnToolsAreCalledByNamesOfTheirOwn() {
    var check =
        check(
            """
            {"tools":[{"type":"browser_search"},{"type":"function","function":{"name":"exec"}}]}\
            """,
            Fit.STRICT);
    assertThat(check.check("browser.open", "{}")).isInstanceOf(Result.Good.class);
    assertThat(check.check("exec<|channel|>commentary", "{}"))
        .isEqualTo(new Result.Repaired("exec", "{}", Set.of(CallRepair.TOOL_NAME)));
  }

  @Test
  void aTypingErrorNeedsArgumentsThatFit() {
    var check =
        check(
            """
            {"tools":[{"type":"function","function":{"name":"delete_contact","parameters":
            {"type":"object","properties":{"contact":{"type":"string"}},"required":["contact"]}}}]}\
            """,
            Fit.STRICT);
    assertThat(check.check("delete_contract", "{\"contract\":\"7\"}"))
        .isEqualTo(
            new Result.Bad(
                "There is no tool named delete_contract. The tools are delete_contact."));
    assertThat(check.check("delete_contacts", "{\"contact\":\"7\"}"))
        .isInstanceOf(Result.Repaired.class);
  }

  /** Arguments as they were seen in the wild. A backslash before n is a line break here. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "~~ ! {}",
        "~  ~ ! {}",
        "null ! {}",
        "None ! {}",
        "```json#{\"a\":1}#``` ! {\"a\":1}",
        "```#{\"a\":1} ! {\"a\":1}",
        "{\"a\":1,} ! {\"a\":1}",
        "{\"a\":[1,2,],} ! {\"a\":[1,2]}",
        "{\"a\":1}<|call|> ! {\"a\":1}",
        "{\"a\":1}<|im_end|>#<|im_start|>assistant ! {\"a\":1}",
        "<|message|>{\"a\":1} ! {\"a\":1}",
        "<|constrain|>json<|message|>{\"a\":1} ! {\"a\":1}",
        "{\"a\":1}</tool_call> ! {\"a\":1}",
        "{\"a\":1}{\"a\":1} ! {\"a\":1}",
        "{\"a\":1}{\"b\":2} ! {\"a\":1}",
        // a proxy that opens with an empty object, then streams the real one
        "{}{\"a\":1} ! {\"a\":1}",
        "{\"a\":1}{\"a\":1,\"b\":2} ! {\"a\":1,\"b\":2}",
        "{\"a\":1}} ! {\"a\":1}",
        "{\"a\":1} I will now wait for the result. ! {\"a\":1}",
        "~\"{\\\"a\\\":\\\"x\\\"}\"~ ! {\"a\":\"x\"}",
        "~\"\\\"{\\\\\\\"a\\\\\\\":1}\\\"\"~ ! {\"a\":1}",
        "{\"a\":\"x#y\"} ! {\"a\":\"x\\ny\"}",
        "{'a': True, 'b': None, 'c': 'it\"s'} ! {\"a\":true,\"b\":null,\"c\":\"it\\\"s\"}",
        "{'a': \"it's\", 'b': 'it\\'s'} ! {\"a\":\"it's\",\"b\":\"it's\"}",
        "{a: 1, b_2: 'x'} ! {\"a\":1,\"b_2\":\"x\"}",
        "{\"a\": 1e5, \"b\": -0.50,} ! {\"a\":1e5,\"b\":-0.50}",
      })
  void argumentsAreRepairedWhereThereIsOneReading(String wrote, String meant) {
    var text = wrote == null ? "" : wrote.replace('#', '\n');
    assertThat(check("t").check("t", text))
        .isEqualTo(new Result.Repaired("t", meant, Set.of(CallRepair.TOOL_ARGUMENTS)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "{\"a\":1 ! it ends before the JSON is complete, at character 6",
        "{\"a\":\"x ! it ends before the JSON is complete, at character 7",
        "{ ! it ends before the JSON is complete, at character 1",
        "[1] ! they are another kind of value",
        "7 ! they are another kind of value",
        "\"text\" ! they are another kind of value",
        "{\"a\":} ! it cannot be read at character 6",
        "{\"a\":1},\"b\":2} ! something follows the JSON at character 8",
        "{\"a\":1}{\"b\": ! something follows the JSON at character 8",
        "{'a': 'it's'} ! it cannot be read at character 2",
        "{\"a\":\"C:\\dir\"} ! it cannot be read at character 10",
        "{\"a\":NaN} ! it cannot be read at character 9",
        "city=Paris ! it cannot be read at character 1",
      })
  void argumentsWithMoreReadingsAreLeftToTheModel(String wrote, String because) {
    assertThat(check("t").check("t", wrote))
        .isInstanceOfSatisfying(
            Result.Bad.class,
            bad ->
                assertThat(bad.reason())
                    .startsWith("The arguments of t are not a JSON object: ")
                    .endsWith(": " + because + "."));
  }

  @Test
  void whatIsNotCheckedIsGood() {
    var off = new ToolCallCheck(offer("read_file"), Set.of(), Fit.STRICT);
    assertThat(off.check("read_file<|channel|>", "{}")).isInstanceOf(Result.Good.class);
    assertThat(off.check("read_file", "{\"a\":1,}")).isInstanceOf(Result.Good.class);
    assertThat(off.check("read_file", "")).isInstanceOf(Result.Good.class);
    var names = new ToolCallCheck(offer("read_file"), Set.of(CallRepair.TOOL_NAME), Fit.STRICT);
    assertThat(names.check("rm", "{}")).isInstanceOf(Result.Bad.class);
    assertThat(names.check("read_file", "{\"a\":1")).isInstanceOf(Result.Good.class);
    var always = new ToolCallCheck(offer("read_file"), Set.of(), Fit.ALWAYS);
    assertThat(always.check("read_file", "{\"a\":1")).isInstanceOf(Result.Bad.class);
  }

  @Test
  void whatWasDeliveredIsJudgedAndNotRepaired() {
    var check =
        new ToolCallCheck(offer("read_file"), Set.of(CallRepair.values()), false, Fit.STRICT);
    assertThat(check.check("read_file<|channel|>", "{}")).isInstanceOf(Result.Bad.class);
    assertThat(check.check("read_file", "{\"a\":1,}")).isInstanceOf(Result.Bad.class);
    assertThat(check.check("read_file", "")).isInstanceOf(Result.Good.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "{\"city\":\"Paris\"} ! ~~",
        "{\"city\":\"Paris\",\"unit\":\"c\",\"days\":3} ! ~~",
        "{\"city\":5} ! $.city must be a string, but it is an integer",
        "{} ! $ lacks city, which is required",
        "{\"city\":\"P\",\"unit\":\"k\"} ! $.unit must be one of [\"c\",\"f\"]",
        "{\"city\":\"P\",\"days\":0} ! $.days must be at least 1",
        "{\"city\":\"P\",\"days\":1.5} ! $.days must be an integer, but it is a number",
        "{\"city\":\"P\",\"extra\":0} ! $ must not have extra",
        "{\"city\":\"P\",\"at\":[{\"lat\":1},{\"lat\":\"x\"}]} ! $.at[1].lat must be a number, but"
            + " it is a string",
        "{\"city\":\"P\",\"when\":true} ! $.when must be a string, but it is a boolean",
        "{\"city\":\"P\",\"when\":null} ! ~~",
      })
  void strictArgumentsMustFitTheSchema(String arguments, String misfit) {
    var check =
        check(
            """
            {"tools":[{"type":"function","function":{"name":"t","strict":true,"parameters":
            {"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["c","f"]},
            "days":{"type":"integer","minimum":1},"at":{"type":"array","items":{"$ref":"#/$defs/p"}},
            "when":{"anyOf":[{"type":"string"},{"type":"null"}]}},
            "required":["city"],"additionalProperties":false,
            "$defs":{"p":{"type":"object","properties":{"lat":{"type":"number"}}}}}}}]}\
            """,
            Fit.STRICT);
    assertThat(check.check("t", arguments))
        .isEqualTo(
            misfit.isEmpty()
                ? new Result.Good()
                : new Result.Bad("The arguments of t do not fit its schema: " + misfit + "."));
  }

  /**
   * Nothing is the empty object, and the schema is looked at only where somebody asked for that.
   */
  @ParameterizedTest
  @CsvSource({"false,STRICT,true", "true,STRICT,false", "false,ALWAYS,false"})
  void nothingIsTheEmptyObject(boolean strict, Fit fit, boolean stands) {
    var check =
        check(
            """
            {"tools":[{"type":"function","function":{"name":"t","strict":%s,"parameters":
            {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]}\
            """
                .formatted(strict),
            fit);
    assertThat(check.check("t", ""))
        .isEqualTo(
            stands
                ? new Result.Repaired("t", "{}", Set.of(CallRepair.TOOL_ARGUMENTS))
                : new Result.Bad(
                    "The arguments of t do not fit its schema: $ lacks city, which is required."));
  }

  /** Models of several makers write lists as strings of JSON. */
  @Test
  void aListInQuotesIsAListWhereTheSchemaSaysSo() {
    var check =
        check(
            """
            {"tools":[{"type":"function","function":{"name":"t","strict":true,"parameters":
            {"type":"object","properties":{"paths":{"type":"array","items":{"type":"string"}},
            "note":{"type":"string"}}}}}]}\
            """,
            Fit.STRICT);
    assertThat(check.check("t", "{\"paths\": \"[\\\"a\\\"]\", \"note\":\"[1]\"}"))
        .isEqualTo(
            new Result.Repaired(
                "t", "{\"paths\": [\"a\"], \"note\":\"[1]\"}", Set.of(CallRepair.TOOL_ARGUMENTS)));
    assertThat(check.check("t", "{\"paths\":\"[1]\"}"))
        .isEqualTo(
            new Result.Bad(
                "The arguments of t do not fit its schema: $.paths must be an array, but it is a"
                    + " string."));
  }

  @Test
  void aCallThatWasRepairedArrivesInThePlaceOfTheWrongOne() {
    var check = check("read_file,list");
    var turn =
        List.<Delta>of(
            new Delta.Start("id", "m"),
            new Delta.Text(0, "I look."),
            new Delta.ToolCall(0, 0, "c1", "read_file<|channel|>commentary", null),
            new Delta.Arguments(0, 0, "{\"path\":"),
            new Delta.ToolCall(0, 1, "c2", "list", null),
            new Delta.Arguments(0, 0, "\"a\"},"),
            new Delta.Arguments(0, 1, "{}"),
            new Delta.Finished(0, Delta.Ending.TOOL_CALLS, "tool_calls", null),
            new Delta.End());
    var repaired = TurnRepair.apply(turn, check);
    assertThat(repaired.bad()).isEmpty();
    assertThat(repaired.made()).isEqualTo(ALL);
    assertThat(repaired.deltas())
        .containsExactly(
            turn.get(0),
            turn.get(1),
            new Delta.ToolCall(0, 0, "c1", "read_file", null),
            new Delta.Arguments(0, 0, "{\"path\":\"a\"}"),
            turn.get(4),
            turn.get(6),
            turn.get(7),
            turn.get(8));
    assertThat(TurnRepair.apply(repaired.deltas(), check).deltas()).isEqualTo(repaired.deltas());
  }

  private static ToolCallCheck check(String names) {
    return new ToolCallCheck(offer(names), ALL, Fit.STRICT);
  }

  private static ToolCallCheck check(String body, Fit fit) {
    return new ToolCallCheck(
        OfferedTools.read(Dialect.OPENAI_CHAT, body.getBytes(StandardCharsets.UTF_8)), ALL, fit);
  }

  private static OfferedTools offer(String names) {
    var tools = new StringBuilder();
    for (var name : names.split(",")) {
      tools
          .append(tools.isEmpty() ? "" : ",")
          .append("{\"type\":\"function\",\"function\":{\"name\":\"" + name + "\"}}");
    }
    return OfferedTools.read(
        Dialect.OPENAI_CHAT,
        ("{\"model\":\"m\",\"tools\":[" + tools + "]}").getBytes(StandardCharsets.UTF_8));
  }
}
