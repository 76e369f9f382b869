package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.chunk;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static dev.mainstay.gateway.ScriptedProvider.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.Exchange;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Replies;
import dev.mainstay.wire.translate.WriterOptions;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that come in another shape than was asked for, or are asked for in an unusual one. */
@Timeout(180)
final class StreamShapesTest {
  private static final String CALL = "{\"place\":\"Oslo\"}";

  private static final String CHAT =
      "{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{"
          + "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hello there\","
          + "\"tool_calls\":[{\"id\":\"abcdefgh1\",\"type\":\"function\",\"function\":{\"name\":"
          + "\"look\",\"arguments\":\"{\\\"place\\\":\\\"Oslo\\\"}\"}}]},\"finish_reason\":"
          + "\"tool_calls\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":4,"
          + "\"total_tokens\":9}}";
  private static final String CLAUDE =
      "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"Hello"
          + " there\"},{\"type\":\"tool_use\",\"id\":\"toolu_1\","
          + "\"name\":\"look\",\"input\":{\"place\":\"Oslo\"}}],\"stop_reason\":\"tool_use\","
          + "\"stop_sequence\":null,\"usage\":{\"input_tokens\":5,\"output_tokens\":4}}";
  private static final String GEMINI =
      "{\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hello"
          + " there\"},{\"functionCall\":{\"name\":\"look\",\"args\":{\"place\":\"Oslo\"}}}]},"
          + "\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":5,"
          + "\"candidatesTokenCount\":4,\"totalTokenCount\":9},\"responseId\":\"r1\"}";

  private final Harness h = new Harness("");

  @AfterEach
  void close() {
    h.close();
  }

  private static final String SCHEMA =
      "{\"type\":\"object\",\"properties\":{\"place\":{\"type\":\"string\"}}}";

  private HttpResponse<String> ask(Dialect client, String model, String... headers) {
    return client == Dialect.GEMINI
        ? gemini(model, ":streamGenerateContent?alt=sse")
        : h.post(
            path(client),
            body(client, model, true),
            Stream.concat(Stream.of("user-agent", agent(client)), Stream.of(headers))
                .toArray(String[]::new));
  }

  private HttpResponse<String> askWhole(Dialect client, String model) {
    return client == Dialect.GEMINI
        ? gemini(model, ":generateContent")
        : h.post(path(client), body(client, model, false), "user-agent", agent(client));
  }

  private static String agent(Dialect client) {
    return client == Dialect.MISTRAL ? "mistral-client" : "curl";
  }

  private static String path(Dialect client) {
    return switch (client) {
      case OPENAI_CHAT, MISTRAL -> "/v1/chat/completions";
      case OPENAI_RESPONSES -> "/v1/responses";
      case ANTHROPIC -> "/v1/messages";
      case GEMINI -> throw new AssertionError("the model stands in Gemini's path");
    };
  }

  private static String body(Dialect client, String model, boolean stream) {
    return switch (client) {
      case OPENAI_CHAT, MISTRAL ->
          "{\"model\":\"%s\",%s\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\",\"parameters\":%s}}]}"
              .formatted(
                  model,
                  stream ? "\"stream\":true,\"stream_options\":{\"include_usage\":true}," : "",
                  SCHEMA);
      case OPENAI_RESPONSES ->
          "{\"model\":\"%s\",\"stream\":%s,\"input\":\"hi\",\"tools\":[{\"type\":\"function\",\"name\":\"look\",\"parameters\":%s}]}"
              .formatted(model, stream, SCHEMA);
      case ANTHROPIC ->
          "{\"model\":\"%s\",\"stream\":%s,\"max_tokens\":64,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"tools\":[{\"name\":\"look\",\"input_schema\":%s}]}"
              .formatted(model, stream, SCHEMA);
      case GEMINI -> throw new AssertionError("Gemini's requests have a shape of their own");
    };
  }

  private HttpResponse<String> gemini(String model, String query) {
    return h.post(
        "/v1beta/models/" + model.replace("/", "%2F") + query,
        "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}],\"tools\":[{"
            + "\"functionDeclarations\":[{\"name\":\"look\"}]}]}");
  }

