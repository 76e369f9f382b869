package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.Tokens;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Records as the gateway would make them. */
final class Fixtures {
  static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private Fixtures() {}

  static LedgerConfig in(Path directory) {
    return LedgerConfig.in(directory);
  }

  static CallRecord call(String id) {
    return call(id, NOON);
  }

  static CallRecord call(String id, Instant startedAt) {
    return new CallRecord(
        id,
        "run-1",
        null,
        "team-a",
        startedAt,
        "openai",
        "/v1/chat/completions",
        "assistant",
        "openai/gpt-4o",
        true,
        200,
        null,
        List.of("retry", "fallback"),
        2,
        new Tokens(1, 2, 3, 4, 5, false),
        1_234_567_890_123L,
        "2026-11-21",
        Duration.ofMillis(321),
        Duration.ofMillis(4567));
  }

  static CallStart start(String id) {
    return new CallStart(
        id, null, null, "team-a", NOON, "openai", "/v1/chat/completions", "assistant", true);
  }

  static CallRecord failed(String id) {
    return new CallRecord(
        id,
        null,
        null,
        null,
        NOON,
        "openai",
        "/v1/chat/completions",
        null,
        null,
        false,
        400,
        "FATAL/invalid_request",
        List.of(),
        1,
        null,
        null,
        null,
        null,
        Duration.ofMillis(3));
  }

  static AttemptRecord attempt(String call, int number) {
    return new AttemptRecord(
        call,
        number,
        "openai/gpt-4o",
        Duration.ofMillis(500),
        NOON,
        NOON.plusMillis(5),
        null,
        NOON.plusMillis(7),
        503,
        "{\"status\":503}",
        "TRANSIENT/overloaded",
        "general.503",
        "retry",
        "overloaded, and 500 ms is within patience",
        1024,
        17,
        null,
        null);
  }

  static Body request(String text) {
    return new Body(0, Body.Part.REQUEST, text.getBytes(UTF_8));
  }

  static Body response(String text) {
    return new Body(0, Body.Part.RESPONSE, text.getBytes(UTF_8));
  }

  static void record(Recorder recorder, String id) {
    recorder.record(
        call(id),
        List.of(attempt(id, 1), attempt(id, 2)),
        List.of(request("ask " + id), response("answer " + id)));
  }

  static CallReader.StoredCall kept(LedgerReader reader, String id) {
    return Objects.requireNonNull(reader.call(id), () -> "no call " + id);
  }
}
