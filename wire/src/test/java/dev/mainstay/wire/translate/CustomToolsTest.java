package dev.mainstay.wire.translate;

import static dev.mainstay.wire.Dialect.ANTHROPIC;
import static dev.mainstay.wire.Dialect.GEMINI;
import static dev.mainstay.wire.Dialect.MISTRAL;
import static dev.mainstay.wire.Dialect.OPENAI_CHAT;
import static dev.mainstay.wire.Dialect.OPENAI_RESPONSES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.repair.AnswerRepair;
import dev.mainstay.wire.repair.CallRepair;
import dev.mainstay.wire.repair.OfferedTools;
import dev.mainstay.wire.repair.ToolCallCheck;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.request.Body;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** OpenAI's custom tools with targets of every dialect: offered, called, answered, demanded. */
class CustomToolsTest {
  private static final String INPUT = "*** Begin \"Patch\"\n+ \\d é\t\u2028 🙂\n*** End";

  private static final String CHAT =
      """
      {"model":"m","messages":[
        {"role":"user","content":"patch it"},
        {"role":"assistant","tool_calls":[
          {"id":"call_1","type":"custom","custom":{"name":"apply_patch","input":%s}},
          {"id":"call_2","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"call_1","content":"done"},
        {"role":"tool","tool_call_id":"call_2","content":"ok"}],
       "tools":[
        {"type":"custom","custom":{"name":"apply_patch","description":"Patches.","format":{
          "type":"grammar","grammar":{"syntax":"lark","definition":"start: /.+/"}}}},
        {"type":"function","function":{"name":"f"}}],
       "tool_choice":{"type":"custom","custom":{"name":"apply_patch"}}}
      """
          .formatted(Tree.write(Body.of(INPUT)));

  private static final String RESPONSES =
      """
      {"model":"m","input":[
        {"role":"user","content":"patch it"},
        {"type":"custom_tool_call","call_id":"call_1","name":"apply_patch","input":%s},
        {"type":"function_call","call_id":"call_2","name":"f","arguments":"{}"},
        {"type":"custom_tool_call_output","call_id":"call_1","output":"done"},
        {"type":"function_call_output","call_id":"call_2","output":"ok"}],
       "tools":[
        {"type":"custom","name":"apply_patch","description":"Patches.","format":{
          "type":"grammar","syntax":"lark","definition":"start: /.+/"}},
        {"type":"function","name":"f"}],
       "tool_choice":{"type":"custom","name":"apply_patch"}}
      """
          .formatted(Tree.write(Body.of(INPUT)));

  private static Translation translate(String body, Dialect from, Dialect to, String model) {
    return Requests.translate(body.getBytes(UTF_8), from, to, model, false, OnLoss.DROP);
  }

  private static JsonNode body(Translation translation) {
    return Body.read(translation.body());
  }

  private static String description(String said) {
    return said + "\n\nThe input must fit this grammar (lark):\nstart: /.+/";
  }

  @Test
  void anthropicIsOfferedAToolOfOneText() {
    for (var request : List.of(CHAT, RESPONSES)) {
      var from = request.equals(CHAT) ? OPENAI_CHAT : OPENAI_RESPONSES;
      var translation = translate(request, from, ANTHROPIC, "claude-sonnet-4-6");
      var body = body(translation);
      assertThat(translation.degraded()).containsExactly("custom-tools");
      var tool = body.at("/tools/0");
      assertThat(Tree.text(tool, "name")).isEqualTo("apply_patch");
      assertThat(Tree.text(tool, "description")).isEqualTo(description("Patches."));
      assertThat(tool.at("/input_schema/properties/input/type")).isEqualTo(Body.of("string"));
      assertThat(tool.at("/input_schema/required/0")).isEqualTo(Body.of("input"));
      assertThat(body.at("/tool_choice"))
          .isEqualTo(Body.parse("{\"type\":\"tool\",\"name\":\"apply_patch\"}"));
      var call = body.at("/messages/1/content/0");
      assertThat(Tree.text(call, "type")).isEqualTo("tool_use");
      assertThat(Tree.text(call, "id")).isEqualTo("call_1");
      assertThat(Tree.text(call.get("input"), "input")).isEqualTo(INPUT);
      assertThat(body.at("/messages/2/content/0/tool_use_id")).isEqualTo(Body.of("call_1"));
    }
  }

