package dev.mainstay.call.recording;

import dev.mainstay.call.attempt.Attempt;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.wire.error.MainstayNote;
import dev.mainstay.wire.money.Usage;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is known of one attempt of a call, filled in as it goes. Belongs to the call's loop. */
public final class AttemptLog {
  private static final String UNBELIEVABLE =
      "; the provider reports an impossible number of tokens, so the cost is unknown";

  public final int number;
  public final TargetId target;
  final long waitedNanos;
  final long startedNanos;
  final Instant startedAt;
  final long bytesSent;
  final Attempt attempt;

  public @Nullable Failure failure;
  public @Nullable Verdict verdict;
  public String decision = "proceed";
  public String reason = "";
  long endedNanos;
  public @Nullable Usage usage;
  @Nullable Long costNanos;

  AttemptLog(
      int number,
      TargetId target,
      long waitedNanos,
      long startedNanos,
      Instant startedAt,
      long bytesSent,
      Attempt attempt) {
    this.number = number;
    this.target = target;
    this.waitedNanos = waitedNanos;
    this.startedNanos = startedNanos;
    this.startedAt = startedAt;
    this.bytesSent = bytesSent;
    this.attempt = attempt;
  }

  @Nullable HttpHeaders headers() {
    return attempt.headers();
  }

  public void decided(Decision next) {
    decision = next.wireName();
    reason = next.reason();
  }

  MainstayNote.Attempt note() {
    return new MainstayNote.Attempt(
        target.toString(),
        attempt.status(),
        // Only what was broken off was not judged.
        (verdict == null ? Kind.CANCELLED : verdict.kind()).wireName(),
        decision,
        waitedNanos / 1_000_000);
  }

  /**
   * @param words whether what the provider wrote may be kept
   */
  AttemptRecord record(String call, boolean words) {
    return new AttemptRecord(
        call,
        number,
        target.toString(),
        new AttemptRecord.Times(
            Duration.ofNanos(waitedNanos),
            startedAt,
            at(attempt.headersAt()),
            at(attempt.firstTokenAt()),
            startedAt.plusNanos(Math.max(0, endedNanos - startedNanos))),
        new AttemptRecord.Outcome(
            attempt.status(),
            failure == null ? null : ErrorMapper.facts(failure, words),
            verdict == null ? null : verdict.label(),
            verdict == null ? null : verdict.rule(),
            decision.toLowerCase(Locale.ROOT),
            usage == null || usage.believable() ? reason : reason + UNBELIEVABLE),
        new AttemptRecord.Use(bytesSent, attempt.bytesReceived(), tokens(usage), costNanos));
  }

  private @Nullable Instant at(long nanos) {
    return nanos == 0 ? null : startedAt.plusNanos(Math.max(0, nanos - startedNanos));
  }

  public static @Nullable Tokens tokens(@Nullable Usage usage) {
    return usage == null
        ? null
        : new Tokens(
            usage.input(),
            usage.cachedInput(),
            usage.cacheWrite(),
            usage.output(),
            usage.reasoning(),
            usage.estimated());
  }
}
