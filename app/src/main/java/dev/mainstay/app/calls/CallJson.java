package dev.mainstay.app.calls;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Tokens;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Calls as programs read them, in the words of {@code /api/calls}. */
final class CallJson {
  private static final JsonMapper JSON = JsonMapper.shared();

  private CallJson() {}

  static ObjectNode page(LedgerReader.Page page) {
    var json = JSON.createObjectNode();
    var calls = json.putArray("calls");
    page.calls().forEach(call -> calls.add(call(call)));
    return json.put("next", page.next());
  }

  static ObjectNode stored(LedgerReader.StoredCall stored) {
    var json = JSON.createObjectNode();
    json.set("call", call(stored.call()));
    var attempts = json.putArray("attempts");
    stored.attempts().forEach(attempt -> attempts.add(attempt(attempt)));
    var bodies = json.putArray("bodies");
    stored
        .bodies()
        .forEach(
            body ->
                bodies
                    .addObject()
                    .put("attempt", body.attempt())
                    .put("part", body.part().wireName())
                    .put("bytes", body.length()));
    return json;
  }

  private static ObjectNode call(CallRecord call) {
    var json = JSON.createObjectNode();
    json.put("id", call.id())
        .put("run", call.run())
        .put("parent", call.parent())
        .put("client", call.client())
        .put("started_at", call.startedAt().toString())
        .put("dialect", call.dialect())
        .put("path", call.path())
        .put("model", call.modelAsked())
        .put("target", call.target())
        .put("stream", call.stream())
        .put("status", call.status())
        .put("verdict", call.verdict());
    var recovery = json.putArray("recovery");
    call.recovery().forEach(recovery::add);
    json.put("attempts", call.attempts());
    json.set("tokens", tokens(call.tokens()));
    json.put("cost_usd", dollars(call.costNanos()))
        .put("price_version", call.priceVersion())
        .put("first_token_ms", call.firstToken() == null ? null : millis(call.firstToken()))
        .put("total_ms", millis(call.total()));
    return json;
  }

  private static ObjectNode attempt(AttemptRecord attempt) {
    var json = JSON.createObjectNode();
    json.put("number", attempt.number())
        .put("target", attempt.target())
        .put("waited_ms", millis(attempt.waited()))
        .put("started_at", attempt.startedAt().toString())
        .put("headers_at", text(attempt.headersAt()))
        .put("first_token_at", text(attempt.firstTokenAt()))
        .put("ended_at", attempt.endedAt().toString())
        .put("status", attempt.status());
    json.set("failure", attempt.failure() == null ? JSON.nullNode() : facts(attempt.failure()));
    json.put("verdict", attempt.verdict())
        .put("rule", attempt.rule())
        .put("decision", attempt.decision())
        .put("reason", attempt.reason())
        .put("bytes_sent", attempt.bytesSent())
        .put("bytes_received", attempt.bytesReceived());
    json.set("tokens", tokens(attempt.tokens()));
    return json.put("cost_usd", dollars(attempt.costNanos()));
  }

  private static JsonNode facts(String failure) {
    try {
      return JSON.readTree(failure);
    } catch (RuntimeException e) {
      return JSON.getNodeFactory().stringNode(failure);
    }
  }

  private static JsonNode tokens(@Nullable Tokens tokens) {
    return tokens == null
        ? JSON.nullNode()
        : JSON.createObjectNode()
            .put("input", tokens.input())
            .put("cached_input", tokens.cachedInput())
            .put("cache_write", tokens.cacheWrite())
            .put("output", tokens.output())
            .put("reasoning", tokens.reasoning())
            .put("estimated", tokens.estimated());
  }

  private static @Nullable BigDecimal dollars(@Nullable Long nanos) {
    return nanos == null ? null : BigDecimal.valueOf(nanos, 9);
  }

  private static double millis(Duration length) {
    return length.toNanos() / 1e6;
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}