  @Test
  void geminiAndMistralAreOfferedAFunctionOfOneText() {
    var gemini = body(translate(RESPONSES, OPENAI_RESPONSES, GEMINI, "gemini-3-flash"));
    assertThat(
            gemini.at("/tools/0/functionDeclarations/0/parametersJsonSchema/properties/input/type"))
        .isEqualTo(Body.of("string"));
    assertThat(gemini.at("/contents/1/parts/0/functionCall/args/input")).isEqualTo(Body.of(INPUT));
    var mistral = body(translate(CHAT, OPENAI_CHAT, MISTRAL, "mistral-large-latest"));
    assertThat(mistral.at("/tools/0/type")).isEqualTo(Body.of("function"));
    assertThat(mistral.at("/tools/0/function/parameters/required/0")).isEqualTo(Body.of("input"));
    assertThat(mistral.at("/messages/1/tool_calls/0/function/arguments").stringValue())
        .isEqualTo(Tree.write(Tree.object().put("input", INPUT)));
    assertThat(mistral.at("/tool_choice/function/name")).isEqualTo(Body.of("apply_patch"));
  }

  @Test
  void openAisOwnDialectsHaveTheirOwnWordForIt() {
    var there = translate(CHAT, OPENAI_CHAT, OPENAI_RESPONSES, "gpt-5");
    assertThat(there.degraded()).isEmpty();
    var responses = body(there);
    assertThat(responses.get("tools").get(0)).isEqualTo(Body.parse(RESPONSES).at("/tools/0"));
    assertThat(responses.get("tool_choice")).isEqualTo(Body.parse(RESPONSES).get("tool_choice"));
    for (int i = 1; i < 5; i++) {
      assertThat(responses.at("/input/" + i)).isEqualTo(Body.parse(RESPONSES).at("/input/" + i));
    }
    var back = translate(RESPONSES, OPENAI_RESPONSES, OPENAI_CHAT, "gpt-5.6");
    assertThat(back.degraded()).isEmpty();
    var chat = body(back);
    assertThat(chat.at("/tools/0")).isEqualTo(Body.parse(CHAT).at("/tools/0"));
    assertThat(chat.get("tool_choice")).isEqualTo(Body.parse(CHAT).get("tool_choice"));
    assertThat(chat.at("/messages/1/tool_calls"))
        .isEqualTo(Body.parse(CHAT).at("/messages/1/tool_calls"));
  }

  /** vLLM, Ollama, relays and OpenAI before GPT-5 know functions alone. */
  @Test
  void othersWhoSpeakOpenAisDialectsGetAFunction() {
    for (var model : List.of("gpt-4o", "qwen3-coder", "openai/gpt-5")) {
      var chat = translate(RESPONSES, OPENAI_RESPONSES, OPENAI_CHAT, model);
      assertThat(chat.degraded()).containsExactly("custom-tools");
      assertThat(body(chat).at("/tools/0/type")).isEqualTo(Body.of("function"));
      assertThat(body(chat).at("/tool_choice/type")).isEqualTo(Body.of("function"));
      assertThat(body(chat).at("/messages/1/tool_calls/0/type")).isEqualTo(Body.of("function"));
      var responses = translate(CHAT, OPENAI_CHAT, OPENAI_RESPONSES, model);
      assertThat(body(responses).at("/tools/0/type")).isEqualTo(Body.of("function"));
      assertThat(body(responses).at("/input/1/type")).isEqualTo(Body.of("function_call"));
      assertThat(body(responses).at("/input/3/type")).isEqualTo(Body.of("function_call_output"));
    }
  }

  @Test
  void withoutAGrammarNothingIsLost() {
    var free = RESPONSES.replaceAll("(?s)\"format\":\\{.*?\\}", "\"format\":{\"type\":\"text\"}");
    var translation = translate(free, OPENAI_RESPONSES, ANTHROPIC, "claude-sonnet-4-6");
    assertThat(translation.degraded()).isEmpty();
    assertThat(body(translation).at("/tools/0/description")).isEqualTo(Body.of("Patches."));
  }

  @Test
  void aChoiceAmongSomeNamesThemAsTheyAre() {
    var chat =
        CHAT.substring(0, CHAT.indexOf("\"tool_choice\""))
            + "\"tool_choice\":{\"type\":\"allowed_tools\",\"allowed_tools\":{\"mode\":\"auto\","
            + "\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"apply_patch\"}}]}}}";
    assertThat(body(translate(chat, OPENAI_CHAT, OPENAI_RESPONSES, "gpt-5")).get("tool_choice"))
        .isEqualTo(
            Body.parse(
                "{\"type\":\"allowed_tools\",\"mode\":\"auto\",\"tools\":[{\"type\":\"custom\",\"name\":\"apply_patch\"}]}"));
    assertThat(body(translate(chat, OPENAI_CHAT, ANTHROPIC, "claude-sonnet-4-6")).get("tools"))
        .hasSize(1);
  }

