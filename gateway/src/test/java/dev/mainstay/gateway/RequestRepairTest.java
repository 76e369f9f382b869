package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answer;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request that a provider refuses for what can be changed is changed, once, and it is said. */
@Timeout(180)
final class RequestRepairTest {
  private static final String HOT = "{\"model\":\"assistant\",\"temperature\":0.5,\"messages\":[]}";
  private static final String IMAGE =
      "{\"model\":\"assistant\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
          + "\"text\":\"What is it?\"},{\"type\":\"image_url\",\"image_url\":{\"url\":"
          + "\"data:image/png;base64,iVBORw0KGgo=\"}}]}]}";

  private Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  @Test
  void aParameterTheModelDoesNotTakeIsDroppedAndRememberedForIt() {
    h.one.then(
        json(
            400,
            "{\"error\":{\"message\":\"Unsupported parameter: 'temperature' is not supported with"
                + " this model.\",\"type\":\"invalid_request_error\",\"param\":\"temperature\","
                + "\"code\":\"unsupported_parameter\"}}"));
    var response = h.post("/v1/chat/completions", HOT);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("repair:drop-parameter");
    assertThat(h.one.bodies().get(0)).contains("temperature");
    assertThat(h.one.bodies().get(1)).isEqualTo("{\"model\":\"first\",\"messages\":[]}");
    assertThat(header(response, "x-mainstay-degraded")).isEqualTo("temperature");
    var later = h.post("/v1/chat/completions", HOT);
    assertThat(later.statusCode()).isEqualTo(200);
    assertThat(header(later, "x-mainstay-degraded")).isEqualTo("temperature");
    assertThat(h.one.bodies()).hasSize(3);
    assertThat(h.one.bodies().get(2)).doesNotContain("temperature");
  }

  @Test
  void aSchemasKeywordTheModelDoesNotKnowIsLeftOutAndRemembered() {
    var tools =
        "{\"model\":\"assistant\",\"messages\":[],\"tools\":[{\"type\":\"function\",\"function\":{"
            + "\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
            + "\"string\",\"format\":\"uri\"}}}}}]}";
    h.one.then(
        error(
            400,
            "invalid_request_error",
            "invalid_function_parameters",
            "Invalid schema for function 'f': In context=('properties', 'a'), 'format' is not"
                + " permitted."));
    var response = h.post("/v1/chat/completions", tools);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("repair:drop-parameter");
    assertThat(header(response, "x-mainstay-degraded")).isEqualTo("tools.schema.format");
    assertThat(h.one.bodies().get(1)).doesNotContain("format").contains("\"type\":\"string\"");
    assertThat(h.post("/v1/chat/completions", tools).statusCode()).isEqualTo(200);
    assertThat(h.one.bodies()).hasSize(3);
    assertThat(h.one.bodies().get(2)).doesNotContain("format");
  }

  @Test
  void theNextTargetGetsWhatTheClientAskedFor() {
    h.one.then(
        error(
            400,
            "invalid_request_error",
            "unsupported_parameter",
            "Unsupported parameter: 'temperature' is not supported with this model."),
        error(404, "invalid_request_error", "model_not_found", "The model `first` does not exist"));
    var response = h.post("/v1/chat/completions", HOT);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(h.one.bodies().get(1)).doesNotContain("temperature");
    assertThat(h.two.bodies().getFirst()).contains("\"temperature\":0.5");
  }

  @Test
  void aTokenLimitAboveTheModelsIsLowered() {
    h.one.then(
        error(
            400,
            "invalid_request_error",
            "invalid_value",
            "max_tokens is too large: 100000. This model supports at most 4096 completion tokens,"
                + " whereas you provided 100000."));
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"assistant\",\"max_tokens\":100000,\"messages\":[]}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(h.one.bodies().get(1)).contains("\"max_tokens\":4096");
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("repair:lower-max-tokens");
  }

  @Test
  void imagesAreTakenOutWhereARefusalDoesNotSayWhyAndOnlyOnce() {
    h.one.then(json(400, ""), json(400, ""));
    h.two.then(json(400, ""));
    assertThat(h.post("/v1/chat/completions", IMAGE).statusCode()).isEqualTo(400);
    assertThat(h.one.bodies()).hasSize(2);
    assertThat(h.one.bodies().get(1)).doesNotContain("base64").contains("What is it?");
    h.one.then(json(400, ""), json(200, answer()));
    assertThat(h.post("/v1/chat/completions", IMAGE).statusCode()).isEqualTo(200);
  }

  @Test
  void aTranscriptThatDoesNotPairIsMadeWhole() {
    h.one.then(
        error(
            400,
            "invalid_request_error",
            "",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to"
                + " each 'tool_call_id'. The following tool_call_ids did not have response"
                + " messages: call_1"));
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"assistant\",\"messages\":[{\"role\":\"user\",\"content\":\"Go.\"},"
                + "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\","
                + "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},"
                + "{\"role\":\"user\",\"content\":\"And?\"}]}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(h.one.bodies().get(1)).contains("\"tool_call_id\":\"call_1\"");
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("repair:tool-history");
  }

  @Test
  void anAnswerThatMustBeJsonIsAskedForAgain() {
    h.one.then(json(200, answer()), json(200, answer().replace("\"Hi\"", "\"{\\\"a\\\":1}\"")));
    var response =
        h.post(
            "/v1/chat/completions",
            "{\"model\":\"assistant\",\"response_format\":{\"type\":\"json_object\"},"
                + "\"messages\":[{\"role\":\"user\",\"content\":\"Go.\"}]}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("{\\\"a\\\":1}");
    assertThat(h.one.bodies()).hasSize(2);
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("repair:self-correct");
  }

  @Test
  void withRepairsOffTheProvidersErrorGoesToTheCaller() {
    h.close();
    h = new Harness("recovery: { repairs: [], fallback: { on: off } }\n");
    h.one.then(
        error(
            400,
            "invalid_request_error",
            "unsupported_parameter",
            "Unsupported parameter: 'temperature'"));
    assertThat(h.post("/v1/chat/completions", HOT).statusCode()).isEqualTo(400);
    assertThat(h.one.asked).hasSize(1);
  }
}
