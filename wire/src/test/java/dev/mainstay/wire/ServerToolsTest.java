package dev.mainstay.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.request.ServerTools;
import dev.mainstay.wire.request.ServerTools.Fee;
import dev.mainstay.wire.request.ServerTools.Tool;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ServerToolsTest {
  private static ServerTools of(Operation operation, String fields) {
    return ServerTools.of(operation, ("{" + fields + "}").getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> unbounded(Operation operation, String fields) {
    return of(operation, fields).tools().stream().filter(Tool::unbounded).map(Tool::name).toList();
  }

  @Test
  void toolsThatTheClientRunsAreNone() {
    assertThat(of(Operation.CHAT, "\"tools\":[{\"type\":\"function\"},{\"type\":\"custom\"}]"))
        .isEqualTo(ServerTools.NONE);
    assertThat(
            of(
                Operation.RESPONSES,
                "\"tools\":[{\"type\":\"function\"},{\"type\":\"computer_use_preview\"},"
                    + "{\"type\":\"shell\",\"environment\":{\"type\":\"local\"}},"
                    + "{\"type\":\"tool_search\",\"execution\":\"client\"}],\"max_tool_calls\":3"))
        .isEqualTo(ServerTools.NONE);
    assertThat(
            of(
                Operation.MESSAGES,
                "\"tools\":[{\"name\":\"mine\"},{\"type\":\"custom\"},{\"type\":\"bash_20250124\"},"
                    + "{\"type\":\"text_editor_20250728\"}]"))
        .isEqualTo(ServerTools.NONE);
    assertThat(of(Operation.GENERATE, "\"tools\":[{\"functionDeclarations\":[{}]}]"))
        .isEqualTo(ServerTools.NONE);
    assertThat(of(Operation.EMBEDDINGS, "\"tools\":[{\"type\":\"mcp\"}]"))
        .isEqualTo(ServerTools.NONE);
  }

  @Test
  void oneLimitHoldsForAllToolsOfAResponse() {
    var tools =
        "\"tools\":[{\"type\":\"web_search\"},{\"type\":\"web_search_preview_2025_03_11\"},"
            + "{\"type\":\"file_search\"},{\"type\":\"code_interpreter\",\"container\":{\"type\":"
            + "\"auto\"}}]";
    var limited = of(Operation.RESPONSES, tools + ",\"max_tool_calls\":3");
    assertThat(limited.readings()).isEqualTo(3);
    assertThat(limited.tools())
        .extracting(Tool::fees)
        .containsExactly(
            List.of(new Fee(Unit.WEB_SEARCH, 3L)),
            List.of(new Fee(Unit.WEB_SEARCH_PREVIEW, 3L)),
            List.of(new Fee(Unit.FILE_SEARCH, 3L)),
            List.of(new Fee(Unit.CODE_SESSION, 3L)));
    assertThat(unbounded(Operation.RESPONSES, tools + ",\"max_tool_calls\":3")).isEmpty();
    assertThat(unbounded(Operation.RESPONSES, tools)).hasSize(4);
    assertThat(of(Operation.RESPONSES, tools).tools())
        .allSatisfy(tool -> assertThat(tool.limit()).isEqualTo("say max_tool_calls"));
    assertThat(unbounded(Operation.RESPONSES, tools + ",\"max_tool_calls\":1001")).hasSize(4);
    assertThat(unbounded(Operation.RESPONSES, tools + ",\"max_tool_calls\":null")).hasSize(4);
  }

  @Test
  void whatNobodyCountsHasNoLimit() {
    assertThat(
            unbounded(
                Operation.RESPONSES,
                "\"max_tool_calls\":1,\"prompt\":{\"id\":\"pmpt_1\"},\"tools\":[{\"type\":\"mcp\"},"
                    + "{\"type\":\"shell\"},{\"type\":\"code_interpreter\",\"container\":"
                    + "{\"type\":\"auto\",\"memory_limit\":\"4g\"}}]"))
        .containsExactly("prompt", "mcp", "shell", "code_interpreter");
    assertThat(
            unbounded(
                Operation.CHAT,
                "\"web_search_options\":{},\"enable_search\":false,\"plugins\":null,"
                    + "\"tools\":[{\"type\":\"openrouter:web_search\"}]"))
        .containsExactly("web_search_options", "openrouter:web_search");
    assertThat(
            unbounded(
                Operation.MESSAGES,
                "\"mcp_servers\":[{}],\"tools\":[{\"type\":\"code_execution_20250825\"},"
                    + "{\"type\":\"advisor_20260301\"}]"))
        .containsExactly("mcp_servers", "code_execution_20250825", "advisor_20260301");
    assertThat(unbounded(Operation.GENERATE, "\"tools\":{\"codeExecution\":{}}"))
        .containsExactly("codeExecution");
  }

  @Test
  void anthropicAsksTenTimesAtMostAndSearchesAsOftenAsItMay() {
    var both =
        of(
            Operation.MESSAGES,
            "\"tools\":[{\"type\":\"web_search_20260209\",\"max_uses\":5},"
                + "{\"type\":\"web_fetch_20250910\"},{\"type\":\"code_execution_20260120\"}]");
    assertThat(both.readings()).isEqualTo(10);
    assertThat(both.tools()).noneMatch(Tool::unbounded);
    assertThat(both.tools().getFirst().fees()).containsExactly(new Fee(Unit.WEB_SEARCH, 5L));
    assertThat(
            of(Operation.MESSAGES, "\"tools\":[{\"type\":\"web_search_20250305\"}]")
                .tools()
                .getFirst()
                .fees())
        .containsExactly(new Fee(Unit.WEB_SEARCH, null));
    assertThat(
            unbounded(
                Operation.MESSAGES,
                "\"tools\":[{\"type\":\"web_search_20250305\",\"max_uses\":5},"
                    + "{\"type\":\"code_execution_20250825\"}]"))
        .as("free only with searches that filter")
        .containsExactly("code_execution_20250825");
  }

  @Test
  void geminiIsPaidByTheAnswerOrByTheQueryAndReadsTwentyPages() {
    var both = of(Operation.GENERATE, "\"tools\":[{\"google_search\":{}},{\"urlContext\":{}}]");
    assertThat(both.readings()).isEqualTo(21);
    assertThat(both.tools().getFirst().fees())
        .containsExactly(new Fee(Unit.GROUNDED_ANSWER, 1L), new Fee(Unit.WEB_SEARCH, null));
    assertThat(both.tools().getLast().fees()).isEmpty();
  }
}
