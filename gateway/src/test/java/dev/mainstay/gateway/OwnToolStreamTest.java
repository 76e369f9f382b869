package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Replies;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Streams in which the provider uses tools of its own, cut after every event. */
@Timeout(300)
final class OwnToolStreamTest {
  private static final String QUICK =
      """
      recovery:
        retry: { initial-delay: 1ms }
        retry-budget: 100
        breaker: { consecutive-failures: 100000, failure-rate: 1 }
        tool-calls: %s
      """;
  private static final List<String> BEFORE =
      List.of("Let me look at the weather ", "in Paris for you first.");
  private static final List<String> AFTER =
      List.of("The sun is shining over Paris, ", "and it will stay so until this evening.");
  private static final String ALL = String.join("", BEFORE) + String.join("", AFTER);

  /**
   * What is left of the answer once {@code said} was; the tool is used until something is said
   * after it.
   */
  private static List<String> left(List<String> texts, int said) {
    var all = String.join("", texts);
    return said >= all.length() ? List.of() : List.of(all.substring(said));
  }

  /** The answer of a provider of {@code dialect} from {@code said} characters on. */
  private static List<String> events(Dialect dialect, int said) {
    int before = String.join("", BEFORE).length();
    var first = said == 0 ? BEFORE : left(BEFORE, said);
    var second = said <= before ? AFTER : left(AFTER, said - before);
    boolean tool = said <= before;
    return switch (dialect) {
      case ANTHROPIC -> anthropic(first, tool, second);
      case OPENAI_RESPONSES -> responses(first, tool, second);
      case GEMINI -> gemini(first, tool, second);
      case OPENAI_CHAT, MISTRAL -> throw new IllegalArgumentException();
    };
  }

  private static String named(String json) {
    return "event: " + Tree.read(json).get("type").stringValue() + "\ndata: " + json + "\n\n";
  }

