package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.chunk;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static dev.mainstay.gateway.ScriptedProvider.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Replies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that breaks after its commit point goes on: one answer, nothing of it twice. */
@Timeout(180)
final class ContinuationTest {
  private static final String ROLE = chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null");
  private static final String STOP = chunk("{}", "\"stop\"");
  private static final String DONE = "data: [DONE]\n\n";
  private static final String FIRST = "The lighthouse keeper climbed the winding stairs";
  private static final String REST = " and lit the lamp before the storm.";

  private Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  private static List<Delta> read(Dialect dialect, String stream) {
    var reader = Replies.reader(dialect);
    var deltas = new ArrayList<Delta>();
    var bytes = stream.getBytes(StandardCharsets.UTF_8);
    new SseScanner()
        .feed(bytes, 0, bytes.length, event -> deltas.addAll(reader.read(event)) || true);
    deltas.addAll(reader.close());
    return deltas;
  }

  private static String said(List<Delta> deltas) {
    var text = new StringBuilder();
    for (var delta : deltas) {
      if (delta instanceof Delta.Text some) {
        text.append(some.text());
      }
    }
    return text.toString();
  }

  private static void isOneWholeAnswer(String stream) {
    var deltas = read(Dialect.OPENAI_CHAT, stream);
    assertThat(said(deltas)).isEqualTo(FIRST + REST);
    assertThat(deltas.stream().filter(Delta.Finished.class::isInstance)).hasSize(1);
    assertThat(stream).endsWith(DONE).doesNotContain("\"error\"");
    assertThat(stream.split("\\[DONE]", -1)).hasSize(2);
    assertThat(stream.split("chatcmpl-other", -1)).hasSize(1);
  }

  @Test
  void theNextTargetGoesOnWhereTheTextStopped() {
    h.one.then(cutAfter(List.of(ROLE, text(FIRST))), sse(rest(REST)));
    var response = h.chatStream("assistant");
    isOneWholeAnswer(response.body());
    assertThat(response.body()).contains(": mainstay continues: seam=");
    assertThat(h.one.asked).hasSize(2);
    assertThat(h.one.bodies().get(1)).contains(FIRST);
    var tale = h.kept.next();
    assertThat(tale.call().verdict()).isNull();
    assertThat(tale.call().recovery()).contains("continuation");
    assertThat(tale.decisions()).containsExactly("continue", "proceed");
  }

  /** vLLM is known by what it streams; the answer is then gone on with at the very place. */
  @Test
  void aServerThatIsKnownByItsStreamIsGivenThePrefillInItsWords() {
    var marked =
        text(FIRST).replace("\"finish_reason\":null", "\"finish_reason\":null,\"token_ids\":null");
    assertThat(marked).contains("token_ids");
    h.one.then(cutAfter(List.of(ROLE, marked)), sse(rest(REST)));
    isOneWholeAnswer(h.chatStream("one/first").body());
    assertThat(h.one.bodies().get(1))
        .contains("\"continue_final_message\":true", "\"add_generation_prompt\":false")
        .contains("{\"role\":\"assistant\",\"content\":\"" + FIRST + "\"}]")
        .doesNotContain("cut off");
  }

