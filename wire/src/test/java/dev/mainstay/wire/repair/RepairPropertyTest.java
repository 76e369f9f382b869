package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.repair.ToolCallCheck.Fit;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class RepairPropertyTest {
  private static final Set<CallRepair> ALL = EnumSet.allOf(CallRepair.class);
  private static final long SEED = 20_251_121;

  private static final String TOOLS =
      """
      {"tools":[{"type":"function","function":{"name":"read_file","strict":true,"parameters":
      {"type":"object","properties":{"path":{"type":"string"}}}}},
      {"type":"function","function":{"name":"mcp__web__search"}},
      {"type":"function","function":{"name":"listItems"}}]}\
      """;

  /** Pieces of what models write: the more they look like JSON, the deeper garbage gets. */
  private static final String[] PIECES = {
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "'",
    "\\",
    "\\u00",
    "\\n",
    "\n",
    " ",
    "```json\n",
    "```",
    "<|channel|>",
    "<|",
    "|>",
    "</tool_call>",
    "null",
    "None",
    "True",
    "true",
    "1",
    "-0.5e",
    "01",
    "a",
    "\"a\":",
    "'b': ",
    "{\"a\":1}",
    "\"x\"",
    "\ud83d",
    "\ude00",
    "é",
    "\u0000",
    "read_file",
    "functions.",
    "mcp__",
    "::",
    "()",
    ".",
    "_",
    "NaN",
    "\ufeff",
    "json",
  };

  @Test
  void garbageIsJudgedAndWhatIsRepairedIsGood() {
    var random = new Random(SEED);
    var check = check(Dialect.OPENAI_CHAT, TOOLS);
    for (int i = 0; i < 20_000; i++) {
      var name = random.nextInt(3) == 0 ? "read_file" : garbage(random, 6);
      var arguments = garbage(random, 14);
      if (check.check(name, arguments) instanceof Result.Repaired repaired) {
        assertThat(check.check(repaired.name(), repaired.arguments()))
            .as("%s(%s)", name, arguments)
            .isInstanceOf(Result.Good.class);
        assertThat(Tree.read(repaired.arguments()).isObject()).isTrue();
      }
    }
  }

  @Test
  void aGoodCallIsNeverChanged() {
    var random = new Random(SEED);
    var check = check(Dialect.OPENAI_CHAT, TOOLS.replace("\"strict\":true,", ""));
    for (int i = 0; i < 5_000; i++) {
      var arguments = object(random, 3).toString();
      assertThat(check.check("read_file", arguments)).isInstanceOf(Result.Good.class);
    }
  }

  /** What was broken in a known way is what it was. */
  @Test
  void aKnownMistakeIsTakenBack() {
    var random = new Random(SEED);
    var check = check(Dialect.OPENAI_CHAT, TOOLS.replace("\"strict\":true,", ""));
    for (int i = 0; i < 5_000; i++) {
      var value = object(random, 3);
      var good = value.toString();
      var wrote =
          switch (random.nextInt(7)) {
            case 0 -> "```json\n" + good + "\n```";
            case 1 -> good + "<|call|>" + garbage(random, 3);
            case 2 -> good.substring(0, good.length() - 1) + (value.isEmpty() ? "}" : ",}");
            case 3 -> BodyEdits.quoted(good);
            case 4 -> good.contains("\\\\") ? good : good.replace("\\n", "\n");
            case 5 -> good + good;
            default -> good + "}";
          };
      switch (check.check("read_file", wrote)) {
        case Result.Good() -> assertThat(Tree.read(wrote)).isEqualTo(value);
        case Result.Repaired(var name, var arguments, var made) -> {
          assertThat(Tree.read(arguments)).as(wrote).isEqualTo(value);
          assertThat(made).containsExactly(CallRepair.TOOL_ARGUMENTS);
          assertThat(name).isEqualTo("read_file");
        }
        case Result.Unfolded unfolded -> Assertions.fail("unfolded " + wrote);
        case Result.Bad(var reason) -> Assertions.fail(reason + " " + wrote);
      }
    }
  }

  /** Nobody knows what is missing, so a cut object is never completed. */
  @Test
  void aCutObjectIsNeverGood() {
    var random = new Random(SEED);
    var check = check(Dialect.OPENAI_CHAT, TOOLS);
    for (int i = 0; i < 5_000; i++) {
      var good = object(random, 2).toString();
      var cut = good.substring(0, 1 + random.nextInt(good.length() - 1));
      assertThat(check.check("read_file", cut)).as(cut).isInstanceOf(Result.Bad.class);
    }
  }

  @Test
  void requestsOfGarbageAreLeftOrStayJson() {
    var random = new Random(SEED);
    for (int i = 0; i < 3_000; i++) {
      var dialect = Dialect.values()[random.nextInt(Dialect.values().length)];
      var body = BodyEdits.utf8(random.nextInt(10) == 0 ? garbage(random, 12) : request(random));
      var error = garbage(random, 5) + words(random);
      OfferedTools.read(dialect, body);
      var check = check(dialect, TOOLS);
      assertReads(AnswerRepair.apply(dialect, body, check).body(), body);
      JsonAnswer.mistake(new AnswerFormat.Json(null, false), dialect, body);
      Corrections.ask(dialect, body, List.of(error)).ifPresent(to -> assertReads(to, body));
      for (var edited :
          List.of(
              ParameterRepair.drop(dialect, body, error),
              MaxTokensRepair.lower(dialect, body, error),
              ImageRepair.strip(dialect, body, error),
              HistoryRepair.mend(dialect, body, error))) {
        edited.ifPresent(
            to -> {
              assertReads(to.body(), body);
              assertThat(to.after()).isLessThan(to.before());
            });
      }
    }
  }

  @Test
  void anyTranscriptPairsAfterwardsAndStaysSo() {
    var random = new Random(SEED);
    for (int i = 0; i < 4_000; i++) {
      var chat = BodyEdits.utf8(chat(random));
      var mended =
          HistoryRepair.mend(Dialect.OPENAI_CHAT, chat).map(EditedRequest::body).orElse(chat);
      assertPairs(mended);
      assertThat(HistoryRepair.mend(Dialect.OPENAI_CHAT, mended)).isEmpty();
      var anthropic = BodyEdits.utf8(anthropic(random));
      var whole =
          HistoryRepair.mend(Dialect.ANTHROPIC, anthropic)
              .map(EditedRequest::body)
              .orElse(anthropic);
      assertPairsBlocks(whole);
      assertThat(HistoryRepair.mend(Dialect.ANTHROPIC, whole)).isEmpty();
    }
  }

  /** Turn after turn is added, and the provider's cache finds what it had. */
  @Test
  void whatWasMendedStaysTheSameAsTheConversationGrows() {
    var turns =
        List.of(
            "{\"role\":\"user\",\"content\":\"a\"}",
            "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\"},{\"id\":\"y\"}]}",
            "{\"role\":\"tool\",\"tool_call_id\":\"y\",\"content\":\"r\"}",
            "{\"role\":\"user\",\"content\":\"b\"}",
            "{\"role\":\"assistant\",\"content\":\"c\"}",
            "{\"role\":\"user\",\"content\":\"d\"}");
    byte[] before = new byte[0];
    for (int i = 3; i <= turns.size(); i++) {
      var body = "{\"messages\":[" + String.join(",", turns.subList(0, i)) + "]}";
      var mended =
          HistoryRepair.mend(Dialect.OPENAI_CHAT, BodyEdits.utf8(body)).orElseThrow().body();
      var text = new String(mended, StandardCharsets.UTF_8);
      assertThat(text)
          .startsWith(
              new String(before, 0, Math.max(0, before.length - 2), StandardCharsets.UTF_8));
      before = mended;
    }
  }

  /** The worst that can be made of a megabyte, in a time that only a square would break. */
  @Test
  void aMegabyteOfAnythingIsLinear() {
    int size = 1 << 20;
    var worst =
        List.of(
            "{".repeat(size),
            "{\"a\":".repeat(size / 5),
            "[".repeat(size),
            "{}".repeat(size / 2),
            "'".repeat(size),
            "{\"a\":\"" + "\\\"".repeat(size / 2),
            "\"" + "\\\\".repeat(size / 2) + "\"",
            "<|".repeat(size / 2),
            "<|x|>".repeat(size / 5),
            "```".repeat(size / 3),
            "json".repeat(size / 4),
            "loc[".repeat(size / 4),
            "loc ".repeat(size / 4),
            "1,234 ".repeat(size / 6),
            "a.b[0]".repeat(size / 6),
            "__a".repeat(size / 3),
            " ".repeat(size));
    var check = check(Dialect.OPENAI_CHAT, TOOLS);
    var request = BodyEdits.utf8(request(new Random(SEED)));
    for (var text : worst) {
      Assertions.assertTimeoutPreemptively(
          Duration.ofMinutes(3),
          () -> {
            check.check("read_file", text);
            check.check(text, "{}");
            check.check(text, text);
            ParameterRepair.drop(Dialect.OPENAI_CHAT, request, text);
            MaxTokensRepair.lower(Dialect.OPENAI_CHAT, request, text);
            ImageRepair.strip(Dialect.OPENAI_CHAT, request, text);
            HistoryRepair.mend(Dialect.OPENAI_RESPONSES, request, text);
            JsonAnswer.mistake(new AnswerFormat.Json(null, false), text);
          },
          text.substring(0, 12));
    }
    var messages = new ArrayList<String>();
    for (int i = 0; i < 10_000; i++) {
      messages.add("{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"" + i + "\"}]}");
      messages.add("{\"role\":\"user\",\"content\":\"\"}");
    }
    for (int i = 0; i < 10_000; i++) {
      messages.add("{\"role\":\"tool\",\"tool_call_id\":\"" + i + "\"}");
    }
    var many = BodyEdits.utf8("{\"messages\":[" + String.join(",", messages) + "]}");
    Assertions.assertTimeoutPreemptively(
        Duration.ofMinutes(3),
        () -> {
          var mended = HistoryRepair.mend(Dialect.OPENAI_CHAT, many).orElseThrow().body();
          assertPairs(mended);
        });
  }

  @Test
  void aBodyOfTooManyValuesIsLeftAlone() {
    var body =
        BodyEdits.utf8("{\"messages\":[" + "0,".repeat(LocatedValue.MAX_VALUES) + "0],\"stop\":1}");
    assertThat(ParameterRepair.drop(Dialect.OPENAI_CHAT, body, "Unsupported parameter: 'stop'"))
        .isEmpty();
    var tools = BodyEdits.utf8("{\"tools\":[{\"name\":\"" + "x".repeat(5 << 20) + "\"}]}");
    var offered = OfferedTools.read(Dialect.ANTHROPIC, tools);
    assertThat(offered.all()).isEmpty();
    assertThat(offered.open()).isTrue();
  }

  private static void assertReads(byte[] now, byte[] before) {
    if (now != before) {
      assertThat(LocatedValue.object(now))
          .as("%s", new String(before, StandardCharsets.UTF_8))
          .isNotNull();
    }
  }

  private static void assertPairs(byte[] body) {
    var text = new String(body, StandardCharsets.UTF_8);
    Set<String> open = new LinkedHashSet<>();
    for (var message : Tree.read(text).get("messages")) {
      if (Tree.text(message, "role").equals("tool")) {
        assertThat(open.remove(Tree.text(message, "tool_call_id"))).isTrue();
      } else {
        assertThat(open).isEmpty();
        for (var call : message.path("tool_calls")) {
          assertThat(open.add(Tree.text(call, "id"))).isTrue();
        }
      }
    }
    assertThat(open).isEmpty();
  }

  private static void assertPairsBlocks(byte[] body) {
    var text = new String(body, StandardCharsets.UTF_8);
    Set<String> open = new LinkedHashSet<>();
    boolean results = false;
    String role = "";
    for (var message : Tree.read(text).get("messages")) {
      if (!Tree.text(message, "role").equals(role)) {
        role = Tree.text(message, "role");
        if (role.equals("assistant")) {
          assertThat(open).as(text).isEmpty();
        }
        results = true;
      }
      for (var block : message.get("content")) {
        switch (Tree.text(block, "type")) {
          case "tool_use" -> assertThat(open.add(Tree.text(block, "id"))).isTrue();
          case "tool_result" -> {
            assertThat(results).as(text).isTrue();
            assertThat(open.remove(Tree.text(block, "tool_use_id"))).as(text).isTrue();
          }
          default -> results = false;
        }
      }
    }
    assertThat(open).as(text).isEmpty();
  }

  private static String chat(Random random) {
    var messages = new ArrayList<String>();
    for (int i = random.nextInt(9); i >= 0; i--) {
      messages.add(
          switch (random.nextInt(5)) {
            case 0 -> "{\"role\":\"user\",\"content\":\"u\"}";
            case 1 -> "{\"role\":\"assistant\",\"content\":\"a\"}";
            case 2, 3 -> "{\"role\":\"tool\",\"tool_call_id\":\"" + id(random) + "\"}";
            default ->
                "{\"tool_calls\":[{\"id\":\""
                    + id(random)
                    + "\"},{\"id\":\""
                    + id(random)
                    + "\"}],\"role\":\"assistant\"}";
          });
    }
    return "{\"messages\":[" + String.join(" , ", messages) + "]}";
  }

  private static String anthropic(Random random) {
    var messages = new ArrayList<String>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      boolean user = random.nextBoolean();
      var blocks = new ArrayList<String>();
      for (int j = random.nextInt(4); j >= 0; j--) {
        blocks.add(
            random.nextInt(3) == 0
                ? "{\"type\":\"text\",\"text\":\"t\"}"
                : user
                    ? "{\"type\":\"tool_result\",\"tool_use_id\":\"" + id(random) + "\"}"
                    : "{\"type\":\"tool_use\",\"id\":\"" + id(random) + "\"}");
      }
      messages.add(
          "{\"role\":\""
              + (user ? "user" : "assistant")
              + "\",\"content\":["
              + String.join(",", blocks)
              + "]}");
    }
    return "{\"messages\":[" + String.join(" , ", messages) + "]}";
  }

  private static String id(Random random) {
    return String.valueOf((char) ('p' + random.nextInt(4)));
  }

  /** A request with fields of all dialects at once, of the wrong kinds too. */
  private static String request(Random random) {
    String[] names = {
      "messages",
      "input",
      "contents",
      "tools",
      "max_tokens",
      "temperature",
      "generationConfig",
      "role",
      "content",
      "parts",
      "tool_calls",
      "id",
      "type",
      "call_id",
      "tool_call_id",
      "name",
      "functionCall",
      "functionResponse",
      "thinking",
      "reasoning",
      "source",
      "choices",
      "message",
      "output",
      "candidates",
      "function",
      "arguments",
      "args",
      "finish_reason",
      "text",
    };
    return fields(random, names, 6);
  }

  private static String fields(Random random, String[] names, int depth) {
    var out = new ArrayList<String>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      out.add("\"" + names[random.nextInt(names.length)] + "\":" + value(random, names, depth - 1));
    }
    return "{" + String.join(", ", out) + "}";
  }

  private static String value(Random random, String[] names, int depth) {
    String[] words = {
      "user",
      "assistant",
      "model",
      "tool",
      "function_call",
      "function_call_output",
      "tool_use",
      "tool_result",
      "image",
      "image_url",
      "input_image",
      "stop",
      "x",
      "developer",
      "",
    };
    return switch (random.nextInt(depth > 0 ? 6 : 3)) {
      case 0 -> "\"" + words[random.nextInt(words.length)] + "\"";
      case 1 -> String.valueOf(random.nextInt(100_000));
      case 2 -> random.nextBoolean() ? "null" : "[]";
      case 3 -> fields(random, names, depth);
      default -> {
        var items = new ArrayList<String>();
        for (int i = random.nextInt(4); i >= 0; i--) {
          items.add(value(random, names, depth - 1));
        }
        yield "[" + String.join(",", items) + "]";
      }
    };
  }

  private static String words(Random random) {
    String[] said = {
      "Unsupported parameter: 'temperature'",
      "messages[0].content[0].source: too large",
      "max_tokens must be at most 17",
      "'loc': ('body', 'reasoning')",
      "thinking.budget: no",
      "{\"error\":{\"message\":\"x\",\"param\":\"max_tokens\"}}",
      "role developer",
      "number of function response parts",
      "after role 'tool'",
    };
    return said[random.nextInt(said.length)];
  }

  private static String garbage(Random random, int most) {
    var out = new StringBuilder();
    for (int i = random.nextInt(most); i >= 0; i--) {
      out.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return out.toString();
  }

  private static JsonNode object(Random random, int depth) {
    var object = Tree.object();
    for (int i = random.nextInt(4); i > 0; i--) {
      object.set("k" + random.nextInt(9), node(random, depth));
    }
    return object;
  }

  private static JsonNode node(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 7 : 5)) {
      case 0 -> Tree.read(String.valueOf(random.nextInt()));
      case 1 -> Tree.read(random.nextInt(100) + "." + random.nextInt(100));
      case 2 -> Tree.read(random.nextBoolean() ? "true" : "null");
      case 3, 4 ->
          Tree.read(
              BodyEdits.quoted(garbage(random, 5).replace("\ud83d", "").replace("\ude00", "")));
      case 5 -> object(random, depth - 1);
      default -> {
        var array = Tree.array();
        for (int i = random.nextInt(4); i > 0; i--) {
          array.add(node(random, depth - 1));
        }
        yield array;
      }
    };
  }

  private static ToolCallCheck check(Dialect dialect, String tools) {
    return new ToolCallCheck(OfferedTools.read(dialect, BodyEdits.utf8(tools)), ALL, Fit.STRICT);
  }
}