  private static List<String> anthropic(List<String> first, boolean tool, List<String> second) {
    var events = new ArrayList<String>();
    int[] index = {0};
    events.add(
        named(
            "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"c\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}"));
    block(events, index, first);
    if (tool) {
      int call = index[0]++;
      events.add(
          started(
              call,
              "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}"));
      for (var piece : List.of("{\\\"query\\\":", "\\\"weather\\\"}")) {
        events.add(
            went(call, "{\"type\":\"input_json_delta\",\"partial_json\":\"" + piece + "\"}"));
      }
      events.add(stopped(call));
      int result = index[0]++;
      events.add(
          started(
              result,
              "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":\"web_search_result\",\"title\":\"T\",\"url\":\"https://a.example\",\"encrypted_content\":\"Eqg\"}]}"));
      events.add(stopped(result));
    }
    block(events, index, second);
    events.add(
        named(
            "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":30}}"));
    events.add(named("{\"type\":\"message_stop\"}"));
    return events;
  }

  private static void block(List<String> events, int[] index, List<String> texts) {
    if (texts.isEmpty()) {
      return;
    }
    int at = index[0]++;
    events.add(started(at, "{\"type\":\"text\",\"text\":\"\"}"));
    for (var text : texts) {
      events.add(went(at, "{\"type\":\"text_delta\",\"text\":\"" + text + "\"}"));
    }
    events.add(stopped(at));
  }

  private static String started(int index, String block) {
    return named(
        "{\"type\":\"content_block_start\",\"index\":"
            + index
            + ",\"content_block\":"
            + block
            + "}");
  }

  private static String went(int index, String delta) {
    return named(
        "{\"type\":\"content_block_delta\",\"index\":" + index + ",\"delta\":" + delta + "}");
  }

  private static String stopped(int index) {
    return named("{\"type\":\"content_block_stop\",\"index\":" + index + "}");
  }

  private static List<String> responses(List<String> first, boolean tool, List<String> second) {
    var events = new ArrayList<String>();
    int[] at = {0, 0};
    var response =
        "{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"model\":\"m\",\"status\":\"%s\",\"output\":[]%s}";
    numbered(
        events, at, "response.created", "\"response\":" + response.formatted("in_progress", ""));
    message(events, at, first);
    if (tool) {
      int item = at[1]++;
      var call =
          "{\"type\":\"web_search_call\",\"id\":\"ws_%d\",\"status\":\"%s\",\"action\":{\"type\":\"search\",\"query\":\"weather\"}}";
      var where = "\"output_index\":" + item + ",\"item_id\":\"ws_" + item + "\"";
      numbered(
          events,
          at,
          "response.output_item.added",
          "\"output_index\":" + item + ",\"item\":" + call.formatted(item, "in_progress"));
      numbered(events, at, "response.web_search_call.in_progress", where);
      numbered(events, at, "response.web_search_call.searching", where);
      numbered(events, at, "response.web_search_call.completed", where);
      numbered(
          events,
          at,
          "response.output_item.done",
          "\"output_index\":" + item + ",\"item\":" + call.formatted(item, "completed"));
    }
    message(events, at, second);
    numbered(
        events,
        at,
        "response.completed",
        "\"response\":"
            + response.formatted(
                "completed", ",\"usage\":{\"input_tokens\":9,\"output_tokens\":30}"));
    return events;
  }

  private static void message(List<String> events, int[] at, List<String> texts) {
    if (texts.isEmpty()) {
      return;
    }
    int item = at[1]++;
    var id = "msg_" + item;
    var where = "\"output_index\":" + item + ",\"item_id\":\"" + id + "\",\"content_index\":0";
    var part = "{\"type\":\"output_text\",\"text\":\"%s\",\"annotations\":[]}";
    var whole =
        "{\"type\":\"message\",\"id\":\"%s\",\"role\":\"assistant\",\"status\":\"%s\",\"content\":[%s]}";
    var all = String.join("", texts);
    numbered(
        events,
        at,
        "response.output_item.added",
        "\"output_index\":" + item + ",\"item\":" + whole.formatted(id, "in_progress", ""));
    numbered(events, at, "response.content_part.added", where + ",\"part\":" + part.formatted(""));
    for (var text : texts) {
      numbered(events, at, "response.output_text.delta", where + ",\"delta\":\"" + text + "\"");
    }
    numbered(events, at, "response.output_text.done", where + ",\"text\":\"" + all + "\"");
    numbered(events, at, "response.content_part.done", where + ",\"part\":" + part.formatted(all));
    numbered(
        events,
        at,
        "response.output_item.done",
        "\"output_index\":"
            + item
            + ",\"item\":"
            + whole.formatted(id, "completed", part.formatted(all)));
  }

  private static void numbered(List<String> events, int[] at, String type, String fields) {
    events.add(
        named("{\"type\":\"" + type + "\",\"sequence_number\":" + at[0]++ + "," + fields + "}"));
  }

  private static List<String> gemini(List<String> first, boolean tool, List<String> second) {
    var events = new ArrayList<String>();
    first.forEach(text -> events.add(candidate("{\"text\":\"" + text + "\"}", "")));
    if (tool) {
      events.add(
          candidate("{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"print(1)\"}}", ""));
      events.add(
          candidate("{\"codeExecutionResult\":{\"outcome\":\"OUTCOME_OK\",\"output\":\"1\"}}", ""));
    }
    second.forEach(text -> events.add(candidate("{\"text\":\"" + text + "\"}", "")));
    events.add(candidate("{\"text\":\"\"}", ",\"finishReason\":\"STOP\""));
    return events;
  }

  private static String candidate(String part, String more) {
    return "data: {\"candidates\":[{\"content\":{\"parts\":["
        + part
        + "],\"role\":\"model\"},\"index\":0"
        + more
        + "}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":3},\"responseId\":\"r\",\"modelVersion\":\"g\"}\n\n";
  }

  // ---- the provider that goes on

  /**
   * How much of the answer stands in a request as begun, or 0 where it is asked for from the start.
   */
  private static int begun(Dialect dialect, String body) {
    var json = Tree.read(body);
    var turns =
        switch (dialect) {
          case ANTHROPIC -> json.path("messages");
          case OPENAI_RESPONSES -> json.path("input");
          default -> json.path("contents");
        };
    for (var turn : turns) {
      var role = turn.path("role").asString("");
      if (role.equals("assistant") || role.equals("model")) {
        var text = new StringBuilder();
        words(turn, text);
        // White space at the end is left out of what a target is given.
        return ALL.startsWith(text + " ") ? text.length() + 1 : text.length();
      }
    }
    return 0;
  }

