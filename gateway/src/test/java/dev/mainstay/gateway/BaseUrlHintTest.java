package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A base URL that leads to the wrong place is not its caller's mistake, and its first 404 says so.
 */
@Timeout(180)
final class BaseUrlHintTest {
  private static final String INVALID_URL =
      "{\"error\":{\"message\":\"Invalid URL (POST /chat/completions)\","
          + "\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}";

  @Test
  void aMissingVersionIsNamedAtTheFirst404() {
    try (var lines = new LoggedLines();
        var bare = new ScriptedProvider();
        var h =
            new Harness(
                "",
                "drain: 2s",
                null,
                "  bare: { dialect: openai, base-url: \"%s\" }\n".formatted(bare.url()))) {
      bare.then(json(404, INVALID_URL));
      var answer = h.chat("bare/m");
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body())
          .contains("\"blame\":\"gateway\"", "Check the gateway's configuration and log.");
      assertThat(lines.next(line -> line.contains("FATAL/not_found")))
          .contains(
              "WARN",
              "The base-url of provider bare is %s, which has no /v1. You probably mean %s/v1"
                  .formatted(bare.url(), bare.url()));
    }
  }

  @Test
  void a404OfAGoodBaseUrlStaysWhatItIs() {
    try (var h = new Harness()) {
      h.one.then(
          ScriptedProvider.error(
              404, "invalid_request_error", "model_not_found", "The model `m` does not exist"));
      assertThat(h.chat("one/m").body()).contains("not_found_model").doesNotContain("base-url");
    }
  }
}