  /** What a client of {@code dialect} reads in a stream. */
  private static List<Delta> read(Dialect dialect, String body) {
    var reader = Replies.reader(dialect);
    var deltas = new ArrayList<Delta>();
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    new SseScanner()
        .feed(
            bytes,
            0,
            bytes.length,
            event -> {
              deltas.addAll(reader.read(event));
              return true;
            });
    deltas.addAll(reader.close());
    return deltas;
  }

  private static void assertWhole(List<Delta> deltas) {
    var words = new StringBuilder();
    var arguments = new StringBuilder();
    boolean used = false;
    for (var delta : deltas) {
      switch (delta) {
        case Delta.Text text -> words.append(text.text());
        case Delta.Arguments more -> arguments.append(more.json());
        case Delta.Used usage -> used = usage.usage().output() == 4;
        default -> {}
      }
    }
    assertThat(words).hasToString("Hello there");
    assertThat(arguments).hasToString(CALL);
    assertThat(used).isTrue();
    assertThat(deltas).anyMatch(Delta.ToolCall.class::isInstance);
    assertThat(deltas.getLast()).isInstanceOf(Delta.End.class);
  }

  static Stream<Arguments> everyPair() {
    return Stream.of(Dialect.values())
        .flatMap(
            client ->
                Stream.of(
                    Arguments.of(client, "one/m", CHAT),
                    Arguments.of(client, "mis/m", CHAT),
                    Arguments.of(client, "claude/m", CLAUDE),
                    Arguments.of(client, "gem/m", GEMINI)));
  }