  private static void words(JsonNode turn, StringBuilder to) {
    if (turn.path("content").isString()) {
      to.append(turn.get("content").stringValue());
    }
    for (var part : turn.has("parts") ? turn.get("parts") : turn.path("content")) {
      to.append(part.path("text").asString(""));
    }
  }

  private static String path(Dialect dialect) {
    return switch (dialect) {
      case ANTHROPIC -> "/v1/messages";
      case OPENAI_RESPONSES -> "/v1/responses";
      default -> "/v1beta/models/gem%2Fgemini-2.5-flash:streamGenerateContent?alt=sse";
    };
  }

  private static String ask(Dialect dialect, String model) {
    return switch (dialect) {
      case ANTHROPIC ->
          "{\"model\":\""
              + model
              + "\",\"stream\":true,\"max_tokens\":500,\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}],\"messages\":[{\"role\":\"user\",\"content\":\"Weather?\"}]}";
      case OPENAI_RESPONSES ->
          "{\"model\":\""
              + model
              + "\",\"stream\":true,\"tools\":[{\"type\":\"web_search\"}],\"input\":\"Weather?\"}";
      default ->
          "{\"tools\":[{\"codeExecution\":{}}],\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"Weather?\"}]}]}";
    };
  }

  private static List<Delta> read(Dialect dialect, String stream) {
    var reader = Replies.reader(dialect);
    var deltas = new ArrayList<Delta>();
    var bytes = stream.getBytes(StandardCharsets.UTF_8);
    new SseScanner()
        .feed(bytes, 0, bytes.length, event -> deltas.addAll(reader.read(event)) || true);
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

  @ParameterizedTest
  @CsvSource({
    "ANTHROPIC,claude/claude-sonnet-4-5",
    "ANTHROPIC,claude/claude-sonnet-4-6",
    "OPENAI_RESPONSES,one/gpt-5",
    "GEMINI,gem/gemini-2.5-flash"
  })
  void cutAfterAnyEventItIsOneWholeAnswer(Dialect dialect, String model) {
    try (var h = new Harness(QUICK.formatted("hold"))) {
      var events = events(dialect, 0);
      for (int cut = 1; cut < events.size(); cut++) {
        h.one.then(cutAfter(events.subList(0, cut)));
        h.one.otherwise(
            exchange ->
                sse(events(
                        dialect, begun(dialect, exchange.body().toString(StandardCharsets.UTF_8))))
                    .accept(exchange));
        var body = h.post(path(dialect), ask(dialect, model)).body();
        var deltas = read(dialect, body);
        assertThat(said(deltas)).as("cut %d: %s", cut, body).isEqualTo(ALL);
        assertThat(body).doesNotContain("\"error\"");
        var reader = Readers.stream(dialect);
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        new SseScanner().feed(bytes, 0, bytes.length, event -> reader.read(event) != null);
        assertThat(reader.ended()).as("cut %d ended", cut).isTrue();
        long own = deltas.stream().filter(Delta.Native.class::isInstance).count();
        long once = dialect == Dialect.OPENAI_RESPONSES ? 1 : 2;
        // Where nothing was said after it the tool may be used once more, never by halves.
        assertThat(own % once).as("cut %d: %s", cut, body).isZero();
        assertThat(own).as("cut %d: %s", cut, body).isBetween(once, 2 * once);
      }
    }
  }

  /** The attempt that goes on is held back in the same way. */
  @ParameterizedTest
  @CsvSource({
    "ANTHROPIC,claude/claude-sonnet-4-5",
    "OPENAI_RESPONSES,one/gpt-5",
    "GEMINI,gem/gemini-2.5-flash"
  })
  void cutAgainAfterAnyEventItIsOneWholeAnswer(Dialect dialect, String model) {
    try (var h = new Harness(QUICK.formatted("hold"))) {
      var first = events(dialect, 0);
      int said = 0;
      while (!first.get(said++).contains(BEFORE.getLast())) {}
      var second = events(dialect, String.join("", BEFORE).length());
      for (int cut = 1; cut < second.size(); cut++) {
        h.one.then(cutAfter(first.subList(0, said)), cutAfter(second.subList(0, cut)));
        h.one.otherwise(
            exchange ->
                sse(events(
                        dialect, begun(dialect, exchange.body().toString(StandardCharsets.UTF_8))))
                    .accept(exchange));
        var body = h.post(path(dialect), ask(dialect, model)).body();
        var deltas = read(dialect, body);
        assertThat(said(deltas)).as("cut %d: %s", cut, body).isEqualTo(ALL);
        long own = deltas.stream().filter(Delta.Native.class::isInstance).count();
        long once = dialect == Dialect.OPENAI_RESPONSES ? 1 : 2;
        assertThat(own % once).as("cut %d: %s", cut, body).isZero();
        assertThat(own).as("cut %d: %s", cut, body).isBetween(once, 2 * once);
      }
    }
  }

  /** What its own tool found is given back to the provider, in its own words. */
  @Test
  void theTargetIsGivenWhatItsToolHadFound() {
    try (var h = new Harness(QUICK.formatted("hold"))) {
      var events = events(Dialect.ANTHROPIC, 0);
      int afterText = events.size() - 4;
      h.one.then(
          cutAfter(events.subList(0, afterText)),
          sse(events(Dialect.ANTHROPIC, ALL.length() - AFTER.getLast().length())));
      h.post(path(Dialect.ANTHROPIC), ask(Dialect.ANTHROPIC, "claude/claude-sonnet-4-5"));
      var asked = Tree.read(h.one.bodies().getLast()).path("messages");
      var content = asked.get(asked.size() - 1).path("content");
      assertThat(content)
          .extracting(block -> block.path("type").stringValue())
          .containsExactly("text", "server_tool_use", "web_search_tool_result", "text");
      assertThat(content.get(1).path("input")).hasToString("{\"query\":\"weather\"}");
      assertThat(content.get(3).path("text").stringValue()).isEqualTo(AFTER.getFirst().strip());
    }
  }

  /** Held until its result has come, and not a moment longer: the text after it flows. */
  @ParameterizedTest
  @CsvSource({
    "ANTHROPIC,claude/claude-sonnet-4-5,13",
    "OPENAI_RESPONSES,one/gpt-5,16",
    "GEMINI,gem/gemini-2.5-flash,5"
  })
  void whatFollowsAToolsResultIsNotHeld(Dialect dialect, String model, int upTo) throws Exception {
    try (var h = new Harness(QUICK.formatted("hold"))) {
      var events = events(dialect, 0).subList(0, upTo);
      assertThat(events.getLast()).contains(AFTER.getFirst());
      var gone = new CompletableFuture<Void>();
      h.one.then(
          exchange -> {
            ScriptedProvider.silentAfter(events).accept(exchange);
            exchange.onGone(() -> gone.complete(null));
          });
      var request =
          HttpRequest.newBuilder(URI.create(h.url() + path(dialect)))
              .POST(HttpRequest.BodyPublishers.ofString(ask(dialect, model)))
              .build();
      try (var body = h.client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
        var seen = new StringBuilder();
        var piece = new byte[4096];
        while (seen.indexOf(AFTER.getFirst()) < 0) {
          int read = body.read(piece);
          assertThat(read).as("the stream is silent now, and open").isPositive();
          seen.append(new String(piece, 0, read, StandardCharsets.UTF_8));
        }
      }
      gone.join();
    }
  }

  /** Not held, and cut within: the client has half of what nobody else can finish. */
  @Test
  void aToolThatIsStreamedAndCutIsAnError() {
    try (var h = new Harness(QUICK.formatted("stream"))) {
      var events = events(Dialect.ANTHROPIC, 0);
      int call =
          events.indexOf(
              events.stream().filter(e -> e.contains("server_tool_use")).findFirst().orElseThrow());
      for (int cut = call + 1; cut <= call + 5; cut++) {
        h.one.then(cutAfter(events.subList(0, cut)));
        var body =
            h.post(path(Dialect.ANTHROPIC), ask(Dialect.ANTHROPIC, "claude/claude-sonnet-4-5"))
                .body();
        assertThat(body).as("cut %d", cut).contains("event: error").contains("stream_interrupted");
        assertThat(h.one.asked).hasSize(cut - call);
      }
    }
  }
}
