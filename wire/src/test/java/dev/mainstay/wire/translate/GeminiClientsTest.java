package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import tools.jackson.databind.JsonNode;

/** What Google's SDKs write and no other dialect takes as it is. */
final class GeminiClientsTest {
  private static final String ASKED = "{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]}";

  private static String cross(Dialect to, String contents) {
    var body = "{\"contents\":[" + contents + "]}";
    var model = to == Dialect.ANTHROPIC ? "claude-sonnet-4-5" : "m";
    return new String(
        Requests.translate(
                body.getBytes(StandardCharsets.UTF_8),
                Dialect.GEMINI,
                to,
                model,
                false,
                OnLoss.DROP)
            .body(),
        StandardCharsets.UTF_8);
  }

  private static String called(String... calls) {
    return turn("model", "functionCall", "args", calls);
  }

  private static String gave(String... results) {
    return turn("user", "functionResponse", "response", results);
  }

  /** Calls or results, each a name or {@code name#id}; a result says its own place. */
  private static String turn(String role, String kind, String content, String... each) {
    var parts = Tree.array();
    for (int i = 0; i < each.length; i++) {
      var named = each[i].split("#", 2);
      var part = parts.addObject().putObject(kind).put("name", named[0]);
      if (named.length > 1) {
        part.put("id", named[1]);
      }
      part.putObject(content).put("n", i);
    }
    return "{\"role\":\"" + role + "\",\"parts\":" + parts + "}";
  }

  /** The ids of the calls in order, and then those of the results. */
  private static List<List<String>> ids(Dialect dialect, String body) {
    var calls = new ArrayList<String>();
    var results = new ArrayList<String>();
    collect(dialect, Body.read(body.getBytes(StandardCharsets.UTF_8)), calls, results);
    return List.of(calls, results);
  }

  private static void collect(
      Dialect dialect, JsonNode node, List<String> calls, List<String> results) {
    switch (dialect) {
      case ANTHROPIC -> {
        add(node, "tool_use".equals(Tree.text(node, "type")), "id", calls);
        add(node, node.has("tool_use_id"), "tool_use_id", results);
      }
      case OPENAI_RESPONSES -> {
        add(node, "function_call".equals(Tree.text(node, "type")), "call_id", calls);
        add(node, "function_call_output".equals(Tree.text(node, "type")), "call_id", results);
      }
      default -> {
        add(node, node.has("function"), "id", calls);
        add(node, node.has("tool_call_id"), "tool_call_id", results);
      }
    }
    node.forEach(child -> collect(dialect, child, calls, results));
  }

  private static void add(JsonNode node, boolean is, String field, List<String> to) {
    if (is) {
      to.add(node.path(field).asString());
    }
  }

  private static void pairs(Dialect to, String contents, Integer... callOfResult) {
    var ids = ids(to, cross(to, contents));
    var calls = ids.getFirst();
    assertThat(calls).doesNotHaveDuplicates().allMatch(id -> ToolIds.accepts(to, id));
    assertThat(ids.getLast()).isEqualTo(List.of(callOfResult).stream().map(calls::get).toList());
  }

  /** A client's model turn carries the id that another provider gave; its result has none. */
  @ParameterizedTest
  @EnumSource(value = Dialect.class, mode = Mode.EXCLUDE, names = "GEMINI")
  void aResultWithoutAnIdBelongsToTheCallOfItsName(Dialect to) {
    pairs(to, ASKED + "," + called("look#call_abc") + "," + gave("look"), 0);
    pairs(to, ASKED + "," + called("look") + "," + gave("look"), 0);
    pairs(to, ASKED + "," + called("look") + "," + gave("look#mine"), 0);
  }

  @ParameterizedTest
  @EnumSource(value = Dialect.class, mode = Mode.EXCLUDE, names = "GEMINI")
  void parallelCallsArePairedByNameAndOrder(Dialect to) {
    pairs(to, ASKED + "," + called("a", "b", "a") + "," + gave("b", "a", "a"), 1, 0, 2);
    pairs(to, ASKED + "," + called("a#x", "b#y", "a#z") + "," + gave("a", "a", "b"), 0, 2, 1);
    pairs(to, ASKED + "," + called("a#x", "a#y") + "," + gave("a#y", "a"), 1, 0);
    // Each result in a turn of its own.
    pairs(to, ASKED + "," + called("a", "a") + "," + gave("a") + "," + gave("a"), 0, 1);
  }

  /** A call that was never answered does not take the result of a later one. */
  @ParameterizedTest
  @EnumSource(value = Dialect.class, mode = Mode.EXCLUDE, names = "GEMINI")
  void aResultBelongsToTheLatestTurn(Dialect to) {
    pairs(to, ASKED + "," + called("a") + "," + ASKED + "," + called("a") + "," + gave("a"), 1);
  }

  /** What a provider's prompt cache goes by. */
  @ParameterizedTest
  @EnumSource(value = Dialect.class, mode = Mode.EXCLUDE, names = "GEMINI")
  void idsStayAsTheConversationGrows(Dialect to) {
    var before = ASKED + "," + called("a", "b") + "," + gave("a", "b");
    var after = before + "," + called("a") + "," + gave("a");
    var first = ids(to, cross(to, before));
    var second = ids(to, cross(to, after));
    assertThat(second.getFirst()).startsWith(first.getFirst().toArray(String[]::new)).hasSize(3);
    assertThat(second.getLast()).startsWith(first.getLast().toArray(String[]::new)).hasSize(3);
  }

  /** Python's SDK writes bytes in the URL-safe alphabet; others leave the padding out. */
  @ParameterizedTest
  @EnumSource(value = Dialect.class, mode = Mode.EXCLUDE, names = "GEMINI")
  void mediaArriveInStandardBase64(Dialect to) {
    for (var type : List.of("image/png", "application/pdf")) {
      for (var data : List.of("-_-_-w==", "-_-_-w", "+/+/+w", "+/+/\\n+w==")) {
        var body =
            cross(
                to,
                "{\"role\":\"user\",\"parts\":[{\"inlineData\":{\"mimeType\":\""
                    + type
                    + "\",\"data\":\""
                    + data
                    + "\"}}]}");
        assertThat(body).contains("+/+/+w==").doesNotContain("-_", "\\n");
      }
    }
  }
}
