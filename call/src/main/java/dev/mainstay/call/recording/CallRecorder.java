package dev.mainstay.call.recording;

import dev.mainstay.call.attempt.Attempt;
import dev.mainstay.call.answer.BodyTee;
import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.core.guard.PoisonMemory;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Entry;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import dev.mainstay.wire.error.ProviderError;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Usage;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a call has to tell: its headers, its error, its record. Belongs to the call's loop. */
public final class CallRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(CallRecorder.class);

  public static final Verdict CANCELLED =
      verdict(FailureClass.FATAL, Kind.CANCELLED, Blame.CALLER, "the client left");

  public static final Verdict FAULT =
      new Verdict(
          FailureClass.FATAL,
          Kind.SERVER_ERROR,
          Blame.GATEWAY,
          false,
          null,
          false,
          null,
          false,
          "gateway",
          "a fault of this gateway's own ended the call");

  private static final AsciiString CALL = AsciiString.cached("x-mainstay-call");
  private static final AsciiString TARGET = AsciiString.cached("x-mainstay-target");
  private static final AsciiString ATTEMPTS = AsciiString.cached("x-mainstay-attempts");

  private final String id;
  private final CallRequest request;
  private final Services services;
  private final Prices prices;
  private final Instant startedAt;
  private final long startedNanos;
  private final List<AttemptLog> attempts = new ArrayList<>(1);
  private final Set<String> recovered = new LinkedHashSet<>(2);
  private final Set<String> mended = new LinkedHashSet<>(2);
  private final BodyTee answerTee;
  private @Nullable TargetId answeredBy;
  private long committedNanos;
  private boolean noRoom;
  private boolean stopped;
  private boolean keysRest;
  private @Nullable String unsayable;
  private BudgetReservation.Answer.@Nullable Refused unaffordable;
  private final Set<String> degraded = new TreeSet<>();
  private PoisonMemory.@Nullable Key poisonKey;
  private List<AttemptRecord> records = List.of();
  private @Nullable CallRecord recorded;

  public CallRecorder(String id, CallRequest request, Services services, CallMemory memory) {
    this.id = id;
    this.request = request;
    this.services = services;
    prices = services.prices().get();
    startedAt = services.clock().instant();
    startedNanos = services.nanos().getAsLong();
    // What was streamed is remembered in any case: it may have to be gone on with.
    answerTee = new BodyTee(request.recordBodies() || request.stream(), memory.part());
  }

  private static Verdict verdict(FailureClass failureClass, Kind kind, Blame blame, String why) {
    return new Verdict(
        failureClass,
        kind,
        blame,
        failureClass == FailureClass.TRANSIENT,
        null,
        false,
        null,
        false,
        "gateway",
        why);
  }

  public String id() {
    return id;
  }

  public Instant startedAt() {
    return startedAt;
  }

  public BodyTee answerTee() {
    return answerTee;
  }

  public void recovered(String how) {
    recovered.add(how);
  }

  /** The answer under way was repaired. */
  public void mended(String name) {
    recovered.add("repair:" + name);
    mended.add(name);
  }

  /** What was repaired of the answer, by name. */
  public Set<String> mended() {
    return mended;
  }

  /** A queue was full: the error at the end is this gateway's own. */
  public void noRoom() {
    noRoom = true;
  }

  /** This gateway broke the call off: the error is its own, unless an attempt had failed before. */
  public void stopped() {
    stopped = true;
  }

  /** Every key that could be asked with is rate limited. */
  public void keysRest() {
    keysRest = true;
  }

  /** A target's dialect cannot say what the request says: where none can, that is the error. */
  public void unsayable(String why) {
    unsayable = why;
  }

  /** An attempt would have cost more than may be spent: the error, unless another can be made. */
  public void unaffordable(BudgetReservation.Answer.Refused why) {
    unaffordable = why;
  }

  public boolean isUnaffordable() {
    return unaffordable != null;
  }

  /** What was left out of the request or the answer because a dialect has no word for it. */
  public void degraded(Set<String> names) {
    degraded.addAll(names);
  }

  /** What the attempts so far have used, or null. */
  public @Nullable Usage usage() {
    Usage all = null;
    for (var made : attempts) {
      var used = made.usage;
      if (used != null) {
        all = all == null ? used : all.plus(used);
      }
    }
    return all;
  }

  public boolean firstAt(String provider) {
    for (var made : attempts) {
      if (made.target.provider().equals(provider)) {
        return false;
      }
    }
    return true;
  }

  public AttemptLog began(Attempt attempt, TargetId target, long waited, long now, int bytes) {
    var log =
        new AttemptLog(
            attempts.size() + 1, target, waited, now, services.clock().instant(), bytes, attempt);
    attempts.add(log);
    services
        .recorder()
        .attempted(new AttemptStart(id, log.number, target.toString(), log.startedAt));
    answeredBy = target;
    unaffordable = null;
    return log;
  }

  /**
   * @param cancelled whether we ended it
   * @param purse told what it cost
   */
  public void ended(AttemptLog log, long now, boolean cancelled, BudgetReservation purse) {
    log.endedNanos = now;
    var usage = log.attempt.usage(log.bytesSent);
    log.usage = usage;
    if (usage != null) {
      log.costNanos =
          prices.nanos(
              log.target.provider(),
              log.target.model(),
              LocalDate.ofInstant(log.startedAt, ZoneOffset.UTC),
              usage);
    }
    switch (log.attempt.bill(cancelled)) {
      case NOTHING -> purse.after(0L, true);
      case TOLD -> purse.after(log.costNanos, usage != null && !usage.estimated());
      case SEEN -> purse.after(log.costNanos, false);
      case OPEN -> purse.after(null, false);
    }
  }

  /** A decision upon something that was no attempt, which replaces the last attempt's. */
  public void redecided(Decision decision) {
    if (!attempts.isEmpty()) {
      attempts.getLast().decided(decision);
    }
  }

  public void committed(long now) {
    if (committedNanos == 0) {
      committedNanos = now;
    }
  }

  // ---- headers

  /** The head of a streamed answer. */
  public HttpHeaders streamHead(@Nullable HttpHeaders from) {
    var headers = answerHead(from);
    // A provider may have answered with a whole answer, or with events and no type.
    var type = headers.get(HttpHeaderNames.CONTENT_TYPE);
    if (type == null || !type.contains("text/event-stream")) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, HeaderRules.streamType(request.dialect()));
    }
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
    // Proxies in front of the gateway must not hold events back.
    headers.set("x-accel-buffering", "no");
    return headers;
  }

  /** The head of a whole answer. */
  public HttpHeaders wholeHead(@Nullable HttpHeaders from) {
    var headers = answerHead(from);
    // A provider may have answered with a stream.
    var type = headers.get(HttpHeaderNames.CONTENT_TYPE);
    if (type != null && type.contains("text/event-stream")) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    }
    return headers;
  }

  private HttpHeaders answerHead(@Nullable HttpHeaders from) {
    var headers = mark(HeaderRules.answer(from));
    if (answeredBy != null) {
      headers.set(TARGET, answeredBy.toString());
    }
    return headers;
  }

  private HttpHeaders mark(HttpHeaders headers) {
    headers.set(CALL, id);
    headers.set(ATTEMPTS, attempts.size());
    if (!recovered.isEmpty()) {
      headers.set("x-mainstay-recovery", String.join(",", recovered));
    }
    if (!degraded.isEmpty()) {
      headers.set("x-mainstay-degraded", String.join(",", degraded));
    }
    return headers;
  }

  // ---- the error

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
   * @param secrets values that must not be in it
   */
  public Shown shown(@Nullable Entry entry, Decision.GiveUp end, List<String> secrets) {
    var log = entry == null || unaffordable != null ? null : attempts.get(entry.attempts() - 1);
    var failure = log == null ? null : log.failure;
    var verdict = log == null || log.verdict == null ? unasked(end) : log.verdict;
    int status =
        failure == null ? ErrorMapper.status(verdict.kind()) : ErrorMapper.status(failure, verdict);
    var error =
        failure == null
            ? new ProviderError(
                verdict.because(),
                null,
                unaffordable != null
                    ? "budget_exceeded"
                    : unsayable == null ? "unavailable" : "untranslatable",
                null,
                null)
            : ErrorMapper.error(failure, verdict);
    var note = note(verdict, nextStep(verdict, failure == null));
    var head = mark(HeaderRules.answer(log == null ? null : log.headers()));
    head.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    head.set("x-mainstay-verdict", verdict.label());
    // What never reached a provider is worth the SDK's own retry, and what we broke off ourselves.
    head.set("x-should-retry", Boolean.toString(worthARetry(failure == null)));
    if (status == 429 || status == 503 || end.retryAfter() != null) {
      var wait =
          unaffordable != null
              ? unaffordable.after()
              : ErrorMapper.retryAfter(end.retryAfter(), verdict);
      head.set("retry-after", Math.max(1, wait.plusMillis(999).toSeconds()));
      head.set("retry-after-ms", Math.max(1, wait.toMillis()));
    }
    return told(status, head, error, note, verdict, secrets);
  }

  private Shown told(
      int status,
      HttpHeaders head,
      ProviderError error,
      MainstayNote note,
      Verdict verdict,
      List<String> secrets) {
    var dialect = request.dialect();
    var given = answerTee.cut() ? null : answerTee.bytes();
    return new Shown(
        status,
        head,
        masked(ErrorWriter.body(dialect, status, error, note), secrets),
        masked(ErrorWriter.event(dialect, status, error, note, given), secrets),
        verdict,
        error);
  }

  private String nextStep(Verdict verdict, boolean nothingFailed) {
    return nothingFailed && (noRoom || stopped) && unaffordable == null
        ? "Wait as long as retry-after says."
        : ErrorMapper.nextStep(verdict);
  }

  private MainstayNote note(Verdict verdict, String nextStep) {
    return new MainstayNote(
        id,
        verdict.failureClass().name(),
        verdict.kind().wireName(),
        verdict.blame().wireName(),
        attempts.stream().map(AttemptLog::note).toList(),
        nextStep);
  }

  private boolean worthARetry(boolean nothingFailed) {
    return unaffordable != null
        ? !unaffordable.forGood()
        : (attempts.isEmpty() && noRoom) || (nothingFailed && stopped);
  }

  /** Why no target was asked at all, or no other one. */
  private Verdict unasked(Decision.GiveUp end) {
    if (unaffordable != null) {
      return verdict(
          unaffordable.forGood() ? FailureClass.FATAL : FailureClass.TRANSIENT,
          Kind.BUDGET_EXCEEDED,
          Blame.CALLER,
          unaffordable.message());
    }
    if (unsayable != null) {
      return verdict(FailureClass.LOGIC, Kind.INVALID_REQUEST, Blame.CALLER, unsayable);
    }
    boolean ours = noRoom || stopped;
    return keysRest && !ours
        ? verdict(FailureClass.TRANSIENT, Kind.RATE_LIMIT, Blame.KEY, end.reason())
        : verdict(
            FailureClass.TRANSIENT,
            Kind.OVERLOADED,
            ours ? Blame.GATEWAY : Blame.PROVIDER,
            end.reason());
  }

  /** The error of a call that a fault of this gateway's own has ended. */
  public Shown fault(List<String> secrets) {
    int status = ErrorMapper.status(FAULT.kind());
    var head = mark(HeaderRules.answer(null));
    head.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    head.set("x-mainstay-verdict", FAULT.label());
    head.set("x-should-retry", "false");
    var error = new ProviderError(FAULT.because(), null, "gateway_fault", null, null);
    var note =
        note(FAULT, "The gateway's log has the fault under this call's id; please report it.");
    return told(status, head, error, note, FAULT, secrets);
  }

  /** An error that was told before, told again without an attempt: as this call's own. */
  public Shown again(Shown before, List<String> secrets) {
    recovered("memory");
    var verdict = before.verdict();
    var note =
        note(
            verdict,
            ErrorMapper.nextStep(verdict)
                + " This one was answered from memory, without asking a provider again.");
    var head = mark(before.head().copy());
    return told(before.status(), head, before.error(), note, verdict, secrets);
  }

  /** What decides this call's answer, for the memory of permanent failures. */
  public PoisonMemory.Key poisonKey() {
    if (poisonKey == null) {
      try {
        var digest = MessageDigest.getInstance("SHA-256");
        digest.update(
            (request.path() + '\n' + request.modelAsked()).getBytes(StandardCharsets.UTF_8));
        digest.update(request.body());
        poisonKey =
            new PoisonMemory.Key(
                request.client() == null ? "" : request.client(),
                HexFormat.of().formatHex(digest.digest()));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }
    return poisonKey;
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

  // ---- the record

  /** Notes that the call is under way. */
  public void start() {
    services
        .recorder()
        .started(
            new CallStart(
                id,
                request.run(),
                request.parent(),
                request.client(),
                startedAt,
                request.dialect().label(),
                request.path(),
                request.modelAsked(),
                request.stream()));
  }

  /**
   * Records the call, before the last byte of its answer is handed to the client. Where its record
   * cannot be made, one that says less is.
   */
  public void record(int status, @Nullable Verdict verdict, LongSupplier nanos) {
    CallRecord call;
    try {
      records = attempts.stream().map(made -> made.record(id, request.recordBodies())).toList();
      call = made(status, verdict, nanos.getAsLong());
    } catch (RuntimeException | Error e) {
      LOG.error("{}: recorded without its attempts: {}", id, UnexpectedError.where(e));
      records = List.of();
      call = record(status, FAULT.label(), null, null, startedNanos);
    }
    recorded = call;
    services.recorder().record(call, records, bodies());
  }

  /** Tells the listener of a decision. */
  public void told(CallDecision decision) {
    UnexpectedError.runAll(id, () -> services.listener().decided(decision));
  }

  /** Attempts made so far. */
  public int attempts() {
    return attempts.size();
  }

  /** Tells the listener, after the answer: what else the call holds is given back there. */
  public void finish() {
    if (recorded != null) {
      services.listener().ended(recorded, records);
    }
  }

  private CallRecord made(int status, @Nullable Verdict verdict, long now) {
    Tokens tokens = null;
    Long cost = 0L;
    for (var made : attempts) {
      var used = AttemptLog.tokens(made.usage);
      if (used != null) {
        tokens = tokens == null ? used : tokens.plus(used);
        cost = cost == null || made.costNanos == null ? null : sum(cost, made.costNanos);
      }
    }
    return record(
        status,
        verdict == null ? null : verdict.label(),
        tokens,
        tokens == null ? null : cost,
        now);
  }

  private CallRecord record(
      int status,
      @Nullable String verdict,
      @Nullable Tokens tokens,
      @Nullable Long cost,
      long now) {
    return new CallRecord(
        id,
        request.run(),
        request.parent(),
        request.client(),
        startedAt,
        request.dialect().label(),
        request.path(),
        request.modelAsked(),
        verdict == null && answeredBy != null ? answeredBy.toString() : null,
        request.stream(),
        status,
        verdict,
        List.copyOf(recovered),
        attempts.size(),
        tokens,
        cost,
        cost == null ? null : prices.version(),
        committedNanos == 0 ? null : Duration.ofNanos(committedNanos - startedNanos),
        Duration.ofNanos(now - startedNanos));
  }

  private static Long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  private List<Body> bodies() {
    if (!request.recordBodies()) {
      return List.of();
    }
    var bodies = new ArrayList<Body>(3);
    bodies.add(new Body(0, Body.Part.REQUEST, request.body()));
    if (!answerTee.isEmpty()) {
      bodies.add(new Body(0, Body.Part.RESPONSE, answerTee.bytes()));
    }
    for (var made : attempts) {
      // What answered the client is there already.
      if (made.failure != null) {
        var received = made.attempt.received();
        if (received.length > 0) {
          bodies.add(new Body(made.number, Body.Part.RESPONSE, received));
        }
      }
    }
    return bodies;
  }
}
