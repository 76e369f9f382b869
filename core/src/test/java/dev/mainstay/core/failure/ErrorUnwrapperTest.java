package dev.mainstay.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts.Where;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ErrorUnwrapperTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void litellmAroundBytes() {
    var evidence =
        message(
            "litellm.BadRequestError: AnthropicException -"
                + " b'{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"max_tokens:"
                + " can\\'t be \\\\\"x\\\\\"\"}}'");
    assertThat(evidence.types()).contains("invalid_request_error");
    assertThat(evidence.message()).startsWith("max_tokens: can't be");
    assertThat(evidence.status()).isEqualTo(400);
  }

  @Test
  void jsonEscapedTwiceInsideBytes() {
    var json = "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slower \\\"please\\\"\"}}";
    var once = json.replace("\\", "\\\\").replace("\"", "\\\"");
    var twice = once.replace("\\", "\\\\").replace("\"", "\\\"");
    for (var text : new String[] {once, twice}) {
      for (var lead : new String[] {"b'", "b\\'", "bytes: "}) {
        var evidence = message("litellm.APIError: APIError: X - " + lead + text + "'");
        assertThat(evidence.types()).as(lead + text).containsExactly("rate_limit_error");
        assertThat(evidence.message()).startsWith("Slower");
      }
    }
  }

  @Test
  void aSentenceInPlaceOfAParameterIsWhatTheProviderSaid() {
    var evidence =
        message(
            "400 {\"error\":{\"message\":\"Param Incorrect\",\"param\":\"max_tokens is too large:"
                + " 9\"}}");
    assertThat(evidence.message()).contains("max_tokens is too large");
  }

  @Test
  void aWellFormedAnswerThatSaysNothing() {
    var silent = "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"\"}}]}";
    var calls =
        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\"}]}}]}";
    assertThat(body(200, silent).shapes()).contains("no-content");
    assertThat(body(200, calls).shapes()).doesNotContain("no-content");
    assertThat(body(200, "{\"messages\":[{\"role\":\"assistant\",\"content\":\"\"}]}").shapes())
        .doesNotContain("no-content");
  }

  @Test
  void pythonDumps() {
    var evidence =
        message(
            "Error code: 429 - {'error': {'message': \"You didn't pay\", 'type': 'tokens', 'param':"
                + " None, 'code': 'slow_down'}}");
    assertThat(evidence.status()).isEqualTo(429);
    assertThat(evidence.codes()).containsExactly("slow_down");
    assertThat(evidence.types()).containsExactly("tokens");
    assertThat(evidence.message()).isEqualTo("You didn't pay");
    assertThat(evidence.client()).startsWith("Error code: 429");
  }

  @Test
  void openRouterRaw() {
    var evidence =
        body(
            400,
            "{\"error\":{\"message\":\"Provider returned"
                + " error\",\"code\":400,\"metadata\":{\"raw\":\"{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"type\\\":\\\"overloaded_error\\\",\\\"message\\\":\\\"Overloaded\\\"}}\",\"provider_name\":\"Anthropic\"}}}");
    assertThat(evidence.sender()).isEqualTo("Anthropic");
    assertThat(evidence.types()).contains("overloaded_error");
    assertThat(evidence.message()).contains("Overloaded");
  }

  @Test
  void jsonInAStringInAString() {
    var evidence =
        message(
            "[API Error: {\"error\":{\"message\":\"{\\n"
                + "  \\\"error\\\": {\\n"
                + "    \\\"code\\\": 503,\\n"
                + "    \\\"message\\\": \\\"The model is overloaded.\\\",\\n"
                + "    \\\"status\\\": \\\"UNAVAILABLE\\\"\\n"
                + "  }\\n"
                + "}\",\"code\":500}}]");
    assertThat(evidence.status()).isEqualTo(503);
    assertThat(evidence.grpc()).isEqualTo("unavailable");
    assertThat(evidence.message()).isEqualTo("The model is overloaded.");
  }

  @Test
  void pagesOfProxies() {
    var evidence =
        body(
            524,
            "<!DOCTYPE html><html><head><title>api.example.com | 524: A timeout"
                + " occurred</title><style>.a{}</style><script>var error = 'rate"
                + " limit';</script></head><body><h1>A timeout occurred</h1></body></html>");
    assertThat(evidence.shapes()).contains("html");
    assertThat(evidence.message()).contains("524: A timeout occurred").doesNotContain("rate limit");
  }

  @Test
  void grpcInEverySpelling() {
    assertThat(message("status = StatusCode.RESOURCE_EXHAUSTED details = \"x\"").grpc())
        .isEqualTo("resource_exhausted");
    assertThat(message("rpc error: code = Internal desc = boom").grpc()).isEqualTo("internal");
    assertThat(message("io.grpc.StatusRuntimeException: UNAVAILABLE: io exception").status())
        .isEqualTo(503);
    assertThat(message("the INTERNAL documents").grpc()).isNull();
  }

  @Test
  void awsInEveryPlace() {
    assertThat(
            Evidence.of(
                    new Facts(
                        null,
                        Where.HTTP,
                        429,
                        new Headers(
                            Map.of("X-Amzn-ErrorType", "ThrottlingException:http://internal/")),
                        "{\"message\":\"Rate exceeded\"}",
                        null,
                        null),
                    NOW)
                .aws())
        .isEqualTo("throttlingexception");
    assertThat(body(400, "{\"__type\":\"com.amazon#ValidationException\",\"message\":\"x\"}").aws())
        .isEqualTo("validationexception");
    assertThat(message("An error occurred (ModelErrorException) when calling the Converse").aws())
        .isEqualTo("modelerrorexception");
  }

  @Test
  void smallShapes() {
    assertThat(body(404, "{\"detail\":\"Not Found\"}").message()).isEqualTo("Not Found");
    assertThat(body(500, "{\"error\":\"model runner stopped\"}").message())
        .isEqualTo("model runner stopped");
    assertThat(body(400, "[{\"error\":{\"code\":400,\"message\":\"bad\"}}]").message())
        .isEqualTo("bad");
    assertThat(
            body(200, "event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n")
                .shapes())
        .contains("event-error");
    assertThat(
            body(
                    200,
                    "{\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\",\"message\":\"x\"}}}")
                .codes())
        .contains("server_error");
    assertThat(body(200, "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}").finish())
        .containsExactly("safety");
    assertThat(
            body(
                    422,
                    "{\"detail\":[{\"loc\":[\"body\",\"model\"],\"msg\":\"Field"
                        + " required\",\"type\":\"missing\",\"input\":{\"message\":\"rate"
                        + " limit\"}}]}")
                .message())
        .isEqualTo("Field required");
  }

  @Test
  void aTruncatedBodyKeepsWhatCame() {
    var evidence =
        body(429, "{\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"Rate limit rea");
    assertThat(evidence.codes()).containsExactly("rate_limit_exceeded");
    assertThat(evidence.message()).isEqualTo("Rate limit rea");
    assertThat(evidence.shapes()).contains("truncated");
  }

  @Test
  void clientsThatNameNoNumber() {
    assertThat(message("dev.langchain4j.exception.RateLimitException: slow").status())
        .isEqualTo(429);
    assertThat(message("Invalid response object (HTTP response code was 404)").status())
        .isEqualTo(404);
  }

  @Test
  void difyPluginErrors() {
    var text =
        "PluginInvokeError: {\"args\":{\"description\":\"[models] Error: API request failed with"
            + " status code 400: {\\\"error\\\":{\\\"message\\\":\\\"too long\\\"}}\"},"
            + "\"error_type\":\"InvokeError\"";
    assertThat(message(text).message()).contains("too long");
  }

  @Test
  void anErrorPastedWithGapsIsStillWords() {
    var gap = "Bad Request {\"error\":\n\"message\": \"The requested model is not supported.\"";
    assertThat(message(gap).client()).contains("model is not supported");
    var cut = "failed: {\"args\":{\"description\":\"no tool messages\"";
    assertThat(message(cut).client()).contains("no tool messages");
    var prompt = "failed: {\"messages\": [ \"my secret\", \"error\":";
    assertThat(message(prompt).client()).doesNotContain("secret");
  }

  @Test
  void anErrorAsNodePrintsIt() {
    var found =
        message(
            """
            RateLimitError: 429 You exceeded your current quota
                at APIError.generate (/app/node_modules/openai/src/error.ts:82:14) {
              status: 429,
              headers: Headers {
                'retry-after-ms': '20000',
              },
              cookies: [Object: null prototype] { session: 'rate limit' },
              error: [Object],
              [cause]: Error: read ECONNRESET
                  at TLSWrap.onStreamRead (node:internal/stream_base_commons:217:20) {
                errno: -104,
                code: 'ECONNRESET'
              },
              code: 'insufficient_quota',
              [Symbol(kind)]: true
            }
            and then it stopped.\
            """);
    assertThat(found.codes()).contains("insufficient_quota", "econnreset");
    assertThat(found.status()).isEqualTo(429);
    assertThat(found.message()).isEqualTo("Error: read ECONNRESET");
    assertThat(found.client()).doesNotContain("rate limit").endsWith("and then it stopped.");
  }

  @Test
  void errorsInAListAsNodePrintsThem() {
    var found =
        message(
            """
            AggregateError: all failed { reason: 'none_left', errors: [
                Error: connect ECONNREFUSED 127.0.0.1:11434
                    at Socket.emit (node:events:1:2) {
                  code: 'ECONNREFUSED'
                },
                Error: Incorrect API key provided
                    at b (/app/y.js:3:4),
                Error: c
              ]
            }\
            """);
    assertThat(found.codes()).contains("econnrefused", "none_left");
    assertThat(found.message())
        .isEqualTo(
            "Error: connect ECONNREFUSED 127.0.0.1:11434\nError: Incorrect API key provided\n"
                + "Error: c");
  }

  @Test
  void argumentsOfAToolAreAnEcho() {
    var echo = "{\"query\": \"quota exceeded\", \"message\": \"rate limit\"}";
    for (var lead :
        List.of("Failed to call tool: ", "Bad arguments (", "search failed with args=")) {
      var found = message(lead + echo + " is wrong");
      assertThat(found.message() + found.client()).doesNotContain("quota").doesNotContain("rate");
    }
    assertThat(message("Upstream said: " + echo).message()).isEqualTo("rate limit");
  }

  @Test
  void theErrorThatN8nTellsInItsOwnWords() {
    var found =
        body(
            200,
            "{\"errorMessage\":\"The service is receiving too many requests\",\"errorDetails\":"
                + "{\"rawErrorMessage\":[\"You exceeded your current quota.\"],\"httpCode\":"
                + "\"429\"},\"n8nDetails\":{\"time\":\"1\"}}");
    assertThat(found.message()).isEqualTo("You exceeded your current quota.");
    assertThat(found.client()).contains("too many requests");
    assertThat(found.status()).isEqualTo(429);
  }

  @Test
  void pagesInCapitalsHideTheirScriptsToo() {
    var page =
        "<HTML><HEAD><SCRIPT>var quota = 0;</SCRIPT><TITLE>502 Bad Gateway</TITLE></HEAD></HTML>";
    assertThat(body(502, page).message()).contains("502 Bad Gateway").doesNotContain("quota");
  }

  @Test
  void numbersThatAreNoStatus() {
    assertThat(message("requested 4294 tokens of 1429").status()).isNull();
    assertThat(message("took 429 ms").status()).isNull();
    assertThat(message("HTTP 503 from upstream").status()).isEqualTo(503);
    assertThat(message("status_code=502, body=x").status()).isEqualTo(502);
  }

  @Test
  void answersThatAreFailures() {
    var refused =
        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"refusal\":\"No.\"}}]}";
    assertThat(body(200, refused).finish()).containsExactly("refusal");
    assertThat(body(200, "{\"choices\":[],\"usage\":{\"prompt_tokens\":5}}").shapes())
        .contains("no-content");
  }

  @Test
  void aSentenceIsWordsWithoutACode() {
    assertThat(message("The workspace is frozen.").shapes()).containsExactly("sentence");
    assertThat(body(400, "{\"error\":{\"code\":\"frozen\",\"message\":\"No.\"}}").shapes())
        .doesNotContain("sentence");
    assertThat(message("x ".repeat(300)).shapes()).doesNotContain("sentence");
  }

  private static Evidence body(int status, String body) {
    return Evidence.of(new Facts(null, Where.HTTP, status, Headers.none(), body, null, null), NOW);
  }

  private static Evidence message(String text) {
    return Evidence.of(new Facts(null, Where.CLIENT, null, Headers.none(), null, text, null), NOW);
  }
}
