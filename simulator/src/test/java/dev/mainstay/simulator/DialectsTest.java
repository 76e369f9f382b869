package dev.mainstay.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.simulator.junit.SimulatedProviders;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SimulatedProviders
class DialectsTest {
  @SuppressWarnings("NullAway.Init")
  private static Simulator simulator;

  @SuppressWarnings("NullAway.Init")
  private static SimulatorClient ask;

  /** How each dialect asks, and where its text stands. */
  enum Speaking {
    RESPONSES(
        "/v1/responses",
        "{\"model\":\"m\",\"stream\":%s,\"input\":\"hi\"}",
        "/output/0/content/0/text",
        "/delta",
        "event: response.completed"),
    ANTHROPIC(
        "/v1/messages",
        "{\"model\":\"m\",\"stream\":%s,\"max_tokens\":99,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
        "/content/0/text",
        "/delta/text",
        "event: message_stop"),
    MISTRAL(
        "/mistral/v1/chat/completions",
        "{\"model\":\"m\",\"stream\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
        "/choices/0/message/content",
        "/choices/0/delta/content",
        "[DONE]"),
    GEMINI(
        "/v1beta/models/m:",
        "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}",
        "/candidates/0/content/parts/0/text",
        "/candidates/0/content/parts/0/text",
        "\"finishReason\":\"STOP\"");

    final String path;
    final String body;
    final String whole;
    final String delta;
    final String ending;

    Speaking(String path, String body, String whole, String delta, String ending) {
      this.path = path;
      this.body = body;
      this.whole = whole;
      this.delta = delta;
      this.ending = ending;
    }

    String asked(boolean stream) throws IOException, InterruptedException {
      String method =
          this != GEMINI ? "" : stream ? "streamGenerateContent?alt=sse" : "generateContent";
      return ask.post(path + method, body.formatted(stream)).body();
    }

    List<JsonNode> events() throws IOException, InterruptedException {
      return SimulatorClient.events(asked(true).replace("\r\n", "\n")).stream()
          .filter(e -> !e.equals("[DONE]"))
          .map(SimulatorClient::json)
          .toList();
    }

    String text() throws IOException, InterruptedException {
      Function<JsonNode, String> delta =
          event ->
              event.path("type").asString("").endsWith(".done")
                  ? ""
                  : event.at(this.delta).asString("");
      return events().stream().map(delta).collect(Collectors.joining());
    }
  }

  @BeforeAll
  static void start(Simulator running) {
    simulator = running;
    ask = new SimulatorClient(running);
  }

  @AfterAll
  static void stop() {
    ask.close();
  }

  @ParameterizedTest
  @EnumSource
  void saysTheSameWholeAndStreamed(Speaking dialect) throws Exception {
    assertThat(SimulatorClient.json(dialect.asked(false)).at(dialect.whole).asString())
        .isEqualTo(Answer.USUAL.text());
    assertThat(dialect.text()).isEqualTo(Answer.USUAL.text());
    assertThat(dialect.asked(true)).contains(dialect.ending);
  }

  /** How each dialect limits an answer, and says that it was cut. */
  enum Limited {
    CHAT(
        "/v1/chat/completions",
        "'max_tokens':5,'messages':[{'role':'user','content':'hi'}]",
        "'finish_reason':'length'"),
    CHAT_NEWER(
        "/v1/chat/completions",
        "'max_completion_tokens':5,'max_tokens':900,'messages':[{'role':'user','content':'hi'}]",
        "'finish_reason':'length'"),
    RESPONSES(
        "/v1/responses",
        "'max_output_tokens':5,'input':'hi'",
        "'incomplete_details':{'reason':'max_output_tokens'}"),
    ANTHROPIC(
        "/v1/messages",
        "'max_tokens':5,'messages':[{'role':'user','content':'hi'}]",
        "'stop_reason':'max_tokens'"),
    MISTRAL(
        "/mistral/v1/chat/completions",
        "'max_tokens':5,'messages':[{'role':'user','content':'hi'}]",
        "'finish_reason':'length'"),
    GEMINI(
        "/v1beta/models/m:",
        "'generationConfig':{'maxOutputTokens':5},'contents':[{'parts':[{'text':'hi'}]}]",
        "'finishReason':'MAX_TOKENS'");