  /** The clients' own JSON stumbles over it: such an event is broken, and the answer goes on. */
  @Test
  void aByteOrderMarkIsTakenOffAStreamAndBreaksAnEvent() {
    var marked = text(" and").replace("data: ", "data: \uFEFF");
    h.one.then(sse(List.of("\uFEFF" + ROLE, text(FIRST), marked, STOP, DONE)), sse(rest(REST)));
    var body = h.chatStream("assistant").body();
    isOneWholeAnswer(body);
    assertThat(body).startsWith("data: {").doesNotContain("\uFEFF");
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void whatTheTargetRepeatsIsSwallowed() {
    h.one.then(
        cutAfter(List.of(ROLE, text(FIRST))), sse(rest("climbed the winding stairs" + REST)));
    isOneWholeAnswer(h.chatStream("assistant").body());
  }

  @Test
  void aTargetThatStartsOverIsHeardOnlyFromWhereItIsNew() {
    h.one.then(cutAfter(List.of(ROLE, text(FIRST))), sse(rest(FIRST + REST)));
    isOneWholeAnswer(h.chatStream("assistant").body());
  }

  @Test
  void anotherAnswerIsNotMixedIn() {
    h.one.then(
        cutAfter(List.of(ROLE, text(FIRST))),
        sse(rest("The lighthouse keeper climbed down to the harbour to buy some fish.")),
        sse(rest(FIRST + REST)));
    isOneWholeAnswer(h.chatStream("assistant").body());
    assertThat(h.kept.next().attempts()).hasSize(3);
  }

  @Test
  void aStreamThatBreaksAgainGoesOnAgain() {
    h.one.then(
        cutAfter(List.of(ROLE, text(FIRST))),
        cutAfter(List.of(otherChunk("{\"content\":\" and lit the lamp before the\"}", "null"))),
        sse(rest(" storm.")));
    isOneWholeAnswer(h.chatStream("assistant").body());
    assertThat(h.one.bodies().get(2)).contains(FIRST + " and lit the lamp before the");
  }

  @Test
  void whenOnlyTheEndingWasMissingAnotherAttemptEndsIt() {
    h.one.then(cutAfter(List.of(ROLE, text(FIRST + REST), STOP)), sse(rest("")));
    isOneWholeAnswer(h.chatStream("assistant").body());
  }

  @Test
  void whereNobodyCanGoOnTheClientIsToldSo() {
    h.one.then(cutAfter(List.of(ROLE, text(FIRST))), error(400, "invalid_request_error", "", "no"));
    h.two.then(error(400, "invalid_request_error", "", "no"));
    var body = h.chatStream("assistant").body();
    assertThat(
            said(
                read(
                    Dialect.OPENAI_CHAT,
                    body.substring(0, body.indexOf("\"error\"")).replaceAll("data: \\{$", ""))))
        .isEqualTo(FIRST);
    assertThat(body).contains("\"error\"").doesNotContain("[DONE]");
    assertThat(h.kept.next().call().verdict()).isNotNull();
  }

  /** What the client has cannot be written, so nobody can be asked to go on with it. */
  @Test
  void halfACharacterIsNotGoneOnWith() {
    h.one.then(cutAfter(List.of(ROLE, text(FIRST), text(" \\ud83d"))));
    var body = h.chatStream("one/first").body();
    assertThat(body).contains("stream_interrupted").doesNotContain(DONE.strip());
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void severalAnswersAtOnceAreNotGoneOnWith() {
    h.one.then(cutAfter(List.of(ROLE, text(FIRST))));
    var body =
        h.post(
                "/v1/chat/completions",
                "{\"model\":\"assistant\",\"n\":2,\"stream\":true,\"messages\":[]}")
            .body();
    assertThat(body).contains("\"error\"").doesNotContain("[DONE]");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.two.asked).isEmpty();
    assertThat(h.kept.next().attempts().getLast().reason()).contains("Several answers");
  }

  @Test
  void aBufferedAnswerIsAlwaysBegunAnew() {
    h.close();
    h = new Harness("recovery: { mid-stream: buffer }\n");
    h.one.then(
        cutAfter(List.of(ROLE, text(FIRST))),
        sse(List.of(ROLE, text("Another answer."), STOP, DONE)));
    var body = h.chatStream("assistant").body();
    assertThat(said(read(Dialect.OPENAI_CHAT, body))).isEqualTo("Another answer.");
    assertThat(body).doesNotContain(FIRST).endsWith(DONE);
    assertThat(h.one.bodies().get(1)).isEqualTo(h.one.bodies().get(0));
    assertThat(h.kept.next().decisions()).containsExactly("retry", "proceed");
  }

  @Test
  void textIsNotHeldForTheToolCallsAfterItAndACutAmongThemGoesOnAfterTheText() {
    var call =
        chunk(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
                + "\"name\":\"f\",\"arguments\":\"{}\"}}]}",
            "null");
    h.one.then(
        cutAfter(List.of(ROLE, text(FIRST), call)),
        sse(
            List.of(
                otherChunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"),
                call,
                chunk("{}", "\"tool_calls\""),
                DONE)));
    var body = h.post("/v1/chat/completions", withTool("assistant")).body();
    assertThat(said(read(Dialect.OPENAI_CHAT, body))).isEqualTo(FIRST);
    assertThat(body.split("call_1", -1)).hasSize(2);
    assertThat(body).contains("\"finish_reason\":\"tool_calls\"").endsWith(DONE);
  }

  @Test
  void aToolCallThatIsStreamedIsNeverDeliveredTwice() {
    h.close();
    h = new Harness("recovery: { tool-calls: stream }\n");
    var call =
        chunk(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
                + "\"name\":\"f\",\"arguments\":\"{\"}}]}",
            "null");
    h.one.then(cutAfter(List.of(ROLE, call)));
    var body = h.post("/v1/chat/completions", withTool("assistant")).body();
    assertThat(body).contains("\"error\"").doesNotContain("[DONE]");
    assertThat(body.split("call_1", -1)).hasSize(2);
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.two.asked).isEmpty();
    // One that ends well and cannot stand ends in an error too: its ending never comes.
    h.one.then(sse(List.of(ROLE, call, chunk("{}", "\"tool_calls\""), DONE)));
    var wrong = h.post("/v1/chat/completions", withTool("assistant")).body();
    assertThat(wrong)
        .contains("invalid_tool_call")
        .doesNotContain("[DONE]")
        .doesNotContain("\"finish_reason\":\"tool_calls\"");
  }

