package dev.mainstay.call.recording;

import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Entry;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import dev.mainstay.wire.error.ProviderError;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The error of a call, as its caller gets it: the failure to show, or why no target was asked.
 * Belongs to the call's loop.
 */
public final class CallErrors {
  private final CallRecorder call;
  private final AnswerHeads heads;
  private final Supplier<List<String>> secrets;

  /**
   * @param secrets values that must not be in an error
   */
  public CallErrors(CallRecorder call, AnswerHeads heads, Supplier<List<String>> secrets) {
    this.call = call;
    this.heads = heads;
    this.secrets = secrets;
  }

  /** An error as it goes to the caller. */
  @SuppressWarnings("ArrayRecordComponent") // made and written at once
  public record Shown(
      int status,
      HttpHeaders head,
      byte[] body,
      byte[] event,
      Verdict verdict,
      ProviderError error) {
    /** Bytes in memory: the error's words are those of the body. */
    public static long weight(Shown shown) {
      return 2048 + 3L * shown.body.length + shown.event.length;
    }
  }

  /**
   * The error of a call that was given up on.
   *
   * @param entry the failure to show, or null where no attempt failed
   */
  public Shown shown(@Nullable Entry entry, Decision.GiveUp end) {
    var log =
        entry == null || call.unaffordable != null ? null : call.attempts.get(entry.attempts() - 1);
    var failure = log == null ? null : log.failure;
    var verdict = log == null || log.verdict == null ? unasked(end) : log.verdict;
    int status =
        failure == null ? ErrorMapper.status(verdict.kind()) : ErrorMapper.status(failure, verdict);
    var error =
        failure == null
            ? new ProviderError(
                verdict.because(),
                null,
                call.unaffordable != null
                    ? "budget_exceeded"
                    : call.unsayable == null ? "unavailable" : "untranslatable",
                null,
                null)
            : ErrorMapper.error(failure, verdict);
    var note = note(verdict, nextStep(verdict, failure == null));
    var head = heads.mark(HeaderRules.answer(log == null ? null : log.headers()));
    head.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    head.set("x-mainstay-verdict", verdict.label());
    // What never reached a provider is worth the SDK's own retry, and what we broke off ourselves.
    head.set("x-should-retry", Boolean.toString(worthARetry(failure == null)));
    if (status == 429 || status == 503 || end.retryAfter() != null) {
      var wait =
          call.unaffordable != null
              ? call.unaffordable.after()
              : ErrorMapper.retryAfter(end.retryAfter(), verdict);
      head.set("retry-after", Math.max(1, wait.plusMillis(999).toSeconds()));
      head.set("retry-after-ms", Math.max(1, wait.toMillis()));
    }
    return shown(status, head, error, note, verdict);
  }

  private Shown shown(
      int status, HttpHeaders head, ProviderError error, MainstayNote note, Verdict verdict) {
    var masks = secrets.get();
    var dialect = call.request.content().dialect();
    var given = call.answerTee.cut() ? null : call.answerTee.bytes();
    return new Shown(
        status,
        head,
        masked(ErrorWriter.body(dialect, status, error, note), masks),
        masked(ErrorWriter.event(dialect, status, error, note, given), masks),
        verdict,
        error);
  }

  private String nextStep(Verdict verdict, boolean nothingFailed) {
    return nothingFailed && (call.noRoom || call.stopped) && call.unaffordable == null
        ? "Wait for the time in retry-after."
        : ErrorMapper.nextStep(verdict);
  }

  private MainstayNote note(Verdict verdict, String nextStep) {
    return new MainstayNote(
        call.id,
        verdict.failureClass().name(),
        verdict.kind().wireName(),
        verdict.blame().wireName(),
        call.attempts.stream().map(AttemptLog::note).toList(),
        nextStep);
  }

  private boolean worthARetry(boolean nothingFailed) {
    return call.unaffordable != null
        ? !call.unaffordable.forGood()
        : (call.attempts.isEmpty() && call.noRoom) || (nothingFailed && call.stopped);
  }

  /** Why no target was asked at all, or no other one. */
  private Verdict unasked(Decision.GiveUp end) {
    var refused = call.unaffordable;
    if (refused != null) {
      return KnownVerdicts.budgetExceeded(refused.forGood(), refused.message());
    }
    if (call.unsayable != null) {
      return KnownVerdicts.untranslatable(call.unsayable);
    }
    boolean ours = call.noRoom || call.stopped;
    return call.keysRest && !ours
        ? KnownVerdicts.keysRest(end.reason())
        : KnownVerdicts.unavailable(ours ? Blame.GATEWAY : Blame.PROVIDER, end.reason());
  }

  /** The error of a call that a fault of this gateway's own has ended. */
  public Shown fault() {
    int status = ErrorMapper.status(KnownVerdicts.fault().kind());
    var head = heads.mark(HeaderRules.answer(null));
    head.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    head.set("x-mainstay-verdict", KnownVerdicts.fault().label());
    head.set("x-should-retry", "false");
    var error =
        new ProviderError(KnownVerdicts.fault().because(), null, "gateway_fault", null, null);
    var note =
        note(
            KnownVerdicts.fault(),
            "The gateway's log has the fault under this call's id. Please report it.");
    return shown(status, head, error, note, KnownVerdicts.fault());
  }

  /** An error that was told before, told again without an attempt: as this call's own. */
  public Shown again(Shown before) {
    call.recovered("memory");
    var verdict = before.verdict();
    var note =
        note(
            verdict,
            ErrorMapper.nextStep(verdict)
                + " Mainstay answered this request from memory, without a new attempt.");
    var head = heads.mark(before.head().copy());
    return shown(before.status(), head, before.error(), note, verdict);
  }

  private static byte[] masked(byte[] bytes, List<String> secrets) {
    var text = new String(bytes, StandardCharsets.UTF_8);
    var clean = text;
    for (var secret : secrets) {
      // Shorter ones would be found in ordinary words.
      if (secret.length() >= 6) {
        clean = clean.replace(secret, "[key]");
      }
    }
    return clean.equals(text) ? bytes : clean.getBytes(StandardCharsets.UTF_8);
  }
}