  @Test
  void anUnknownFormatIsTheClientsMistake() {
    var wrong = CHAT.replace("\"type\":\"grammar\"", "\"type\":\"poem\"");
    assertThatThrownBy(() -> translate(wrong, OPENAI_CHAT, ANTHROPIC, "claude-sonnet-4-6"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageStartingWith("tools[0].custom.format.type: ");
  }

  /** A turn with a call of the custom tool and one of a function, as any target makes it. */
  private static List<Delta> turn(String input, int pieces) {
    var deltas = new ArrayList<Delta>();
    deltas.add(new Delta.Start("a", "m"));
    deltas.add(new Delta.ToolCall(0, 0, "call_1", "apply_patch", null));
    var arguments = " { \"input\" :\n" + Tree.write(Body.of(input)) + "}";
    int step = Math.max(1, arguments.length() / pieces);
    for (int i = 0; i < arguments.length(); i += step) {
      var piece = arguments.substring(i, Math.min(arguments.length(), i + step));
      deltas.add(new Delta.Arguments(0, 0, piece));
    }
    deltas.add(new Delta.ToolCall(0, 1, "call_2", "f", null));
    deltas.add(new Delta.Arguments(0, 1, "{}"));
    deltas.add(new Delta.Finished(0, Delta.Ending.TOOL_CALLS, "tool_use", null));
    deltas.add(new Delta.End());
    return deltas;
  }

  private static ReplyWriter writer(Dialect dialect) {
    return Replies.writer(
        dialect, new WriterOptions(null, false, "answer", 1, Set.of("apply_patch")));
  }

  private static List<JsonNode> stream(Dialect dialect, List<Delta> deltas) {
    var out = new ByteArrayOutputStream();
    var writer = writer(dialect);
    deltas.forEach(delta -> writer.write(delta, out));
    var events = new ArrayList<JsonNode>();
    var bytes = out.toByteArray();
    new SseScanner()
        .feed(
            bytes,
            0,
            bytes.length,
            event -> {
              if (!event.dataIs("[DONE]")) {
                events.add(Tree.read(event.data(), event.dataStart(), event.dataLength()));
              }
              return true;
            });
    return events;
  }

  @Test
  void chatsClientGetsACustomCallWhole() {
    var answer = Body.read(writer(OPENAI_CHAT).whole(turn(INPUT, 1)));
    var calls = answer.at("/choices/0/message/tool_calls");
    assertThat(calls.get(0)).isEqualTo(Body.parse(CHAT).at("/messages/1/tool_calls/0"));
    assertThat(calls.at("/1/type")).isEqualTo(Body.of("function"));
    assertThat(answer.at("/choices/0/finish_reason")).isEqualTo(Body.of("tool_calls"));
  }

  @Test
  void chatsClientGetsACustomCallInPieces() {
    for (int pieces : new int[] {1, 3, 1_000}) {
      var input = new StringBuilder();
      var kinds = new TreeSet<String>();
      for (var event : stream(OPENAI_CHAT, turn(INPUT, pieces))) {
        for (var call : event.at("/choices/0/delta/tool_calls")) {
          if (call.path("index").asInt() == 0) {
            input.append(Tree.text(call.path("custom"), "input"));
            kinds.add(Tree.text(call, "type"));
            assertThat(call.has("function")).isFalse();
          }
        }
      }
      assertThat(input).hasToString(INPUT);
      assertThat(kinds).containsExactly("", "custom");
    }
  }

  @Test
  void responsesClientGetsACustomCall() {
    for (int pieces : new int[] {1, 3, 1_000}) {
      var events = stream(OPENAI_RESPONSES, turn(INPUT, pieces));
      var input = new StringBuilder();
      for (var event : events) {
        switch (Tree.text(event, "type")) {
          case "response.custom_tool_call_input.delta" -> input.append(Tree.text(event, "delta"));
          case "response.custom_tool_call_input.done" ->
              assertThat(Tree.text(event, "input")).isEqualTo(INPUT);
          default -> {}
        }
      }
      assertThat(input).hasToString(INPUT);
      var output = events.getLast().at("/response/output");
      assertThat(output.at("/0/type")).isEqualTo(Body.of("custom_tool_call"));
      assertThat(output.at("/0/call_id")).isEqualTo(Body.of("call_1"));
      assertThat(output.at("/0/status")).isEqualTo(Body.of("completed"));
      assertThat(output.at("/0/input")).isEqualTo(Body.of(INPUT));
      assertThat(output.at("/1/type")).isEqualTo(Body.of("function_call"));
      var whole = Body.read(writer(OPENAI_RESPONSES).whole(turn(INPUT, 1)));
      assertThat(whole.at("/output/0")).isEqualTo(output.get(0));
    }
  }

  /** Cut by the limit of tokens, as much of the input as there is. */
  @Test
  void aCallThatWasCutKeepsWhatItHas() {
    var deltas =
        List.<Delta>of(
            new Delta.Start("a", "m"),
            new Delta.ToolCall(0, 0, "call_1", "apply_patch", null),
            new Delta.Arguments(0, 0, "{\"input\":\"one\\ntw"),
            new Delta.Finished(0, Delta.Ending.LENGTH, "max_tokens", null),
            new Delta.End());
    var whole = Body.read(writer(OPENAI_CHAT).whole(deltas));
    assertThat(whole.at("/choices/0/message/tool_calls/0/custom/input"))
        .isEqualTo(Body.of("one\ntw"));
  }

  @Test
  void whatIsNoSuchObjectIsTheInputItself() {
    assertThat(CustomInput.of("*** Begin Patch")).isEqualTo("*** Begin Patch");
    assertThat(CustomInput.of("{\"in\": 1}")).isEqualTo("{\"in\": 1}");
    assertThat(CustomInput.of("{\"input\": \"\\u00e9\\ud83d\\ude42\\/\\zx\"}")).isEqualTo("é🙂/zx");
    assertThat(CustomInput.of("{}")).isEqualTo("{}");
  }

  /** What each of OpenAI's dialects writes it reads, whole and streamed, and writes again. */
  @ParameterizedTest
  @EnumSource(names = {"OPENAI_CHAT", "OPENAI_RESPONSES"})
  void aCustomCallIsReadAsOne(Dialect dialect) {
    var other = dialect == OPENAI_CHAT ? OPENAI_RESPONSES : OPENAI_CHAT;
    var whole = Replies.reader(dialect).whole(writer(dialect).whole(turn(INPUT, 1)));
    var reader = Replies.reader(dialect);
    var out = new ByteArrayOutputStream();
    var writer = writer(dialect);
    turn(INPUT, 7).forEach(delta -> writer.write(delta, out));
    var streamed = new ArrayList<Delta>();
    var bytes = out.toByteArray();
    new SseScanner()
        .feed(bytes, 0, bytes.length, event -> streamed.addAll(reader.read(event)) || true);
    for (var deltas : List.of(whole, streamed)) {
      var gathered = Objects.requireNonNull(GatheredDeltas.of(deltas).choices().get(0)).pieces();
      assertThat(gathered).hasSize(2);
      assertThat(((Delta.ToolCall) gathered.get(0).delta()).custom()).isTrue();
      assertThat(Body.parse(gathered.get(0).text().toString()))
          .isEqualTo(Tree.object().put("input", INPUT));
      assertThat(((Delta.ToolCall) gathered.get(1).delta()).custom()).isFalse();
      // Also where the client's offer does not spell the tool out.
      var anew = Replies.writer(other, new WriterOptions(null, false, "answer", 1));
      var again = Replies.reader(other).whole(anew.whole(deltas));
      assertThat(again).anyMatch(delta -> delta instanceof Delta.ToolCall call && call.custom());
    }
  }

  @Test
  void callsOfCustomToolsAreJudgedByTheirInputAndName() {
    var check =
        new ToolCallCheck(
            OfferedTools.read(OPENAI_CHAT, CHAT.getBytes(UTF_8)),
            EnumSet.allOf(CallRepair.class),
            ToolCallCheck.Fit.STRICT);
    assertThat(check.offered().custom()).containsExactly("apply_patch");
    assertThat(check.check("apply_patch", "{\"input\":\"x\"}"))
        .isEqualTo(new ToolCallCheck.Result.Good());
    assertThat(check.check("apply_patch", "{\"text\":\"x\"}"))
        .isInstanceOf(ToolCallCheck.Result.Bad.class);
    assertThat(check.check("apply_patch", "not JSON")).isInstanceOf(ToolCallCheck.Result.Bad.class);
    var answer =
        "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c\",\"type\":\"custom\",\"custom\":{\"name\":\"functions.apply_patch\",\"input\":\"x\"}}]}}]}";
    assertThat(
            new String(
                AnswerRepair.apply(OPENAI_CHAT, answer.getBytes(UTF_8), check).body(), UTF_8))
        .isEqualTo(answer.replace("functions.", ""));
    var responses =
        "{\"output\":[{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"functions.apply_patch\",\"input\":\"x\"}]}";
    assertThat(
            new String(
                AnswerRepair.apply(OPENAI_RESPONSES, responses.getBytes(UTF_8), check).body(),
                UTF_8))
        .isEqualTo(responses.replace("functions.", ""));
  }
}