  @Test
  void eachStreamedToolCallIsJudgedAtItsEnd() {
    h.close();
    h = new Harness("recovery: { tool-calls: stream }\n");
    var bad =
        chunk(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
                + "\"name\":\"f\",\"arguments\":\"{\"}}]}",
            "null");
    var next =
        chunk(
            "{\"tool_calls\":[{\"index\":1,\"id\":\"call_2\",\"type\":\"function\",\"function\":{"
                + "\"name\":\"f\",\"arguments\":\"\"}}]}",
            "null");
    h.one.then(sse(List.of(ROLE, bad, next, chunk("{}", "\"tool_calls\""), DONE)));
    var body = h.post("/v1/chat/completions", withTool("assistant")).body();
    assertThat(body).contains("call_1").contains("invalid_tool_call").doesNotContain("call_2");
    // Empty arguments stand for none.
    h.one.then(sse(List.of(ROLE, next, chunk("{}", "\"tool_calls\""), DONE)));
    assertThat(h.post("/v1/chat/completions", withTool("assistant")).body()).endsWith(DONE);
  }

  private static String withTool(String model) {
    return "{\"model\":\""
        + model
        + "\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Go.\"}],\"tools\":[{"
        + "\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}";
  }

  @Test
  void aRefusedPrefillIsAskedForInWordsAndRemembered() {
    var begun =
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
            + "\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-3-haiku-20240307\","
            + "\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
            + "\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n"
            + "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
            + "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    var rest =
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
            + "\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n";
    var end =
        "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
            + "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"
            + "\"stop_reason\":\"end_turn\",\"stop_sequence\":null},"
            + "\"usage\":{\"output_tokens\":9}}\n\n"
            + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    h.one.then(
        cutAfter(List.of(begun, rest.formatted(FIRST))),
        ScriptedProvider.json(
            400,
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
                + "\"This model does not support assistant message prefill. The conversation must"
                + " end with a user message.\"}}"),
        sse(List.of(begun, rest.formatted("climbed the winding stairs" + REST), end)));
    var response =
        h.post(
            "/v1/messages",
            "{\"model\":\"claude/claude-3-haiku-20240307\",\"max_tokens\":100,\"stream\":true,"
                + "\"messages\":[{\"role\":\"user\",\"content\":\"A story.\"}]}");
    var deltas = read(Dialect.ANTHROPIC, response.body());
    assertThat(said(deltas)).isEqualTo(FIRST + REST);
    assertThat(response.body().split("event: message_stop", -1)).hasSize(2);
    assertThat(response.body().split("event: message_start", -1)).hasSize(2);
    assertThat(h.one.asked).hasSize(3);
    assertThat(header(response, "x-mainstay-call")).isNotEmpty();
  }

  private static String otherChunk(String delta, String finish) {
    return chunk(delta, finish).replace("chatcmpl-1", "chatcmpl-other");
  }

  private static List<String> rest(String text) {
    return List.of(
        otherChunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"),
        otherChunk("{\"content\":\"" + text + "\"}", "null"),
        otherChunk("{}", "\"stop\""),
        DONE);
  }
}
