package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.chunk;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of tool calls that a model got wrong. */
@Timeout(180)
final class ToolCallTest {
  private Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  private static String ask(boolean stream) {
    return "{\"model\":\"assistant\",\"stream\":"
        + stream
        + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"exec_command\","
        + "\"parameters\":{\"type\":\"object\",\"properties\":{\"cmd\":{\"type\":\"string\"}}}}}],"
        + "\"messages\":[{\"role\":\"user\",\"content\":\"List the files.\"}]}";
  }

  private static String answer(String name, String arguments) {
    return "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,"
        + "\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\""
        + name
        + "\",\"arguments\":\""
        + arguments
        + "\"}}]},\"finish_reason\":\"tool_calls\"}],\"x-own\":[1, 2]}";
  }

  private static List<String> stream(String name, String arguments) {
    return List.of(
        chunk("{\"role\":\"assistant\",\"content\":null}", "null"),
        chunk(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
                + "\"name\":\""
                + name
                + "\",\"arguments\":\"\"}}]}",
            "null"),
        chunk(
            "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"" + arguments + "\"}}]}",
            "null"),
        chunk("{}", "\"tool_calls\""),
        "data: [DONE]\n\n");
  }

  /** Its client takes no tool call in pieces, as OpenAI sends them. */
  @Test
  void mistralsClientGetsEachCallInOneEvent() {
    h.one.then(ScriptedProvider.sse(stream("exec_command", "{\\\"cmd\\\": \\\"ls\\\"}")));
    var body =
        h.post("/v1/chat/completions", ask(true), "user-agent", "mistral-client-python/3.7.0")
            .body();
    assertThat(body.lines().filter(line -> line.contains("\"tool_calls\":[")))
        .singleElement()
        .asString()
        .contains("\"name\":\"exec_command\"", "\\\"cmd\\\"");
    assertThat(body).endsWith("data: [DONE]\n\n");
  }

  @Test
  void aGoodCallPassesByteForByte() {
    var good = answer("exec_command", "{\\\"cmd\\\": \\\"ls\\\"}");
    h.one.then(json(200, good));
    assertThat(h.post("/v1/chat/completions", ask(false)).body()).isEqualTo(good);
    var events = stream("exec_command", "{\\\"cmd\\\": \\\"ls\\\"}");
    h.one.then(sse(events));
    assertThat(h.post("/v1/chat/completions", ask(true)).body()).isEqualTo(String.join("", events));
  }

  /** It was taken for a call without a name, and the model asked again. */
  @Test
  void aCallThatGeminiStreamsInPiecesIsOneCall() {
    var events =
        List.of(
            gemini("{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}", ""),
            gemini(
                "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"x\"}],\"willContinue\":true}}",
                ""),
            gemini("{\"functionCall\":{}}", ",\"finishReason\":\"STOP\""));
    h.one.then(sse(events));
    var body =
        h.post(
                "/v1beta/models/gem%2Fg:streamGenerateContent?alt=sse",
                "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}],\"tools\":"
                    + "[{\"functionDeclarations\":[{\"name\":\"f\"}]}],\"toolConfig\":"
                    + "{\"functionCallingConfig\":{\"streamFunctionCallArguments\":true}}}")
            .body();
    assertThat(body).isEqualTo(String.join("", events));
    assertThat(h.one.asked).hasSize(1);
  }