    private final String path;
    private final String fields;
    private final String ending;

    Limited(String path, String fields, String ending) {
      this.path = path;
      this.fields = fields.replace('\'', '"');
      this.ending = ending.replace('\'', '"');
    }

    String asked(boolean stream, String limit) throws IOException, InterruptedException {
      String method =
          this != GEMINI ? "" : stream ? "streamGenerateContent?alt=sse" : "generateContent";
      String usage =
          stream && path.startsWith("/v1/chat")
              ? "\"stream_options\":{\"include_usage\":true},"
              : "";
      String body =
          (this == GEMINI ? "{%3$s}" : "{\"model\":\"m\",\"stream\":%s,%s%s}")
              .formatted(stream, usage, fields.replace(":5", ":" + limit));
      return ask.post(path + method, body).body();
    }
  }

  /** OpenAI takes no limit below 16 in Responses, so only the end of the answer can be cut. */
  @Test
  void cutsResponsesToo() throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      assertThat(Limited.RESPONSES.asked(stream, "16"))
          .contains(Limited.RESPONSES.ending)
          .doesNotContain("🙂");
      assertThat(Limited.RESPONSES.asked(stream, "17")).doesNotContain("incomplete\"");
      assertThat(Limited.RESPONSES.asked(stream, "15")).contains("Expected a value >= 16");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RESPONSES")
  void cutsAnAnswerWhereItsAskerSaysSo(Limited dialect) throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      String cut = dialect.asked(stream, "5");
      assertThat(cut).contains(dialect.ending, "naïve").doesNotContain("café");
      assertThat(cut).containsPattern("(completion_t|output_t|candidatesT)oken(s|Count)\":5\\b");
      assertThat(dialect.asked(stream, "17"))
          .contains("🙂")
          .doesNotContain(dialect.ending, "incomplete\"");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RESPONSES")
  void cutsReasoningAndToolCallsToo(Limited dialect) throws Exception {
    var thoughtful =
        new Answer(
            "Then.",
            "Let me think.",
            List.of(new Answer.ToolCall("look", "{\"where\":\"Kraków\"}")),
            null,
            null);
    simulator.script(Script.of("m", Step.answering(thoughtful).times(99)));
    String thinking = dialect.asked(false, "2");
    assertThat(thinking).contains(dialect.ending, "Let me ").doesNotContain("Then", "look");
    String calling = dialect.asked(false, "7");
    assertThat(calling).contains(dialect.ending, "Then.").doesNotContain("Kraków");
    assertThat(dialect.asked(false, "900"))
        .contains("look", "Kraków")
        .doesNotContain(dialect.ending);
  }

  @ParameterizedTest
  @EnumSource
  void endsAfterSoManyDeltasWithoutItsEnding(Speaking dialect) throws Exception {
    simulator.script(Script.of("m", Step.of(new Fault.End(FaultPoint.after(2))).times(2)));
    assertThat(dialect.text()).isEqualTo("Everything went ");
    assertThat(dialect.asked(true)).doesNotContain(dialect.ending);
  }

  @ParameterizedTest
  @EnumSource
  void refusesWhatItDoesNotKnowAndLimitsInItsOwnWords(Speaking dialect) throws Exception {
    simulator.script(Script.parse("{ models: { n: [] }, known-only: true }"));
    String unknown = dialect.asked(false);
    String expected =
        switch (dialect) {
          case RESPONSES -> "model_not_found";
          case ANTHROPIC -> "not_found_error";
          case MISTRAL -> "invalid_model";
          case GEMINI -> "NOT_FOUND";
        };
    assertThat(unknown).contains(expected);
    simulator.script(Script.parse("models: { m: { limit: { requests: 1, window: 5m } } }"));
    dialect.asked(false);
    dialect.asked(false);
    assertThat(simulator.log().getLast().answer().status()).isEqualTo(429);
    assertThat(simulator.log().getLast().answer().step()).isEqualTo("rate limit");
  }

