package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.sql.EndedCalls;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Records as the gateway would make them. */
final class Fixtures {
  static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private Fixtures() {}

  static LedgerConfig in(Path directory) {
    return LedgerConfig.in(directory);
  }

  static CallRecord call(String id) {
    return EndedCalls.call(id, NOON);
  }

  static CallStart start(String id) {
    return new CallStart(
        id, null, null, "team-a", NOON, "openai", "/v1/chat/completions", "assistant", true);
  }

  static CallRecord failed(String id) {
    return new CallRecord(
        new CallStart(id, null, null, null, NOON, "openai", "/v1/chat/completions", null, false),
        new CallRecord.Outcome(
            null, 400, "FATAL/invalid_request", List.of(), 1, null, Duration.ofMillis(3)),
        new CallRecord.Cost(null, null, null));
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
        List.of(EndedCalls.attempt(id, 1), EndedCalls.attempt(id, 2)),
        List.of(request("ask " + id), response("answer " + id)));
  }

  static CallReader.StoredCall kept(LedgerReader reader, String id) {
    return Objects.requireNonNull(reader.call(id), () -> "no call " + id);
  }
}