  private static String gemini(String part, String more) {
    return "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":["
        + part
        + "]}"
        + more
        + "}]}\n\n";
  }

  /** The one that was cut may have half a call; the other may not. */
  @Test
  void ofSeveralAnswersOnlyTheOneThatWasCutIsLeftAlone() {
    var bad = answer("exec_comand_x", "{\\\"cmd\\\":\\\"ls\\\"}");
    var cut =
        bad.replace(
            "\"choices\":[",
            "\"choices\":[{\"index\":1,\"message\":{\"role\":\"assistant\",\"content\":\"Hal\"},"
                + "\"finish_reason\":\"length\"},");
    assertThat(cut).isNotEqualTo(bad);
    h.one.then(json(200, cut));
    var response = h.post("/v1/chat/completions", ask(false));
    assertThat(response.body()).doesNotContain("exec_comand_x");
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void aNameWithControlTokensIsRepairedWithoutAnotherAttempt() {
    h.one.then(json(200, answer("exec_command<|channel|>commentary", "{\\\"cmd\\\":\\\"ls\\\"}")));
    var response = h.post("/v1/chat/completions", ask(false));
    assertThat(response.body())
        .contains("\"name\":\"exec_command\"")
        .contains("\"x-own\":[1, 2]")
        .doesNotContain("<|channel|>");
    assertThat(Harness.header(response, "x-mainstay-recovery")).isEqualTo("repair:tool-name");
    assertThat(h.one.asked).hasSize(1);
  }

  /** OpenAI's SDKs read a text there; some servers write the object itself. */
  @Test
  void argumentsThatAreAnObjectBecomeTheTextOfIt() {
    var text = "\"arguments\":\"{\\\"cmd\\\":\\\"ls\\\"}\"";
    var object = "\"arguments\":{\"cmd\":\"ls\"}";
    var whole = answer("exec_command", "{\\\"cmd\\\":\\\"ls\\\"}");
    var events = stream("exec_command", "{\\\"cmd\\\":\\\"ls\\\"}");
    assertThat(whole).contains(text);
    h.one.then(
        json(200, whole.replace(text, object)),
        sse(events.stream().map(event -> event.replace(text, object)).toList()));
    var response = h.post("/v1/chat/completions", ask(false));
    assertThat(response.body()).isEqualTo(whole);
    assertThat(Harness.header(response, "x-mainstay-recovery")).isEqualTo("repair:tool-arguments");
    var streamed = h.post("/v1/chat/completions", ask(true)).body();
    assertThat(streamed).contains(text).doesNotContain(object).endsWith("[DONE]\n\n");
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void theSameInAStream() {
    h.one.then(sse(stream("exec_command<|channel|>commentary", "{\\\"cmd\\\":\\\"ls\\\"}")));
    var body = h.post("/v1/chat/completions", ask(true)).body();
    assertThat(body).contains("exec_command").doesNotContain("<|channel|>").endsWith("[DONE]\n\n");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().call().recovery()).contains("repair:tool-name");
  }

  /** OpenAI's models make it up for calls in parallel. */
  @Test
  void whatWasCalledWithinMultiToolUseComesInItsPlace() {
    var uses =
        "{\\\"tool_uses\\\":[{\\\"recipient_name\\\":\\\"functions.exec_command\\\",\\\"parameters\\\":"
            + "{\\\"cmd\\\":\\\"ls\\\"}},{\\\"recipient_name\\\":\\\"functions.exec_command\\\","
            + "\\\"parameters\\\":{\\\"cmd\\\":\\\"pwd\\\"}}]}";
    h.one.then(
        json(200, answer("multi_tool_use.parallel", uses)),
        sse(stream("multi_tool_use.parallel", uses)));
    var whole = h.post("/v1/chat/completions", ask(false));
    assertThat(whole.body())
        .contains("\"id\":\"call_1_1\"", "\"id\":\"call_1_2\"", "ls", "pwd", "\"x-own\":[1, 2]")
        .doesNotContain("multi_tool_use");
    assertThat(Harness.header(whole, "x-mainstay-recovery")).isEqualTo("repair:tool-name");
    var body = h.post("/v1/chat/completions", ask(true)).body();
    assertThat(body)
        .contains("\"id\":\"call_1_1\"", "\"id\":\"call_1_2\"", "\"index\":1")
        .doesNotContain("multi_tool_use")
        .endsWith("[DONE]\n\n");
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void aToolThatWasNotOfferedIsAskedForAgainWithTheMistakeTold() {
    h.one.then(
        json(200, answer("send_rocket_to_moon", "{}")),
        json(200, answer("exec_command", "{\\\"cmd\\\":\\\"ls\\\"}")));
    var response = h.post("/v1/chat/completions", ask(false));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("exec_command");
    assertThat(h.one.asked).hasSize(2);
    assertThat(h.one.bodies().get(1)).contains("send_rocket_to_moon").contains("exec_command");
    assertThat(Harness.header(response, "x-mainstay-recovery")).isEqualTo("repair:self-correct");
  }

  @Test
  void argumentsThatAreCutAreAskedForAgainInAStreamToo() {
    h.one.then(
        sse(stream("exec_command", "{\\\"cmd\\\": \\\"l")),
        sse(stream("exec_command", "{\\\"cmd\\\": \\\"ls\\\"}")));
    var body = h.post("/v1/chat/completions", ask(true)).body();
    assertThat(body).contains("ls").endsWith("[DONE]\n\n");
    assertThat(body.split("call_1", -1)).hasSize(2);
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void aModelThatNeverCallsWhatIsOfferedEndsInATypedError() {
    for (int i = 0; i < 6; i++) {
      h.one.then(json(200, answer("send_rocket_to_moon", "{}")));
      h.two.then(json(200, answer("send_rocket_to_moon", "{}")));
    }
    var response = h.post("/v1/chat/completions", ask(false));
    assertThat(response.statusCode()).isEqualTo(502);
    assertThat(response.body()).contains("invalid_tool_call");
    assertThat(h.one.asked.size() + h.two.asked.size()).isLessThanOrEqualTo(5);
  }

  @Test
  void withRepairsOffTheAnswerPassesAsItCame() {
    h.close();
    h = new Harness("recovery: { repairs: [] }\n");
    var whole = answer("exec_command<|channel|>commentary", "{\\\"cmd\\\": ");
    var events = stream("rm", "{\\\"cmd\\\": ");
    var text = ScriptedProvider.answer();
    h.one.then(json(200, whole), sse(events), json(200, text));
    assertThat(h.post("/v1/chat/completions", ask(false)).body()).isEqualTo(whole);
    assertThat(h.post("/v1/chat/completions", ask(true)).body()).isEqualTo(String.join("", events));
    var formatted =
        "{\"model\":\"assistant\",\"response_format\":{\"type\":\"json_object\"},"
            + "\"messages\":[{\"role\":\"user\",\"content\":\"JSON, please.\"}]}";
    assertThat(h.post("/v1/chat/completions", formatted).body()).isEqualTo(text);
    assertThat(h.one.asked).hasSize(3);
  }
}
