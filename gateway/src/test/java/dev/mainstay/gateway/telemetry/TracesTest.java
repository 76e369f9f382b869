package dev.mainstay.gateway.telemetry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.engine.CallTracing;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TracesTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private static Traces traces(Map<String, String> environment) {
    return Traces.of(
        environment,
        name -> name.equals("one") ? new Traces.Origin("openai", "api.example", 443) : null);
  }

  private static CallRecord call() {
    return new CallRecord(
        new CallStart(
            "call_1",
            "run-7",
            null,
            "team-a",
            NOON,
            "openai",
            "/v1/chat/completions",
            "assistant",
            true),
        new CallRecord.Outcome(
            "two/second",
            200,
            null,
            List.of("fallback"),
            2,
            Duration.ofMillis(400),
            Duration.ofMillis(1500)),
        new CallRecord.Cost(new Tokens(10, 5, 2, 20, 7, false), null, null));
  }

  private static AttemptRecord attempt(int number, String target, @Nullable String verdict) {
    return new AttemptRecord(
        "call_1",
        number,
        target,
        new AttemptRecord.Times(
            Duration.ofMillis(number == 1 ? 0 : 250), NOON, null, null, NOON.plusMillis(100)),
        new AttemptRecord.Outcome(
            verdict == null ? 200 : 503,
            verdict == null ? null : "{\"body\":\"PLANTED\"}",
            verdict,
            verdict == null ? null : "openai.overloaded",
            verdict == null ? "proceed" : "fallback",
            "PLANTED reason"),
        new AttemptRecord.Use(100, 100, new Tokens(10, 5, 2, 20, 7, false), null));
  }

  private static @Nullable String at(CallTracing.PropagatedHeaders onward, int attempt) {
    var headers = onward.attempt();
    return headers == null ? null : headers.apply(attempt);
  }

  @Test
  void aCallAndItsAttemptsAreSpansUnderTheClients() throws Exception {
    try (var collector = new Collector();
        var traces =
            traces(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    collector.url() + "/",
                    "OTEL_EXPORTER_OTLP_HEADERS",
                    "x-token=a%20b",
                    "OTEL_RESOURCE_ATTRIBUTES",
                    "deployment.environment.name=test"))) {
      var toProvider =
          traces.begin("call_1", Map.of("traceparent", PARENT, "tracestate", "vendor=1"));
      traces.ended(
          call(),
          List.of(attempt(1, "one/first", "TRANSIENT/overloaded"), attempt(2, "two/second", null)));
      var call = collector.next();
      var first = collector.next();
      var second = collector.next();

      assertThat(call.trace()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
      assertThat(call.parent()).isEqualTo("b7ad6b7169203331");
      assertThat(call.state()).isEqualTo("vendor=1");
      assertThat(call.name()).isEqualTo("chat assistant");
      assertThat(call.kind()).as("a server's").isEqualTo(2);
      assertThat(call.end() - call.start()).isEqualTo(1_500_000_000L);
      assertThat(call.error()).isFalse();
      assertThat(call.attributes())
          .containsEntry("gen_ai.operation.name", "chat")
          .containsEntry("gen_ai.request.model", "assistant")
          .containsEntry("gen_ai.response.model", "second")
          .containsEntry("gen_ai.usage.input_tokens", 17L)
          .containsEntry("gen_ai.usage.output_tokens", 27L)
          .containsEntry("gen_ai.usage.cache_read.input_tokens", 5L)
          .containsEntry("gen_ai.usage.cache_creation.input_tokens", 2L)
          .containsEntry("mainstay.call", "call_1")
          .containsEntry("mainstay.time_to_first_token", 0.4)
          .containsEntry("mainstay.stream", true);
      assertThat(toProvider.headers()).isEqualTo(Map.of("tracestate", "vendor=1"));
      assertThat(at(toProvider, 1))
          .as("each attempt names its own span")
          .isEqualTo("00-" + call.trace() + "-" + first.span() + "-01");
      assertThat(at(toProvider, 2)).isEqualTo("00-" + call.trace() + "-" + second.span() + "-01");

      assertThat(first.event())
          .as("what was decided upon its failure")
          .containsEntry("name", "mainstay.decision")
          .containsEntry("mainstay.verdict", "TRANSIENT/overloaded")
          .containsEntry("mainstay.target", "one/first")
          .containsEntry("mainstay.attempt", 1L)
          .containsEntry("mainstay.decision", "fallback");
      assertThat(second.event()).as("a success is no decision").isEmpty();
      assertThat(List.of(first.parent(), second.parent())).containsOnly(call.span());
      assertThat(List.of(first.span(), second.span())).doesNotHaveDuplicates();
      assertThat(first.kind()).as("a client's").isEqualTo(3);
      assertThat(first.error()).isTrue();
      assertThat(first.attributes())
          .containsEntry("gen_ai.provider.name", "openai")
          .containsEntry("gen_ai.request.model", "first")
          .containsEntry("server.address", "api.example")
          .containsEntry("error.type", "TRANSIENT/overloaded")
          .containsEntry("http.response.status_code", 503L)
          .doesNotContainKey("http.request.resend_count");
      assertThat(second.attributes())
          .containsEntry("gen_ai.provider.name", "two")
          .containsEntry("http.request.resend_count", 1L)
          .containsEntry("mainstay.waited", 0.25);

      assertThat(call + first.toString() + second).doesNotContain("PLANTED");
      assertThat(collector.requests.take()).isEqualTo("/v1/traces application/x-protobuf a b");
      assertThat(collector.resources.take())
          .containsEntry("service.name", "mainstay")
          .containsEntry("deployment.environment.name", "test");
    }
  }

  @Test
  void spansThatCannotBeMadeAreCountedAndTheNextGoOut() throws Exception {
    try (var collector = new Collector();
        var traces =
            Traces.of(
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()),
                name -> {
                  if (name.equals("bug")) {
                    throw new IllegalStateException("a bug");
                  }
                  return null;
                })) {
      traces.ended(call(), List.of(attempt(1, "bug/m", null)));
      traces.ended(call(), List.of(attempt(1, "two/second", null)));
      assertThat(collector.next().name()).isEqualTo("chat assistant");
      assertThat(traces.dropped()).isEqualTo(1);
    }
  }

  @Test
  void aClientThatDoesNotSampleIsObeyed() throws Exception {
    try (var collector = new Collector();
        var traces = traces(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()))) {
      var toProvider = traces.begin("call_1", Map.of("traceparent", PARENT.replace("-01", "-00")));
      traces.ended(call(), List.of());
      assertThat(at(toProvider, 1)).endsWith("-00");
      traces.begin("call_1", Map.of());
      traces.ended(call(), List.of());
      assertThat(collector.next().parent()).as("the second call's, a root").isEmpty();
    }
  }

  @Test
  void whatACollectorRefusesForTheMomentIsSentAgain() throws Exception {
    try (var collector = new Collector()) {
      collector.statuses.add(503);
      try (var traces = traces(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()))) {
        traces.ended(call(), List.of());
        assertThat(collector.next().name()).isEqualTo("chat assistant");
        assertThat(traces.dropped()).isZero();
      }
    }
  }

  @Test
  void aCollectorThatNeverEndsItsAnswerKeepsNoSpanWaiting() throws Exception {
    try (var lying = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var traces =
            traces(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + lying.getLocalPort()))) {
      lying.setSoTimeout(60_000);
      traces.ended(call(), List.of());
      try (var begun = lying.accept()) {
        begun
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n".getBytes(US_ASCII));
        traces.ended(call(), List.of());
        try (var next = lying.accept()) {
          assertThat(next.isConnected()).isTrue();
        }
      }
    }
  }

  @Test
  void headersThatCannotBeSentCostTheirSpansAndAreCounted() {
    var traces =
        traces(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:9",
                "OTEL_EXPORTER_OTLP_HEADERS",
                "host=elsewhere"));
    traces.ended(call(), List.of());
    traces.close();
    assertThat(traces.dropped()).isEqualTo(1);
  }

  @Test
  void whatItRefusesForGoodIsCounted() throws Exception {
    try (var collector = new Collector()) {
      collector.statuses.add(400);
      var traces = traces(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()));
      traces.ended(call(), List.of());
      traces.close();
      assertThat(traces.dropped()).isEqualTo(1);
    }
  }

  @Test
  void withoutACollectorTheClientsTracePassesThroughUntouched() {
    try (var traces = traces(Map.of())) {
      assertThat(traces.begin("call_1", Map.of("traceparent", PARENT)))
          .isEqualTo(new CallTracing.PropagatedHeaders(Map.of("traceparent", PARENT), null));
      assertThat(traces.begin("call_2", Map.of("traceparent", "junk")))
          .isEqualTo(new CallTracing.PropagatedHeaders(Map.of(), null));
    }
  }

  @Test
  void anEndpointThatIsNoUrlIsRefusedWithoutRepeatingIt() {
    assertThatThrownBy(
            () -> traces(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "user:PLANTED@collector:4318")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("OTEL_EXPORTER_OTLP_ENDPOINT")
        .hasMessageNotContaining("PLANTED");
    assertThat(
            OtlpSettings.of(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318", "OTEL_SDK_DISABLED", "true")))
        .isNull();
  }
}
