package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The list of models in the shapes that the SDKs parse, and Gemini's two versions of its paths. */
@Timeout(180)
final class ModelListTest {
  private Harness h =
      new Harness(
          """
            smart: { targets: [claude/opus] }
            quick: { targets: [gem/flash] }
            tiny: { targets: [mis/small] }
          clients: [ { name: all, key: k-all }, { name: few, key: k-few, models: [assistant] } ]
          """);

  @AfterEach
  void close() {
    h.close();
  }

  /** As each SDK asks. */
  private HttpResponse<String> asked(String sdk, String path) {
    return switch (sdk) {
      case "openai" -> h.get(path, "authorization", "Bearer k-all", "user-agent", "OpenAI/Python");
      case "mistral" ->
          h.get(path, "authorization", "Bearer k-all", "user-agent", "mistral-client-python/3.7.0");
      case "anthropic" ->
          h.get(path, "authorization", "Bearer k-all", "anthropic-version", "2026-10-21");
      case "gemini" -> h.get(path, "x-goog-api-key", "k-all");
      default -> throw new AssertionError(sdk);
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "openai|/v1/models|\"object\":\"list\",\"data\":[{\"id\":\"assistant\",\"object\":\"model\"",
        "mistral|/v1/models|\"type\":\"base\"",
        "mistral|/v1/models/tiny|{\"id\":\"tiny\"",
        "anthropic|/v1/models|\"first_id\":\"assistant\",\"last_id\":\"tiny\"",
        "anthropic|/v1/models/smart|{\"type\":\"model\",\"id\":\"smart\"",
        "anthropic|/v1/models/claude%2Fhaiku|{\"type\":\"model\",\"id\":\"claude/haiku\"",
        "gemini|/v1/models|{\"models\":[{\"name\":\"models/assistant\"",
        "gemini|/v1beta/models|{\"models\":[{\"name\":\"models/assistant\"",
        "gemini|/v1beta/models/quick|{\"name\":\"models/quick\"",
        "gemini|/v1/models/quick|{\"name\":\"models/quick\"",
      })
  void eachSdkGetsItsShape(String sdk, String path, String expected) {
    var answer = asked(sdk, path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains(expected);
    assertThat(h.one.asked).isEmpty();
  }

  @Test
  void aNameThatIsNotConfiguredIsAskedOfTheProvider() {
    h.one.then(ScriptedProvider.json(200, "{\"id\":\"gpt-9\"}"));
    assertThat(asked("openai", "/v1/models/gpt-9").body()).isEqualTo("{\"id\":\"gpt-9\"}");
    assertThat(h.one.asked.getFirst().path()).isEqualTo("/v1/models/gpt-9");
    h.one.then(ScriptedProvider.json(200, "{\"name\":\"models/gemini-9\"}"));
    assertThat(asked("gemini", "/v1/models/gemini-9").body()).contains("models/gemini-9");
    assertThat(h.one.asked.getLast().headers()).containsKey("x-goog-api-key");
  }

  @Test
  void withoutModelsTheProvidersOwnListIsTheList() {
    h.close();
    h = new Harness();
    h.gateway.reload(Harness.parsed(h.yaml("").replaceFirst("(?s)models:.*", "")));
    h.one.then(ScriptedProvider.json(200, "{\"models\":[]}"));
    assertThat(h.get("/v1/models", "x-goog-api-key", "any").body()).isEqualTo("{\"models\":[]}");
    assertThat(h.one.asked.getFirst().path()).isEqualTo("/v1/models");
  }

  @Test
  void aClientWithAListSeesThatAloneAndErrorsInItsDialect() {
    assertThat(h.get("/v1/models", "authorization", "Bearer k-few").body())
        .contains("assistant")
        .doesNotContain("tiny");
    assertThat(h.get("/v1/models", "x-goog-api-key", "k-few").body())
        .contains("models/assistant")
        .doesNotContain("models/quick");
    var none = h.get("/v1/models/quick", "x-goog-api-key", "k-few");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(none.body()).contains("\"status\":\"NOT_FOUND\"");
    assertThat(h.one.asked).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/models/quick:generateContent,/v1beta/models/flash:generateContent",
    "/v1beta/models/quick:generateContent,/v1beta/models/flash:generateContent",
    "/v1/models/quick:streamGenerateContent?alt=sse,"
        + "/v1beta/models/flash:streamGenerateContent?alt=sse",
    "/v1/models/gem%2Fx:countTokens,/v1beta/models/x:countTokens",
    "/v1/models/quick:batchEmbedContents,/v1beta/models/flash:batchEmbedContents",
  })
  void geminisPathsAreRoutedInBothVersions(String path, String upstream) {
    h.post(path, "{\"contents\":[],\"requests\":[]}", "x-goog-api-key", "k-all");
    assertThat(h.one.asked.getFirst().path()).isEqualTo(upstream);
  }
}
