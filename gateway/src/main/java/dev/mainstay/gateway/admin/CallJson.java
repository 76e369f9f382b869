package dev.mainstay.gateway.admin;

import dev.mainstay.gateway.api.Json;
import dev.mainstay.http.Routes.Flat;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallReader.Page;
import dev.mainstay.ledger.CallReader.StoredBody;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.wire.json.Tree;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Recorded calls as {@code /api/calls} gives them, and the command line with {@code --json}: one
 * shape, whichever way they are read. Their JSON is flat. Times are whole milliseconds, money is
 * dollars.
 */
public final class CallJson {
  private CallJson() {}

  /** The JSON of a page of calls. */
  public static String text(Page page) {
    return Json.of(of(page));
  }

  /** The JSON of a call with its attempts and what is kept of its bodies. */
  public static String text(StoredCall stored) {
    return Json.of(of(stored));
  }

  /** A page of calls; {@code next} is the cursor of the next page, null on the last. */
  record Calls(List<Call> calls, @Nullable String next) {}

  /** A call as it ended. */
  record Call(
      @Flat Started start, @Nullable String agent, @Flat Outcome outcome, @Flat Cost cost) {}

  /** What came of a call; lengths of time count from its start. */
  record Outcome(
      @Nullable String target,
      int status,
      @Nullable String verdict,
      List<String> recovery,
      int attempts,
      @Nullable Long firstTokenMs,
      long totalMs) {
    static Outcome of(CallRecord call) {
      return new Outcome(
          call.target(),
          call.status(),
          call.verdict(),
          call.recovery(),
          call.attempts(),
          millis(call.firstToken()),
          call.total().toMillis());
    }
  }

  /** What a call used. */
  record Cost(
      @Nullable TokenCounts tokens, @Nullable BigDecimal costUsd, @Nullable String priceVersion) {}

  /** A call as it begins: what is asked, and by whom. */
  record Started(
      String id,
      @Nullable String run,
      @Nullable String parent,
      @Nullable String client,
      Instant startedAt,
      String dialect,
      String path,
      @Nullable String model,
      boolean stream) {}

  /** One upstream request of a call; lengths of time count from its start. */
  record Attempt(
      int number,
      String target,
      @Flat AttemptTimes times,
      @Flat AttemptOutcome outcome,
      @Flat AttemptUse use) {
    Attempt withoutBody() {
      return new Attempt(number, target, times, outcome.withoutBody(), use);
    }
  }

  /** When what happened to an attempt. */
  record AttemptTimes(
      long waitedMs,
      Instant startedAt,
      @Nullable Long headersMs,
      @Nullable Long firstTokenMs,
      long totalMs) {
    static AttemptTimes of(AttemptRecord attempt) {
      var started = attempt.startedAt();
      return new AttemptTimes(
          attempt.waited().toMillis(),
          started,
          since(started, attempt.headersAt()),
          since(started, attempt.firstTokenAt()),
          Duration.between(started, attempt.endedAt()).toMillis());
    }
  }

  /** What came of an attempt, and what was decided then. */
  record AttemptOutcome(
      @Nullable Integer status,
      Json.@Nullable Raw failure,
      @Nullable String verdict,
      @Nullable String rule,
      String decision,
      String reason) {
    static AttemptOutcome of(AttemptRecord attempt) {
      var failure = attempt.failure();
      return new AttemptOutcome(
          attempt.status(),
          failure == null ? null : new Json.Raw(failure),
          attempt.verdict(),
          attempt.rule(),
          attempt.decision(),
          attempt.reason());
    }

    AttemptOutcome withoutBody() {
      return new AttemptOutcome(
          status,
          failure == null ? null : withoutWords(failure.json()),
          verdict,
          rule,
          decision,
          reason);
    }
  }

  /** What an attempt sent, received and cost. */
  record AttemptUse(
      long bytesSent,
      long bytesReceived,
      @Nullable TokenCounts tokens,
      @Nullable BigDecimal costUsd) {
    static AttemptUse of(AttemptRecord attempt) {
      return new AttemptUse(
          attempt.bytesSent(),
          attempt.bytesReceived(),
          CallJson.tokens(attempt.tokens()),
          usd(attempt.costNanos()));
    }
  }

  /** The facts of a failure without the provider's own words. */
  private static Json.Raw withoutWords(String facts) {
    var failure = (ObjectNode) Tree.read(facts);
    for (var words : List.of("body", "event")) {
      if (failure.has(words)) {
        failure.putNull(words);
      }
    }
    return new Json.Raw(Tree.write(failure));
  }

  /** Tokens by disjoint buckets. */
  record TokenCounts(
      long input,
      long cachedInput,
      long cacheWrite,
      long output,
      long reasoning,
      boolean estimated) {}

  /** A body that is kept; attempt 0 is what passed between client and gateway. */
  record KeptBody(int attempt, String part, long bytes) {}

  /** A call with all that is known of it. */
  record Whole(Call call, List<Attempt> attempts, List<KeptBody> bodies) {
    /** The same without what providers wrote in their errors, which may repeat a prompt. */
    Whole withoutBodies() {
      return new Whole(call, attempts.stream().map(Attempt::withoutBody).toList(), bodies);
    }
  }

  static Calls of(Page page) {
    return new Calls(page.calls().stream().map(CallJson::of).toList(), page.next());
  }

  static Whole of(StoredCall stored) {
    return new Whole(
        of(stored.call()),
        stored.attempts().stream().map(CallJson::of).toList(),
        stored.bodies().stream().map(CallJson::of).toList());
  }

  private static KeptBody of(StoredBody body) {
    return new KeptBody(body.attempt(), body.part().wireName(), body.length());
  }

  static Started of(CallStart call) {
    return new Started(
        call.id(),
        call.run(),
        call.parent(),
        call.client(),
        call.startedAt(),
        call.dialect(),
        call.path(),
        call.modelAsked(),
        call.stream());
  }

  static Call of(CallRecord call) {
    return new Call(
        of(call.start()),
        call.agent(),
        Outcome.of(call),
        new Cost(tokens(call.tokens()), usd(call.costNanos()), call.priceVersion()));
  }

  static Attempt of(AttemptRecord attempt) {
    return new Attempt(
        attempt.number(),
        attempt.target(),
        AttemptTimes.of(attempt),
        AttemptOutcome.of(attempt),
        AttemptUse.of(attempt));
  }

  static @Nullable TokenCounts tokens(@Nullable Tokens tokens) {
    return tokens == null
        ? null
        : new TokenCounts(
            tokens.input(),
            tokens.cachedInput(),
            tokens.cacheWrite(),
            tokens.output(),
            tokens.reasoning(),
            tokens.estimated());
  }

  /** Nano-dollars as dollars; null where the price is unknown. */
  static @Nullable BigDecimal usd(@Nullable Long nanos) {
    return nanos == null ? null : BigDecimal.valueOf(nanos, 9).stripTrailingZeros();
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : (Long) duration.toMillis();
  }

  private static @Nullable Long since(Instant start, @Nullable Instant end) {
    return end == null ? null : (Long) Duration.between(start, end).toMillis();
  }
}
