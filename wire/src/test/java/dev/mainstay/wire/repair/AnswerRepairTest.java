package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.ToolCallCheck.Fit;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AnswerRepairTest {
  private static final Set<CallRepair> ALL = EnumSet.allOf(CallRepair.class);

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "OPENAI_CHAT ! {\"id\":\"x\", \"choices\":[{\"message\":{\"content\":null,\"tool_calls\":["
            + " {\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"#functions.get_weather#get_weather#\",\"arguments\":\"#{\\\"city\\\":\\\"P\\\",}#{\\\"city\\\":\\\"P\\\"}#\"}}]},\"finish_reason\":\"tool_calls\"}],"
            + " \"u\":1.50}",
        "MISTRAL !"
            + " {\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"get_weather\",\"arguments\":\"#None#{}#\"}},{\"function\":{\"name\":\"#GetWeather#get_weather#\",\"arguments\":{}}}]}}]}",
        "OPENAI_RESPONSES !"
            + " {\"output\":[{\"type\":\"reasoning\"},{\"type\":\"function_call\",\"arguments\":\"##{}#\",\"name\":\"#get_weather<|channel|>commentary#get_weather#\"},{\"type\":\"web_search_call\",\"name\":\"x\"}]}",
        "OPENAI_RESPONSES ! {\"output\":[{\"type\":\"function_call\",\"arguments\":"
            + " #{\"city\":\"P\"}#\"{\\\"city\\\":\\\"P\\\"}\"#,\"name\":\"#GetWeather#get_weather#\"}]}",
        "ANTHROPIC !"
            + " {\"content\":[{\"type\":\"text\",\"text\":\"\\u00e9\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"#get-weather#get_weather#\",\"input\":#\"{\\\"city\\\":1}\"#{\"city\":1}#},{\"type\":\"server_tool_use\",\"name\":\"web_search\",\"input\":{}}]}",
        "GEMINI !"
            + " {\"candidates\":[{\"content\":{\"parts\":[{\"thoughtSignature\":\"s\",\"functionCall\":{\"name\":\"#default_api:get_weather#get_weather#\",\"args\":{\"city\""
            + " : 1}}}]},\"finishReason\":\"STOP\"}]}",
      })
  void repairsInPlaceAndNothingElse(Dialect dialect, String template) {
    var check = new ToolCallCheck(offered(dialect), ALL, Fit.STRICT);
    byte[] wrong = bytes(template, 1);
    var repaired = AnswerRepair.apply(dialect, wrong, check);
    assertThat(repaired.bad()).isEmpty();
    assertThat(repaired.made()).isNotEmpty();
    assertThat(new String(repaired.body(), StandardCharsets.UTF_8))
        .isEqualTo(new String(bytes(template, 2), StandardCharsets.UTF_8));
    assertThat(AnswerRepair.apply(dialect, repaired.body(), check).body())
        .isSameAs(repaired.body());
  }

  @Test
  void argumentsThatAreMissingAreAdded() {
    var body =
        "{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"get_weather\"}}]}}]}";
    var repaired =
        AnswerRepair.apply(
            Dialect.OPENAI_CHAT,
            BodyEdits.utf8(body),
            new ToolCallCheck(offered(Dialect.OPENAI_CHAT), ALL, Fit.STRICT));
    assertThat(new String(repaired.body(), StandardCharsets.UTF_8))
        .isEqualTo(body.replace("weather\"}", "weather\",\"arguments\":\"{}\"}"));
  }

  @Test
  void aBadCallIsToldAndNothingIsChanged() {
    var body =
        BodyEdits.utf8("{\"content\":[{\"type\":\"tool_use\",\"name\":\"rm\",\"input\":{}}]}");
    var judged =
        AnswerRepair.apply(
            Dialect.ANTHROPIC,
            body,
            new ToolCallCheck(offered(Dialect.ANTHROPIC), ALL, Fit.STRICT));
    assertThat(judged.body()).isSameAs(body);
    assertThat(judged.bad())
        .containsExactly("There is no tool named rm. The tools are get_weather.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "OPENAI_CHAT !"
            + " {\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"strict\":true}},{\"type\":\"web_search\"}],\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}},\"response_format\":{\"type\":\"json_object\"}}"
            + " ! [f, web_search] ! Forced[name=f] ! Json[schema=null, strict=false] ! true",
        "MISTRAL !"
            + " {\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"tool_choice\":\"any\"}"
            + " ! [f] ! Any[] ! Free[] ! false",
        "OPENAI_RESPONSES !"
            + " {\"tools\":[{\"type\":\"function\",\"name\":\"f\"},{\"type\":\"namespace\",\"name\":\"n\",\"tools\":[{\"type\":\"function\",\"name\":\"g\"}]},{\"type\":\"tool_search\"}],\"text\":{\"format\":{\"type\":\"json_schema\",\"schema\":{},\"strict\":true}}}"
            + " ! [f, g] ! Auto[] ! Json[schema={}, strict=true] ! true",
        "ANTHROPIC !"
            + " {\"tools\":[{\"name\":\"f\",\"input_schema\":{}},{\"type\":\"bash_20250124\",\"name\":\"bash\"}],\"tool_choice\":{\"type\":\"none\"},\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":{}}}}"
            + " ! [f, bash] ! None[] ! Json[schema={}, strict=true] ! false",
        "GEMINI !"
            + " {\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\"}]},{\"googleSearch\":{}}],\"tool_config\":{\"function_calling_config\":{\"mode\":\"ANY\"}},\"generationConfig\":{\"responseMimeType\":\"application/json\"}}"
            + " ! [f] ! Any[] ! Json[schema=null, strict=false] ! false",
        "GEMINI ! {\"cachedContent\":\"c\"} ! [] ! Auto[] ! Free[] ! true",
        "ANTHROPIC ! {\"tools\":7,\"tool_choice\":[],\"output_format\":\"x\" ! [] ! Auto[] ! Free[]"
            + " ! false",
      })
  void whatARequestOffers(
      Dialect dialect, String body, String names, String choice, String format, boolean open) {
    var offered = OfferedTools.read(dialect, BodyEdits.utf8(body));
    assertThat(offered.all().stream().map(OfferedTool::name).toList().toString()).isEqualTo(names);
    assertThat(offered.choice().toString()).isEqualTo(choice);
    assertThat(offered.format().toString()).isEqualTo(format);
    assertThat(offered.open()).isEqualTo(open);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "OPENAI_CHAT ! {\"choices\":[{\"message\":{\"content\":\"Sure:"
            + " {}\"},\"finish_reason\":\"stop\"}]} ! The answer must be JSON and is not: it cannot"
            + " be read at character 1.",
        "OPENAI_CHAT !"
            + " {\"choices\":[{\"message\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]} ! The"
            + " answer does not fit the schema that was asked for: $ lacks a, which is required.",
        "OPENAI_CHAT !"
            + " {\"choices\":[{\"message\":{\"content\":\"{\\\"a\\\":1}\"},\"finish_reason\":\"stop\"}]}"
            + " ! ~~",
        "OPENAI_CHAT !"
            + " {\"choices\":[{\"message\":{\"content\":\"{\\\"a\"},\"finish_reason\":\"length\"}]}"
            + " ! ~~",
        "OPENAI_CHAT !"
            + " {\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}"
            + " ! ~~",
        "OPENAI_RESPONSES !"
            + " {\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"no\"}]}]}"
            + " ! The answer must be JSON and is not: it cannot be read at character 1.",
        "ANTHROPIC !"
            + " {\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"x\"},{\"type\":\"text\",\"text\":\"{\\\"a\\\":\"}]}"
            + " ! The answer must be JSON and is not: it ends before the JSON is complete, at"
            + " character 5.",
        "GEMINI !"
            + " {\"candidates\":[{\"finishReason\":\"STOP\",\"content\":{\"parts\":[{\"text\":\"x\",\"thought\":true},{\"text\":\"{\\\"a\\\":\"},{\"text\":\"2}\"}]}}]}"
            + " ! ~~",
      })
  void anAnswerThatMustBeJson(Dialect dialect, String body, String mistake) {
    var format =
        new AnswerFormat.Json(Trees.read("{\"type\":\"object\",\"required\":[\"a\"]}"), true);
    assertThat(JsonAnswer.mistake(format, dialect, BodyEdits.utf8(body)).orElse(""))
        .isEqualTo(mistake);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "OPENAI_CHAT ! {\"messages\":[{\"role\":\"user\",\"content\":\"hi@\"}],\"model\":\"m\"}",
        "OPENAI_CHAT !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}#,{\"type\":\"text\",\"text\":\"%\"}#]}]}",
        "OPENAI_CHAT !"
            + " {\"messages\":[{\"role\":\"tool\",\"content\":\"r\"}#,{\"role\":\"user\",\"content\":\"%\"}#]}",
        "MISTRAL ! {\"messages\":[{\"role\":\"tool\",\"content\":\"r@\"}]}",
        "MISTRAL !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":\"hi@\"},{\"role\":\"assistant\",\"content\":\"{\",\"prefix\":true}]}",
        "ANTHROPIC !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\"}#,{\"type\":\"text\",\"text\":\"%\"}#]},{\"role\":\"assistant\",\"content\":\"{\"}]}",
        "OPENAI_RESPONSES ! {\"input\":\"hi@\"}",
        "OPENAI_RESPONSES !"
            + " {\"input\":[{\"role\":\"user\",\"content\":\"x\"}#,{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"%\"}]}#]}",
        "GEMINI ! {\"contents\":[{\"parts\":[{\"text\":\"hi\"}#,{\"text\":\"%\"}#]}]}",
        "GEMINI !"
            + " {\"contents\":[{\"role\":\"user\",\"parts\":[{\"functionResponse\":{}}]}#,{\"role\":\"user\",\"parts\":[{\"text\":\"%\"}]}#]}",
      })
  void theModelIsToldAtTheEndOfTheTranscript(Dialect dialect, String template) {
    var mistake = "There is no tool named \"rm\".";
    var note = BodyEdits.quoted(Corrections.note(List.of(mistake)));
    var inner = note.substring(1, note.length() - 1);
    var body = template.replace("@", "").replaceAll("#[^#]*#", "");
    var expected = template.replace("@", "\\n\\n%").replace("#", "").replace("%", inner);
    var corrected = Corrections.ask(dialect, BodyEdits.utf8(body), List.of(mistake)).orElseThrow();
    assertThat(new String(corrected, StandardCharsets.UTF_8)).isEqualTo(expected);
  }

  private static OfferedTools offered(Dialect dialect) {
    var body =
        switch (dialect) {
          case OPENAI_CHAT, MISTRAL ->
              "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\"}}]}";
          case OPENAI_RESPONSES -> "{\"tools\":[{\"type\":\"function\",\"name\":\"get_weather\"}]}";
          case ANTHROPIC -> "{\"tools\":[{\"name\":\"get_weather\",\"input_schema\":{}}]}";
          case GEMINI -> "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"get_weather\"}]}]}";
        };
    return OfferedTools.read(dialect, BodyEdits.utf8(body));
  }

  /** {@code #a#b#}: a in the first version, b in the second. */
  private static byte[] bytes(String template, int version) {
    var parts = template.split("#", -1);
    var out = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      if (i % 3 == 0 || i % 3 == version) {
        out.append(parts[i]);
      }
    }
    return BodyEdits.utf8(out.toString());
  }
}