  @Test
  void anthropicStreamsThinkingTextAndToolsInBlocks() throws Exception {
    var answer =
        new Answer(
            "done", "let me think", List.of(new Answer.ToolCall("t", "{\"a\":[1,2]}")), null, null);
    simulator.script(Script.of("m", Step.answering(answer).times(2)));
    var events = Speaking.ANTHROPIC.events();
    assertThat(events.stream().map(e -> e.path("type").asString()))
        .startsWith("message_start", "ping", "content_block_start")
        .endsWith("content_block_stop", "message_delta", "message_stop");
    assertThat(
            events.stream()
                .filter(e -> e.path("type").asString().equals("content_block_start"))
                .map(e -> e.at("/content_block/type").asString()))
        .containsExactly("thinking", "text", "tool_use");
    String arguments =
        events.stream()
            .map(e -> e.at("/delta/partial_json").asString(""))
            .collect(Collectors.joining());
    assertThat(arguments).isEqualTo("{\"a\":[1,2]}");
    assertThat(events.get(events.size() - 2).at("/delta/stop_reason").asString())
        .isEqualTo("tool_use");
    JsonNode whole = SimulatorClient.json(Speaking.ANTHROPIC.asked(false));
    assertThat(whole.path("content").get(2).at("/input/a/1").asInt()).isEqualTo(2);
  }

  @Test
  void responsesNumberTheirEventsAndEndWithTheWholeResponse() throws Exception {
    var answer =
        new Answer(
            "done", "let me think", List.of(new Answer.ToolCall("t", "{\"a\":1}")), null, null);
    simulator.script(Script.of("m", Step.answering(answer)));
    var events = Speaking.RESPONSES.events();
    for (int i = 0; i < events.size(); i++)
      assertThat(events.get(i).path("sequence_number").asInt()).isEqualTo(i);
    JsonNode last = events.getLast();
    assertThat(last.path("type").asString()).isEqualTo("response.completed");
    assertThat(last.at("/response/output")).hasSize(3);
    assertThat(last.at("/response/output/2/arguments").asString()).isEqualTo("{\"a\":1}");
    assertThat(last.at("/response/usage/output_tokens_details/reasoning_tokens").asInt())
        .isEqualTo(3);
  }

  @Test
  void responsesSendErrorsAsEventsOfTheirOwn() throws Exception {
    simulator.script(Script.of("m", Faults.step("openai-error-event")));
    String stream = Speaking.RESPONSES.asked(true);
    assertThat(stream).contains("event: error\n").doesNotContain("response.completed");
    assertThat(
            SimulatorClient.json(SimulatorClient.events(stream).getLast()).path("code").asString())
        .isEqualTo("server_error");
  }

  @Test
  void geminiSaysThatACallWasMalformedAndStreamsArrays() throws Exception {
    simulator.script(Script.of("m", Faults.step("tool-broken-arguments"), Step.OK));
    JsonNode whole = SimulatorClient.json(Speaking.GEMINI.asked(false));
    assertThat(whole.at("/candidates/0/finishReason").asString())
        .isEqualTo("MALFORMED_FUNCTION_CALL");
    String array =
        ask.post(
                "/v1beta/models/m:streamGenerateContent",
                "{\"contents\":[{\"parts\":[{\"text\":\"hi\"}]}]}")
            .body();
    assertThat(SimulatorClient.json("{\"a\":" + array + "}").path("a").size()).isGreaterThan(3);
  }

