package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.log.EndedCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Calls as the log hands them to a store. */
public final class EndedCalls {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");

  private EndedCalls() {}

  /** Calls {@code prefix0}, {@code prefix1} and so on, each with an attempt and a body. */
  public static List<EndedCall> of(int calls, String prefix, Instant startedAt, int bodyBytes) {
    var random = new Random(1);
    var ended = new ArrayList<EndedCall>(calls);
    for (int i = 0; i < calls; i++) {
      var body = new byte[bodyBytes];
      random.nextBytes(body);
      ended.add(
          new EndedCall(
              call(prefix + i, startedAt),
              List.of(attempt(prefix + i, 1)),
              List.of(new Body(0, Body.Part.REQUEST, body))));
    }
    return ended;
  }

  /** A call that was answered at its second attempt. */
  public static CallRecord call(String id, Instant startedAt) {
    return new CallRecord(
        new CallStart(
            id,
            "run-1",
            null,
            "team-a",
            startedAt,
            "openai",
            "/v1/chat/completions",
            "assistant",
            true),
        outcome(null),
        cost(1_234_567_890_123L));
  }

  /** After two attempts: an answer, or 503 with {@code verdict}. */
  static CallRecord.Outcome outcome(@Nullable String verdict) {
    return new CallRecord.Outcome(
        verdict == null ? "openai/gpt-4o" : null,
        verdict == null ? 200 : 503,
        verdict,
        List.of("retry", "fallback"),
        2,
        Duration.ofMillis(321),
        Duration.ofMillis(4567));
  }

  static CallRecord.Cost cost(long nanos) {
    return new CallRecord.Cost(new Tokens(1, 2, 3, 4, 5, false), nanos, "2026-11-21");
  }

  /** An attempt that failed, at noon, and cost nothing. */
  public static AttemptRecord attempt(String call, int number) {
    return attempt(call, number, null, null);
  }

  /** An attempt that failed, at noon. */
  static AttemptRecord attempt(
      String call, int number, @Nullable Tokens tokens, @Nullable Long costNanos) {
    return new AttemptRecord(
        call,
        number,
        "openai/gpt-4o",
        new AttemptRecord.Times(
            Duration.ofMillis(500), NOON, NOON.plusMillis(5), null, NOON.plusMillis(7)),
        new AttemptRecord.Outcome(
            503,
            "{\"status\":503}",
            "TRANSIENT/overloaded",
            "general.503",
            "retry",
            "overloaded, and 500 ms is within patience"),
        new AttemptRecord.Use(1024, 17, tokens, costNanos));
  }
}
