package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.http.Exchange;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A gateway that is going away says so for as long as it is there. */
@Timeout(180)
final class DrainTest {
  @Test
  void whileOneStreamRunsNewCallsAreSentElsewhereAndTheBalancerIsTold() throws Exception {
    var begun = new CompletableFuture<Exchange>();
    try (var h = new Harness()) {
      h.one.then(
          exchange -> {
            silentAfter(answerEvents().subList(0, 2)).accept(exchange);
            begun.complete(exchange);
          });
      var stream = CompletableFuture.supplyAsync(() -> h.chatStream("one/m"));
      var provider = begun.get();
      assertThat(h.get("/health/ready").statusCode()).isEqualTo(200);
      var closing = Thread.ofVirtual().start(() -> h.gateway.close(Duration.ofSeconds(120)));
      HttpResponse<String> ready;
      do {
        ready = h.get("/health/ready");
      } while (ready.statusCode() == 200);
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).contains("\"status\":\"draining\"");
      assertThat(h.get("/health/live").statusCode()).isEqualTo(200);

      refused(h.chat("one/m"), "\"code\":\"draining\"");
      refused(
          h.post("/v1/messages", ask("claude/m", true), "anthropic-version", "2023-06-01"),
          "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"");
      refused(
          h.post("/v1beta/models/gem:generateContent", "{\"contents\":[]}"),
          "\"status\":\"UNAVAILABLE\"");
      refused(
          h.post("/v1/chat/completions", ask("mis/m", false), "user-agent", "mistral-client"),
          "\"object\":\"error\"");
      refused(h.get("/providers/one/files"), "draining");
      assertThat(h.one.asked).hasSize(1);

      for (var event : answerEvents().subList(2, 5)) {
        provider.write(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8));
      }
      provider.end();
      assertThat(stream.get().body()).endsWith("data: [DONE]\n\n");
      closing.join();
      assertThatThrownBy(() -> new Socket("127.0.0.1", h.gateway.port()).close())
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aWholeAnswerThatIsBrokenOffIsThisGatewaysDoingAndMayBeAskedForAgain() throws Exception {
    try (var h = new Harness()) {
      var begun = new CompletableFuture<Void>();
      h.one.then(exchange -> begun.complete(null));
      var asked = CompletableFuture.supplyAsync(() -> h.chat("one/m"));
      begun.get();
      h.gateway.close(Duration.ofMillis(50));
      var response = asked.get();
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(header(response, "retry-after")).isEqualTo("1");
      assertThat(header(response, "x-should-retry")).isEqualTo("true");
      assertThat(response.body())
          .contains("this gateway is shutting down", "\"blame\":\"gateway\"")
          .contains("\"kind\":\"cancelled\",\"decision\":\"cancelled\"")
          .contains("\"next_step\":\"Wait for the time in retry-after.\"");
    }
  }

  private static void refused(HttpResponse<String> response, String shape) {
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).contains(shape, "this gateway is shutting down");
    assertThat(header(response, "retry-after")).isEqualTo("1");
    assertThat(header(response, "x-should-retry")).isEqualTo("true");
    assertThat(header(response, "connection")).isEqualTo("close");
  }
}
