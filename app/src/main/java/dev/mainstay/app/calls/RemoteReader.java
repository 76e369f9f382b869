package dev.mainstay.app.calls;

import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.Range;
import dev.mainstay.ledger.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The ledger of a gateway that runs, read through its admin API. */
final class RemoteReader implements CallReader {
  private static final long NANOS_A_DOLLAR = 1_000_000_000L;

  private final AdminClient gateway;
  private @Nullable String id;

  RemoteReader(AdminClient gateway) {
    this.gateway = gateway;
  }

  @Override
  public Page calls(CallQuery query) {
    var path = new StringBuilder("/api/calls?limit=").append(query.limit());
    add(path, "cursor", query.cursor());
    query.where().forEach((field, value) -> add(path, field.wireName(), value));
    Range.parameters(query.ranges()).forEach((name, value) -> add(path, name, value));
    add(path, "from", query.from() == null ? null : query.from().toString());
    add(path, "to", query.to() == null ? null : query.to().toString());
    add(path, "q", query.text());
    add(path, "failed", query.failed() == null ? null : query.failed().toString());
    var page = found(gateway.get(path.toString()));
    var calls = new ArrayList<CallRecord>();
    page.path("calls").forEach(call -> calls.add(call(call)));
    return new Page(calls, text(page, "next"));
  }

  @Override
  public @Nullable StoredCall call(String callId) {
    var stored = gateway.get("/api/calls/" + AdminClient.encoded(callId));
    if (stored == null) {
      return null;
    }
    id = callId;
    var attempts = new ArrayList<AttemptRecord>();
    stored.path("attempts").forEach(each -> attempts.add(attempt(callId, each)));
    var bodies = new ArrayList<StoredBody>();
    for (var each : stored.path("bodies")) {
      var part =
          each.path("part").asString().equals("request") ? Body.Part.REQUEST : Body.Part.RESPONSE;
      bodies.add(
          new StoredBody(each.path("attempt").asInt(), part, "", each.path("bytes").asInt()));
    }
    return new StoredCall(call(stored.path("call")), attempts, bodies);
  }

  /** Of the call that was read last. */
  @Override
  public byte[] body(StoredBody body) {
    var bytes =
        gateway.bytes(
            "/api/calls/%s/bodies/%d/%s"
                .formatted(
                    AdminClient.encoded(String.valueOf(id)),
                    body.attempt(),
                    body.part().wireName()));
    if (bytes == null) {
      throw new LedgerException("the body is no longer kept");
    }
    return bytes;
  }

  @Override
  public void close() {
    gateway.close();
  }

  private static JsonNode found(@Nullable JsonNode answer) {
    if (answer == null) {
      throw new LedgerException("the server there keeps no calls; is it a Mainstay gateway?");
    }
    return answer;
  }

  private static void add(StringBuilder path, String name, @Nullable String value) {
    if (value != null) {
      path.append('&').append(name).append('=').append(AdminClient.encoded(value));
    }
  }

  private static CallRecord call(JsonNode from) {
    var recovery = new ArrayList<String>();
    from.path("recovery").forEach(each -> recovery.add(each.asString()));
    return new CallRecord(
        new CallStart(
            from.path("id").asString(),
            text(from, "run"),
            text(from, "parent"),
            text(from, "client"),
            Instant.parse(from.path("started_at").asString()),
            from.path("dialect").asString(),
            from.path("path").asString(),
            text(from, "model"),
            from.path("stream").asBoolean()),
        new CallRecord.Outcome(
            text(from, "target"),
            from.path("status").asInt(),
            text(from, "verdict"),
            recovery,
            from.path("attempts").asInt(),
            millis(from.path("first_token_ms")),
            Duration.ofMillis(from.path("total_ms").asLong())),
        new CallRecord.Cost(
            tokens(from.path("tokens")),
            nanos(from.path("cost_usd")),
            text(from, "price_version")));
  }

  private static AttemptRecord attempt(String call, JsonNode from) {
    var started = Instant.parse(from.path("started_at").asString());
    var status = from.path("status");
    var failure = from.path("failure");
    return new AttemptRecord(
        call,
        from.path("number").asInt(),
        from.path("target").asString(),
        new AttemptRecord.Times(
            Duration.ofMillis(from.path("waited_ms").asLong()),
            started,
            after(started, from.path("headers_ms")),
            after(started, from.path("first_token_ms")),
            started.plusMillis(from.path("total_ms").asLong())),
        new AttemptRecord.Outcome(
            status.isNumber() ? (Integer) status.asInt() : null,
            failure.isObject() ? failure.toString() : null,
            text(from, "verdict"),
            text(from, "rule"),
            from.path("decision").asString(),
            from.path("reason").asString()),
        new AttemptRecord.Use(
            from.path("bytes_sent").asLong(),
            from.path("bytes_received").asLong(),
            tokens(from.path("tokens")),
            nanos(from.path("cost_usd"))));
  }

  private static @Nullable Tokens tokens(JsonNode from) {
    return from.isObject()
        ? new Tokens(
            from.path("input").asLong(),
            from.path("cached_input").asLong(),
            from.path("cache_write").asLong(),
            from.path("output").asLong(),
            from.path("reasoning").asLong(),
            from.path("estimated").asBoolean())
        : null;
  }

  private static @Nullable String text(JsonNode from, String name) {
    var value = from.path(name);
    return value.isString() ? value.asString() : null;
  }

  private static @Nullable Long nanos(JsonNode dollars) {
    return dollars.isNumber() ? (Long) Math.round(dollars.asDouble() * NANOS_A_DOLLAR) : null;
  }

  private static @Nullable Duration millis(JsonNode from) {
    return from.isNumber() ? Duration.ofMillis(from.asLong()) : null;
  }

  private static @Nullable Instant after(Instant start, JsonNode millis) {
    return millis.isNumber() ? start.plusMillis(millis.asLong()) : null;
  }
}