  @ParameterizedTest
  @EnumSource(names = {"ANTHROPIC", "GEMINI", "MISTRAL"})
  void goesOnFromAPrefill(Speaking dialect) throws Exception {
    // Anthropic takes no beginning that ends in a blank.
    String begun =
        dialect == Speaking.ANTHROPIC ? "Everything went well:" : "Everything went well: ";
    String body =
        switch (dialect) {
          case ANTHROPIC ->
              "{\"model\":\"m\",\"max_tokens\":99,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\""
                  + begun
                  + "\"}]}";
          case GEMINI ->
              "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]},{\"role\":\"model\",\"parts\":[{\"text\":\""
                  + begun
                  + "\"}]}]}";
          default ->
              "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"prefix\":true,\"content\":\""
                  + begun
                  + "\"}]}";
        };
    String usual = String.valueOf(Answer.USUAL.text());
    for (var continues : Continues.values()) {
      simulator.script(Script.EMPTY.and("*", Script.Model.of().continuing(continues)));
      String answer =
          ask.post(dialect.path + (dialect == Speaking.GEMINI ? "generateContent" : ""), body)
              .body();
      String said = SimulatorClient.json(answer).at(dialect.whole).asString("");
      boolean echo = dialect == Speaking.MISTRAL && continues == Continues.EXACTLY;
      switch (continues) {
        case EXACTLY -> assertThat(echo ? said : begun + said).isEqualTo(usual);
        case REPEATING, STARTING_OVER -> assertThat(said).isEqualTo(usual);
        case REFUSING_PREFILLS -> {
          assertThat(said).isEmpty();
          assertThat(answer).containsAnyOf("prefill", "model turn", "prefix");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void goesOnByInstruction(Speaking dialect) throws Exception {
    simulator.script(
        Script.EMPTY.and(
            "*",
            Script.Model.of(Step.answering(Answer.ofText("You said ${last}, and I heard it.")))
                .continuing(Continues.EXACTLY)));
    String body =
        switch (dialect) {
          case GEMINI ->
              "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]},{\"role\":\"model\",\"parts\":[{\"text\":\"You"
                  + " said hi\"}]},{\"role\":\"user\",\"parts\":[{\"text\":\"go on\"}]}]}";
          default ->
              "{\"model\":\"m\",%s\"%s\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"You said hi\"},{\"role\":\"user\",\"content\":\"go on\"}]}"
                  .formatted(
                      dialect == Speaking.ANTHROPIC ? "\"max_tokens\":99," : "",
                      dialect == Speaking.RESPONSES ? "input" : "messages");
        };
    String answer =
        ask.post(dialect.path + (dialect == Speaking.GEMINI ? "generateContent" : ""), body).body();
    assertThat(SimulatorClient.json(answer).at(dialect.whole).asString())
        .isEqualTo(", and I heard it.");
  }

  @Test
  void countsAndEmbeds() throws Exception {
    assertThat(
            SimulatorClient.json(ask.post("/v1/messages/count_tokens", "{\"model\":\"m\"}").body())
                .path("input_tokens")
                .asInt())
        .isPositive();
    assertThat(
            SimulatorClient.json(ask.post("/v1beta/models/m:countTokens", "{}").body())
                .path("totalTokens")
                .asInt())
        .isPositive();
    assertThat(
            SimulatorClient.json(
                    ask.post("/v1beta/models/m:embedContent", "{\"content\":{}}").body())
                .at("/embedding/values"))
        .hasSize(8);
    assertThat(
            SimulatorClient.json(
                    ask.post("/v1beta/models/m:batchEmbedContents", "{\"requests\":[{},{}]}")
                        .body())
                .path("embeddings"))
        .hasSize(2);
  }

  @Test
  void listsModelsInTheAskersShape() throws Exception {
    simulator.script(Script.of("gemini/g").and("anthropic/c"));
    assertThat(ask.send("GET", "/gemini/v1beta/models", "").body()).contains("\"models/g\"");
    assertThat(
            ask.send("GET", "/anthropic/v1/models", "", "anthropic-version", "2023-06-01").body())
        .contains("\"id\":\"c\"")
        .contains("has_more");
    assertThat(ask.send("GET", "/v1beta/models/x", "").body()).contains("\"models/x\"");
  }
}
