package dev.mainstay.wire.translate;

import static dev.mainstay.wire.Dialect.ANTHROPIC;
import static dev.mainstay.wire.Dialect.GEMINI;
import static dev.mainstay.wire.Dialect.MISTRAL;
import static dev.mainstay.wire.Dialect.OPENAI_CHAT;
import static dev.mainstay.wire.Dialect.OPENAI_RESPONSES;
import static dev.mainstay.wire.translate.request.Feature.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A test for each row of the table that is more than a setting. */
class FeatureRowsTest {
  private static final String TOOL =
      "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],";
  private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]";
  private static final String TEXTS =
      "\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]";
  private static final String CALL =
      "{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":["
          + "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"f\",\"input\":{\"x\":1}}]}";

  /**
   * What a request comes to.
   *
   * @param at where to look in the new body, or null where it is refused
   * @param says the JSON there; empty for nothing
   * @param lost whether the row's name is said
   */
  private record Row(
      Feature feature,
      Dialect from,
      String request,
      Dialect to,
      @Nullable String at,
      String says,
      boolean lost) {}

  private static Row says(
      Feature feature, Dialect from, String request, Dialect to, String at, String says) {
    return new Row(feature, from, request, to, at, says, false);
  }

  private static Row loses(
      Feature feature, Dialect from, String request, Dialect to, String at, String says) {
    return new Row(feature, from, request, to, at, says, true);
  }

  private static Row refuses(Feature feature, Dialect from, String request, Dialect to) {
    return new Row(feature, from, request, to, null, "", true);
  }

  private static String user(String part) {
    return "{\"messages\":[{\"role\":\"user\",\"content\":[" + part + "]}]}";
  }

  private static String part(String part) {
    return "{\"contents\":[{\"role\":\"user\",\"parts\":[" + part + "]}]}";
  }

  private static final List<Row> ROWS =
      List.of(
          says(
              SYSTEM,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"developer\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"hi\"}]}",
              ANTHROPIC,
              "/system",
              "\"s\""),
          says(
              SYSTEM,
              ANTHROPIC,
              "{\"system\":\"s\"," + HI + "}",
              OPENAI_RESPONSES,
              "/instructions",
              "\"s\""),
          says(
              SYSTEM,
              OPENAI_RESPONSES,
              "{\"instructions\":\"s\",\"input\":\"hi\"}",
              GEMINI,
              "/systemInstruction/parts/0/text",
              "\"s\""),
          says(
              SYSTEM,
              GEMINI,
              "{\"systemInstruction\":{\"parts\":[{\"text\":\"s\"}]}," + TEXTS + "}",
              MISTRAL,
              "/messages/0",
              "{\"role\":\"system\",\"content\":\"s\"}"),
          loses(
              SYSTEM_POSITION,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"system\",\"content\":\"s\"}]}",
              ANTHROPIC,
              "/system",
              "\"s\""),
          loses(
              SYSTEM_POSITION,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"}]}",
              GEMINI,
              "/contents/0/parts/0/text",
              "\"s\""),
          says(
              SYSTEM_POSITION,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"system\",\"content\":\"s\"}]}",
              OPENAI_RESPONSES,
              "/input/1/role",
              "\"system\""),
          loses(
              FIRST_TURN,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"assistant\",\"content\":\"Welcome\"},{\"role\":\"user\",\"content\":\"hi\"}]}",
              ANTHROPIC,
              "/messages/0/role",
              "\"user\""),
          loses(
              FIRST_TURN,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"assistant\",\"content\":\"Welcome\"},{\"role\":\"user\",\"content\":\"hi\"}]}",
              GEMINI,
              "/contents/1/role",
              "\"model\""),
          says(
              TEXT,
              OPENAI_CHAT,
              user("{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"a\"}"),
              ANTHROPIC,
              "/messages/0/content",
              "\"a\""),
          loses(
              TURN_ORDER,
              ANTHROPIC,
              "{\"messages\":["
                  + CALL
                  + ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"ok\"},{\"type\":\"text\",\"text\":\"And?\"}]}]}",
              MISTRAL,
              "/messages/3",
              "{\"role\":\"assistant\",\"content\":\"OK.\"}"),
          says(
              PREFILL,
              ANTHROPIC,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"He\"}]}",
              MISTRAL,
              "/messages/1/prefix",
              "true"),
          says(
              IMAGE,
              OPENAI_CHAT,
              user("{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://e.com/a.png\"}}"),
              GEMINI,
              "/contents/0/parts/0/fileData",
              "{\"mimeType\":\"image/png\",\"fileUri\":\"https://e.com/a.png\"}"),
          says(
              IMAGE,
              GEMINI,
              part("{\"inline_data\":{\"mime_type\":\"image/png\",\"data\":\"aGk=\"}}"),
              OPENAI_RESPONSES,
              "/input/0/content/0",
              "{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":\"data:image/png;base64,aGk=\"}"),
          refuses(
              IMAGE,
              OPENAI_CHAT,
              user(
                  "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/tiff;base64,aGk=\"}}"),
              ANTHROPIC),
          loses(
              IMAGE_DETAIL,
              OPENAI_CHAT,
              user(
                  "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://e.com/a.png\",\"detail\":\"low\"}}"),
              ANTHROPIC,
              "/messages/0/content/0/source/url",
              "\"https://e.com/a.png\""),
          says(
              DOCUMENT,
              OPENAI_RESPONSES,
              "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_file\",\"file_url\":\"https://e.com/a.pdf\"}]}]}",
              ANTHROPIC,
              "/messages/0/content/0/source",
              "{\"type\":\"url\",\"url\":\"https://e.com/a.pdf\"}"),
          says(
              DOCUMENT,
              MISTRAL,
              user("{\"type\":\"document_url\",\"document_url\":\"https://e.com/a.pdf\"}"),
              OPENAI_RESPONSES,
              "/input/0/content/0/file_url",
              "\"https://e.com/a.pdf\""),
          refuses(
              DOCUMENT,
              MISTRAL,
              user("{\"type\":\"document_url\",\"document_url\":\"https://e.com/a.pdf\"}"),
              OPENAI_CHAT),
          loses(
              DOCUMENT_NAME,
              OPENAI_CHAT,
              user(
                  "{\"type\":\"file\",\"file\":{\"filename\":\"a.pdf\",\"file_data\":\"data:application/pdf;base64,aGk=\"}}"),
              GEMINI,
              "/contents/0/parts/0/inlineData/data",
              "\"aGk=\""),
          loses(
              PLAIN_DOCUMENT,
              ANTHROPIC,
              user(
                  "{\"type\":\"document\",\"title\":\"T\",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":\"words\"}}"),
              OPENAI_CHAT,
              "/messages/0/content",
              "\"T\\n\\nwords\""),
          says(
              AUDIO,
              OPENAI_CHAT,
              user(
                  "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"aGk=\",\"format\":\"mp3\"}}"),
              GEMINI,
              "/contents/0/parts/0/inlineData/mimeType",
              "\"audio/mpeg\""),
          refuses(
              AUDIO,
              OPENAI_CHAT,
              user(
                  "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"aGk=\",\"format\":\"mp3\"}}"),
              ANTHROPIC),
          refuses(
              VIDEO,
              GEMINI,
              part("{\"fileData\":{\"fileUri\":\"https://www.youtube.com/watch?v=x\"}}"),
              OPENAI_CHAT),
          refuses(
              PROVIDER_FILE,
              OPENAI_CHAT,
              user("{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}}"),
              ANTHROPIC),
          refuses(
              PROVIDER_FILE,
              GEMINI,
              part(
                  "{\"fileData\":{\"fileUri\":\"https://generativelanguage.googleapis.com/v1beta/files/x\"}}"),
              ANTHROPIC),
          loses(
              PARTICIPANT_NAME,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"user\",\"name\":\"ann\",\"content\":\"hi\"}]}",
              OPENAI_RESPONSES,
              "/input/0/content/0/text",
              "\"hi\""),
          loses(
              REFUSAL,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"refusal\":\"no\"}]}",
              ANTHROPIC,
              "/messages/1/content",
              "\"no\""),
          says(
              REFUSAL,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"refusal\":\"no\"}]}",
              OPENAI_RESPONSES,
              "/input/1/content/0",
              "{\"type\":\"refusal\",\"refusal\":\"no\"}"),
          loses(
              CITATIONS,
              ANTHROPIC,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\",\"citations\":[{}]}]}]}",
              OPENAI_CHAT,
              "/messages/1/content",
              "\"a\""),
          says(
              PREFILL,
              MISTRAL,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"He"
                  + " \",\"prefix\":true}]}",
              ANTHROPIC,
              "/messages/1",
              "{\"role\":\"assistant\",\"content\":\"He\"}"),
          loses(
              NATIVE_CONTENT,
              ANTHROPIC,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}},{\"type\":\"text\",\"text\":\"a\"}]}]}",
              GEMINI,
              "/contents/1/parts",
              "[{\"text\":\"a\"}]"),
          refuses(
              NATIVE_CONTENT,
              OPENAI_RESPONSES,
              "{\"input\":[{\"type\":\"compaction\",\"encrypted_content\":\"x\"}]}",
              ANTHROPIC),
          says(
              TOOLS,
              GEMINI,
              "{"
                  + TEXTS
                  + ",\"tools\":[{\"function_declarations\":[{\"name\":\"f\",\"parameters\":{\"type\":\"OBJECT\",\"properties\":{\"my_name\":{\"type\":\"STRING\",\"nullable\":true}}}}]}]}",
              ANTHROPIC,
              "/tools/0/input_schema",
              "{\"type\":\"object\",\"properties\":{\"my_name\":{\"type\":[\"string\",\"null\"]}}}"),
          says(
              TOOLS,
              OPENAI_CHAT,
              "{"
                  + HI
                  + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1}}}}}]}",
              GEMINI,
              "/tools/0/functionDeclarations/0/parametersJsonSchema/properties/a",
              "{\"enum\":[1]}"),
          loses(
              TOOL_STRICT,
              OPENAI_CHAT,
              "{"
                  + HI
                  + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"strict\":true}}]}",
              GEMINI,
              "/tools/0/functionDeclarations/0",
              "{\"name\":\"f\"}"),
          says(
              TOOL_STRICT,
              OPENAI_RESPONSES,
              "{\"input\":\"hi\",\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"strict\":true}]}",
              ANTHROPIC,
              "/tools/0/strict",
              "true"),
          refuses(
              TOOL_NAME,
              GEMINI,
              "{" + TEXTS + ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"fs.read\"}]}]}",
              OPENAI_CHAT),
          loses(
              BUILT_IN_TOOLS,
              ANTHROPIC,
              "{\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}]," + HI + "}",
              OPENAI_CHAT,
              "/tools",
              ""),
          refuses(
              BUILT_IN_TOOLS,
              ANTHROPIC,
              "{\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}],\"tool_choice\":{\"type\":\"tool\",\"name\":\"web_search\"},"
                  + HI
                  + "}",
              OPENAI_CHAT),
          says(
              CUSTOM_TOOLS,
              OPENAI_CHAT,
              "{\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"c\"}}]," + HI + "}",
              ANTHROPIC,
              "/tools/0/input_schema/required",
              "[\"input\"]"),
          loses(
              CUSTOM_TOOLS,
              OPENAI_RESPONSES,
              "{\"input\":\"hi\",\"tools\":[{\"type\":\"custom\",\"name\":\"c\",\"format\":{\"type\":\"grammar\",\"syntax\":\"regex\",\"definition\":\"a+\"}}]}",
              GEMINI,
              "/tools/0/functionDeclarations/0/description",
              "\"The input must fit this grammar (regex):\\na+\""),
          refuses(
              LEGACY_FUNCTIONS,
              OPENAI_CHAT,
              "{\"functions\":[{\"name\":\"f\"}]," + HI + "}",
              ANTHROPIC),
          refuses(
              TOOL_CHOICE,
              GEMINI,
              "{" + TEXTS + ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\"}}}",
              OPENAI_CHAT),
          says(
              TOOL_CHOICE,
              GEMINI,
              "{" + TEXTS + ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"AUTO\"}}}",
              OPENAI_CHAT,
              "/tool_choice",
              ""),
          says(
              TOOL_CHOICE,
              OPENAI_CHAT,
              "{" + TOOL + "\"tool_choice\":\"required\"," + HI + "}",
              ANTHROPIC,
              "/tool_choice/type",
              "\"any\""),
          says(
              TOOL_CHOICE,
              OPENAI_CHAT,
              "{"
                  + TOOL
                  + "\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}},"
                  + HI
                  + "}",
              GEMINI,
              "/toolConfig/functionCallingConfig",
              "{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"f\"]}"),
          says(
              TOOL_CHOICE,
              GEMINI,
              "{"
                  + TEXTS
                  + ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\"},{\"name\":\"g\"},{\"name\":\"h\"}]}],\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"f\",\"g\"]}}}",
              MISTRAL,
              "/tools/1/function/name",
              "\"g\""),
          says(
              TOOL_CHOICE,
              ANTHROPIC,
              "{\"tools\":[{\"name\":\"f\",\"input_schema\":{\"type\":\"object\"}}],\"tool_choice\":{\"type\":\"none\"},"
                  + HI
                  + "}",
              OPENAI_RESPONSES,
              "/tool_choice",
              "\"none\""),
          says(
              TOOL_CALLS,
              ANTHROPIC,
              "{\"messages\":[" + CALL + "]}",
              OPENAI_RESPONSES,
              "/input/1",
              "{\"type\":\"function_call\",\"call_id\":\"toolu_1\",\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}"),
          says(
              TOOL_CALLS,
              GEMINI,
              "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]},{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{}}}]},{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"f\",\"response\":{\"output\":\"ok\"}}}]}]}",
              ANTHROPIC,
              "/tools/0/name",
              "\"f\""),
          loses(
              TOOL_ARGUMENTS,
              OPENAI_CHAT,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{oops\"}}]}]}",
              ANTHROPIC,
              "/messages/1/content/0/input",
              "{\"invalid_json\":\"{oops\"}"),
          says(
              TOOL_RESULTS,
              ANTHROPIC,
              "{\"messages\":["
                  + CALL
                  + ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"ok\"}]}]}",
              GEMINI,
              "/contents/2/parts/0/functionResponse",
              "{\"id\":\"toolu_1\",\"name\":\"f\",\"response\":{\"output\":\"ok\"}}"),
          loses(
              TOOL_RESULT_ERROR,
              ANTHROPIC,
              "{\"messages\":["
                  + CALL
                  + ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"bad\",\"is_error\":true}]}]}",
              OPENAI_RESPONSES,
              "/input/2/output",
              "\"bad\""),
          says(
              TOOL_RESULT_ERROR,
              ANTHROPIC,
              "{\"messages\":["
                  + CALL
                  + ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"bad\",\"is_error\":true}]}]}",
              GEMINI,
              "/contents/2/parts/0/functionResponse/response",
              "{\"error\":\"bad\"}"),
          loses(
              TOOL_RESULT_MEDIA,
              ANTHROPIC,
              "{\"messages\":["
                  + CALL
                  + ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://e.com/a.png\"}}]}]}]}",
              OPENAI_CHAT,
              "/messages/3/content/1/image_url/url",
              "\"https://e.com/a.png\""),
          says(
              REASONING_EFFORT,
              OPENAI_CHAT,
              "{\"reasoning_effort\":\"minimal\"," + HI + "}",
              GEMINI,
              "/generationConfig/thinkingConfig",
              "{\"thinkingLevel\":\"MINIMAL\"}"),
          says(
              REASONING_EFFORT,
              GEMINI,
              "{"
                  + TEXTS
                  + ",\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":20000}}}",
              OPENAI_RESPONSES,
              "/reasoning/effort",
              "\"high\""),
          loses(
              REASONING_EFFORT,
              OPENAI_CHAT,
              "{\"reasoning_effort\":\"high\"," + TOOL + "\"tool_choice\":\"required\"," + HI + "}",
              ANTHROPIC,
              "/thinking",
              ""),
          says(
              REASONING_SHOWN,
              OPENAI_RESPONSES,
              "{\"input\":\"hi\",\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"}}",
              ANTHROPIC,
              "/thinking",
              "{\"type\":\"adaptive\",\"display\":\"summarized\"}"),
          loses(
              REASONING_SHOWN,
              OPENAI_RESPONSES,
              "{\"input\":\"hi\",\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"}}",
              OPENAI_CHAT,
              "/reasoning_effort",
              "\"low\""),
          says(
              REASONING_HISTORY,
              ANTHROPIC,
              "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"a\"}]}]}",
              OPENAI_CHAT,
              "/messages/1",
              "{\"role\":\"assistant\",\"content\":\"a\"}"),
          says(
              JSON_SCHEMA,
              OPENAI_CHAT,
              "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"properties\":{}}}},"
                  + HI
                  + "}",
              ANTHROPIC,
              "/output_config/format",
              "{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}}"),
          says(
              JSON_SCHEMA,
              ANTHROPIC,
              "{\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}},"
                  + HI
                  + "}",
              OPENAI_RESPONSES,
              "/text/format",
              "{\"type\":\"json_schema\",\"name\":\"answer\",\"schema\":{\"type\":\"object\"},\"strict\":false}"),
          says(
              JSON_SCHEMA,
              OPENAI_RESPONSES,
              "{\"input\":\"hi\",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"n\",\"schema\":{\"type\":\"object\"}}}}",
              GEMINI,
              "/generationConfig",
              "{\"responseMimeType\":\"application/json\",\"responseJsonSchema\":{\"type\":\"object\"}}"),
          says(
              JSON_MODE,
              GEMINI,
              "{" + TEXTS + ",\"generationConfig\":{\"responseMimeType\":\"application/json\"}}",
              OPENAI_CHAT,
              "/response_format/type",
              "\"json_object\""),
          loses(
              JSON_MODE,
              OPENAI_CHAT,
              "{\"response_format\":{\"type\":\"json_object\"}," + HI + "}",
              ANTHROPIC,
              "/output_config",
              ""),
          loses(
              SCHEMA_RULES,
              OPENAI_CHAT,
              "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":1}}}}},"
                  + HI
                  + "}",
              ANTHROPIC,
              "/output_config/format/schema/properties/a",
              "{\"type\":\"integer\"}"),
          loses(
              SCHEMA_RULES,
              OPENAI_CHAT,
              "{"
                  + HI
                  + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"x\"}}}}}]}",
              GEMINI,
              "/tools/0/functionDeclarations/0/parametersJsonSchema/properties/a",
              "{\"type\":\"string\"}"),
          loses(
              CACHE_CONTROL,
              ANTHROPIC,
              "{\"system\":[{\"type\":\"text\",\"text\":\"s\",\"cache_control\":{\"type\":\"ephemeral\"}}],"
                  + HI
                  + "}",
              GEMINI,
              "/systemInstruction/parts/0",
              "{\"text\":\"s\"}"),
          says(
              CACHE_CONTROL,
              OPENAI_CHAT,
              user(
                  "{\"type\":\"text\",\"text\":\"a\",\"prompt_cache_breakpoint\":{\"mode\":\"explicit\",\"ttl\":\"30m\"}}"),
              ANTHROPIC,
              "/messages/0/content/0/cache_control",
              "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"),
          says(
              STREAM,
              ANTHROPIC,
              "{\"stream\":false," + HI + "}",
              OPENAI_CHAT,
              "/stream_options/include_usage",
              "true"),
          refuses(
              ITEM_REFERENCE,
              OPENAI_RESPONSES,
              "{\"input\":[{\"type\":\"item_reference\",\"id\":\"msg_1\"}]}",
              ANTHROPIC),
          loses(
              UNKNOWN_FIELD,
              GEMINI,
              "{" + TEXTS + ",\"generationConfig\":{\"mediaResolution\":\"LOW\"}}",
              ANTHROPIC,
              "/messages/0/content",
              "\"hi\""));

  @TestFactory
  Stream<DynamicTest> everyRow() {
    return ROWS.stream()
        .map(
            row ->
                dynamicTest(
                    row.feature().label() + ": " + row.from().label() + " to " + row.to().label(),
                    () -> check(row)));
  }

  private static void check(Row row) {
    if (row.at() == null) {
      assertThatThrownBy(() -> translate(row, OnLoss.DROP))
          .isInstanceOfSatisfying(
              UntranslatableException.class,
              e -> {
                assertThat(e.name()).isEqualTo(row.feature().label());
                assertThat(e.path()).isNotEmpty();
                assertThat(e).hasMessageStartingWith(e.path() + ": ");
              });
      return;
    }
    var translation = translate(row, OnLoss.DROP);
    var found = Body.read(translation.body()).at(row.at());
    if (row.says().isEmpty()) {
      assertThat(found.isMissingNode()).isTrue();
    } else {
      assertThat(found).as(new String(translation.body(), UTF_8)).isEqualTo(Tree.read(row.says()));
    }
    if (row.lost()) {
      assertThat(translation.degraded()).containsExactly(row.feature().label());
      assertThatThrownBy(() -> translate(row, OnLoss.REFUSE))
          .isInstanceOf(LossRefusedException.class);
    } else {
      assertThat(translation.degraded()).isEmpty();
    }
  }

  private static Translation translate(Row row, OnLoss onLoss) {
    return Requests.translate(
        row.request().getBytes(UTF_8),
        row.from(),
        row.to(),
        FeatureTableTest.model(row.to()),
        true,
        onLoss);
  }

  @Test
  void noRowIsWithoutATest() {
    assertThat(ROWS.stream().map(Row::feature).distinct())
        .containsAll(Arrays.stream(Feature.values()).filter(row -> row.type() == null).toList());
  }
}
