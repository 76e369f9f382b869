package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static dev.mainstay.gateway.ScriptedProvider.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.CallRecord;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who has the whole of an answer can rely on its record. */
@Timeout(180)
final class RecordBeforeAnswerTest {
  private static final String CHAT = "/v1/chat/completions";

  private final Harness h = new Harness("");

  @AfterEach
  void close() {
    h.close();
  }

  private static String ask(String model, boolean stream) {
    return "{\"model\":\"%s\",\"stream\":%s,\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
        .formatted(model, stream);
  }

  @Test
  void ofWholeAnswersStreamsErrorsAndWhatPassesThrough() {
    h.two.otherwise(cutAfter(List.of(text("Hel"))));
    // Many times, since a record that came after its answer came a few microseconds after it.
    for (int i = 0; i < 30; i++) {
      assertThat(h.post(CHAT, ask("one/m", false)).statusCode()).isEqualTo(200);
      assertThat(recorded().status()).isEqualTo(200);
      assertThat(h.post(CHAT, ask("one/m", true)).body()).contains("[DONE]");
      assertThat(recorded().verdict()).isNull();
      h.one.then(error(400, "invalid_request_error", "", "Bad."));
      assertThat(h.post(CHAT, ask("one/bad" + i, false)).statusCode()).isEqualTo(400);
      assertThat(recorded().status()).isEqualTo(400);
      assertThat(h.get("/providers/one/files").statusCode()).isEqualTo(200);
      assertThat(recorded().path()).contains("/files");
    }
    assertThat(h.post(CHAT, ask("two/m", true)).body()).contains("error");
    assertThat(recorded().verdict()).isNotNull();
  }

  /** The call that was answered just now. */
  private CallRecord recorded() {
    return Objects.requireNonNull(h.kept.now(), "it is not on record yet").call();
  }

  static Stream<Arguments> streams() {
    return Stream.of(
        Arguments.of(CHAT, "one/m", answerEvents(), "data: [DONE]"),
        Arguments.of(
            "/v1/messages",
            "claude/m",
            List.of(
                "event: message_start\n"
                    + "data:"
                    + " {\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n",
                "event: content_block_start\n"
                    + "data:"
                    + " {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
                "event: content_block_delta\n"
                    + "data:"
                    + " {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
                "event: content_block_stop\n"
                    + "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                "event: message_delta\n"
                    + "data:"
                    + " {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
            "event: message_stop"),
        // Written anew in the client's dialect.
        Arguments.of("/v1/messages", "one/m", answerEvents(), "event: message_stop"));
  }

  /** Whoever reads a stream is done at its last event, not at the end of the connection's chunk. */
  @ParameterizedTest
  @MethodSource("streams")
  void ofAStreamWhoseProviderKeepsTheConnectionOpen(
      String path, String model, List<String> events, String last) throws Exception {
    h.one.then(silentAfter(events));
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + path))
            .POST(HttpRequest.BodyPublishers.ofString(ask(model, true)))
            .build();
    var answer = h.client.send(request, BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    try (var lines =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (line != null && !line.equals(last)) {
        line = lines.readLine();
      }
      assertThat(line).isEqualTo(last);
      assertThat(recorded().verdict()).isNull();
    }
  }

  @Test
  void aConnectionWhoseAnswerEndedLateIsUsedAgain() {
    for (int i = 0; i < 5; i++) {
      h.one.then(
          exchange -> {
            silentAfter(answerEvents()).accept(exchange);
            exchange.loop().execute(exchange::end);
          });
      assertThat(h.post(CHAT, ask("one/m", true)).body()).contains("[DONE]");
      assertThat(h.kept.next().call().verdict()).isNull();
    }
    assertThat(h.one.connections()).isLessThanOrEqualTo(2);
  }
}