  @ParameterizedTest
  @MethodSource("everyPair")
  void aWholeAnswerToARequestForAStreamIsServedAsOne(Dialect client, String model, String answer) {
    // Responses' own answer is another one than Chat's.
    var given =
        client == Dialect.OPENAI_RESPONSES && model.equals("one/m")
            ? "{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"status\":\"completed\","
                + "\"model\":\"m\",\"output\":[{\"type\":\"message\",\"id\":\"msg_1\",\"role\":"
                + "\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello"
                + " there\",\"annotations\":[]}]},{\"type\":\"function_call\","
                + "\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"look\",\"arguments\":"
                + "\"{\\\"place\\\":\\\"Oslo\\\"}\",\"status\":\"completed\"}],\"usage\":{"
                + "\"input_tokens\":5,\"output_tokens\":4,\"total_tokens\":9}}"
            : answer;
    h.one.then(json(200, given));
    var response = ask(client, model);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "content-type")).startsWith("text/event-stream");
    assertWhole(read(client, response.body()));
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().call().tokens()).isNotNull().matches(t -> t.total() == 9);
  }

  /** The stream that the whole {@code answer} of {@code dialect} would have been. */
  private static String streamed(Dialect dialect, String answer) {
    var writer = Replies.writer(dialect, new WriterOptions(null, true, "id", 1));
    var out = new ByteArrayOutputStream();
    for (var delta : Replies.reader(dialect).whole(answer.getBytes(StandardCharsets.UTF_8))) {
      writer.write(delta, out);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  private static Consumer<Exchange> events(String body) {
    return exchange ->
        exchange.respond(
            200,
            new DefaultHttpHeaders().set("content-type", "text/event-stream"),
            Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("everyPair")
  void aStreamInAnswerToARequestForAWholeAnswerIsServedAsOne(
      Dialect client, String model, String answer) {
    var spoken =
        switch (model) {
          case "one/m" -> Dialect.OPENAI_CHAT;
          case "mis/m" -> Dialect.MISTRAL;
          case "claude/m" -> Dialect.ANTHROPIC;
          default -> Dialect.GEMINI;
        };
    if (client == Dialect.OPENAI_RESPONSES && model.equals("one/m")) {
      var said = Replies.reader(spoken).whole(answer.getBytes(StandardCharsets.UTF_8));
      var out = new ByteArrayOutputStream();
      var writer = Replies.writer(client, new WriterOptions(null, true, "resp_1", 1));
      said.forEach(delta -> writer.write(delta, out));
      h.one.then(events(out.toString(StandardCharsets.UTF_8)));
    } else {
      h.one.then(events(streamed(spoken, answer)));
    }
    var response = askWhole(client, model);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(header(response, "content-type")).startsWith("application/json");
    assertWhole(Replies.reader(client).whole(response.body().getBytes(StandardCharsets.UTF_8)));
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().call().tokens()).isNotNull().matches(t -> t.total() == 9);
  }

  @Test
  void aStreamThatIsCutIsNoWholeAnswer() {
    var whole = streamed(Dialect.OPENAI_CHAT, CHAT);
    h.one.then(
        events(whole.substring(0, whole.indexOf("there"))),
        events("data: {\"error\":{\"message\":\"The server is overloaded\",\"code\":503}}\n\n"),
        json(200, CHAT));
    var response = askWhole(Dialect.OPENAI_CHAT, "one/m");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(3);
  }

  /** It is judged like any other: a call that was not offered is not handed over. */
  @Test
  void aWholeAnswerThatCannotStandIsAskedForAgain() {
    h.one.then(json(200, CHAT.replace("look", "launch_missiles")), json(200, CHAT));
    assertWhole(read(Dialect.OPENAI_CHAT, ask(Dialect.OPENAI_CHAT, "one/m").body()));
    assertThat(h.one.asked).hasSize(2);
  }

  /** Some servers name no type, or another one. */
  @Test
  void theFirstBytesSayMoreThanTheType() {
    for (var type : new String[] {"", "text/event-stream", "application/json", "text/plain"}) {
      h.one.then(
          exchange -> {
            var head = new DefaultHttpHeaders();
            if (!type.isEmpty()) {
              head.set("content-type", type);
            }
            exchange.respond(200, head, Unpooled.copiedBuffer(CHAT, StandardCharsets.UTF_8));
          });
      assertWhole(read(Dialect.OPENAI_CHAT, ask(Dialect.OPENAI_CHAT, "one/m").body()));
    }
    h.one.then(
        exchange ->
            exchange.respond(
                200, "application/json", String.join("", ScriptedProvider.answerEvents())));
    var response = ask(Dialect.OPENAI_CHAT, "one/m");
    assertThat(header(response, "content-type")).startsWith("text/event-stream");
    assertThat(response.body()).contains("Hel", "lo").endsWith("data: [DONE]\n\n");
    assertThat(h.one.asked).hasSize(5);
  }

  @Test
  void anErrorInPlaceOfAStreamIsStillOne() {
    h.one.then(json(200, "{\"error\":{\"message\":\"no such model\",\"code\":404}}"));
    assertThat(ask(Dialect.OPENAI_CHAT, "one/m").statusCode()).isGreaterThanOrEqualTo(400);
  }

  // ---- Gemini's array

  private static String event(String part, String finish) {
    return "data: {\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":["
        + part
        + "]}"
        + finish
        + "}]}\r\n\r\n";
  }

  private static final List<String> EVENTS =
      List.of(
          event("{\"text\":\"Hel\"}", ""),
          event("{\"text\":\"lo, \\\"you\\\"\"}", ",\"finishReason\":\"STOP\""));

  @Test
  void aGeminiStreamWithoutEventsIsAnArray() {
    h.one.then(sse(EVENTS));
    var response = gemini("gem/m", ":streamGenerateContent");
    assertThat(header(response, "content-type")).startsWith("application/json");
    var array = Tree.read(response.body());
    assertThat(array.isArray()).isTrue();
    assertThat(array.size()).isEqualTo(2);
    assertThat(array.at("/1/candidates/0/content/parts/0/text").asString())
        .isEqualTo("lo, \"you\"");
    assertThat(h.one.asked.getFirst().path()).endsWith(":streamGenerateContent?alt=sse");
    // The elements are the provider's own bytes.
    assertThat(response.body()).contains(EVENTS.getFirst().substring(6).strip());
  }

  @Test
  void soIsOneThatCrossesDialects() {
    var response = gemini("one/m", ":streamGenerateContent?key=abc");
    var text = new StringBuilder();
    for (var element : Tree.read(response.body())) {
      text.append(element.at("/candidates/0/content/parts/0/text").asString(""));
    }
    assertThat(text).hasToString("Hello");
  }

  @Test
  void itsErrorsAreInTheArray() {
    h.one.then(json(400, "{\"error\":{\"code\":400,\"message\":\"no\",\"status\":\"FAILED\"}}"));
    var refused = gemini("gem/m", ":streamGenerateContent");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(Tree.read(refused.body()).at("/0/error/message").asString()).contains("no");
    // One that breaks in the middle, and nobody can go on with it.
    h.one.otherwise(cutAfter(List.of(EVENTS.getFirst())));
    var broken = Tree.read(gemini("gem/m", ":streamGenerateContent").body());
    assertThat(broken.at("/0/candidates/0/content/parts/0/text").asString()).isEqualTo("Hel");
    assertThat(broken.get(broken.size() - 1).at("/error/code").asInt()).isPositive();
  }

  @Test
  void eventsAreEventsHoweverTheyAreAskedFor() {
    for (var query : List.of("?alt=sse", "?key=a&alt=sse", "?$alt=sse", "?%24alt=sse")) {
      h.one.then(sse(EVENTS));
      assertThat(gemini("gem/m", query).body()).startsWith("data: {");
    }
  }

  // ---- OpenAI's clients at Mistral's, and the other way round

  @Test
  void streamOptionsDoNotReachMistral() {
    for (var agent : List.of("OpenAI/Python 2.1", "curl/8.5")) {
      h.one.then(sse(List.of(text("Hello"), chunk("{}", "\"stop\""), "data: [DONE]\n\n")));
      ask(Dialect.OPENAI_CHAT, "mis/m", "user-agent", agent);
      assertThat(h.one.asked.getLast().body())
          .contains("\"stream\":true")
          .doesNotContain("stream_options");
    }
  }

  /** Mistral's streams tell their usage unasked, so its clients count on it. */
  @Test
  void aMistralClientGetsTheUsageOfAnOpenAiStream() {
    h.one.then(
        sse(
            List.of(
                text("Hello there"),
                chunk("{}", "\"stop\""),
                "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
                    + "\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,"
                    + "\"completion_tokens\":4,\"total_tokens\":9}}\n\n",
                "data: [DONE]\n\n")));
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"one/m\",\"stream\":true,\"random_seed\":3,\"messages\":[{\"role\":"
                + "\"user\",\"content\":\"hi\"}]}",
            "user-agent",
            "mistral-client-python/1.9.1");
    assertThat(h.one.asked.getFirst().body())
        .contains("\"stream_options\":{\"include_usage\":true}", "\"seed\":3")
        .doesNotContain("random_seed");
    var chunks = response.body().lines().filter(line -> line.startsWith("data: {")).toList();
    var last = Tree.read(chunks.getLast().substring(6));
    assertThat(last.at("/choices/0/finish_reason").asString()).isEqualTo("stop");
    assertThat(last.at("/usage/total_tokens").asInt()).isEqualTo(9);
  }

  @Test
  void whatOpenAisSdkSaysIsPutInMistralsWords() {
    h.one.then(json(200, CHAT));
    h.post(
        "/v1/chat/completions",
        "{\"model\":\"mis/m\",\"seed\":3,\"max_completion_tokens\":9,\"safe_prompt\":true,\"messages\":[{\"role\":\"developer\",\"content\":\"Be"
            + " brief.\"},{\"role\":\"user\","
            + "\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
            + "\"call_0123456789\",\"type\":\"function\",\"function\":{\"name\":\"look\","
            + "\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"call_0123456789\","
            + "\"content\":\"17\"}]}",
        "user-agent",
        "OpenAI/JS 6.1.0");
    assertThat(h.one.asked.getFirst().body())
        .contains("\"random_seed\":3", "\"max_tokens\":9", "\"role\":\"system\"")
        .contains("\"safe_prompt\":true")
        .doesNotContain("call_0123456789", "max_completion_tokens", "developer");
  }
}
