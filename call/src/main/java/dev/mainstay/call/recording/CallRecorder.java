package dev.mainstay.call.recording;

import dev.mainstay.call.answer.BodyTee;
import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.attempt.Attempt;
import dev.mainstay.core.guard.PoisonMemory;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Usage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What there is to tell of a call: its attempts, what it took, why no target was asked. {@link
 * AnswerHeads}, {@link CallErrors} and {@link CallRows} tell it. Belongs to the call's loop.
 */
public final class CallRecorder {
  final String id;
  final CallRequest request;
  final Services services;
  final Prices prices;
  final Instant startedAt;
  final long startedNanos;
  final List<AttemptLog> attempts = new ArrayList<>(1);
  final Set<String> recovered = new LinkedHashSet<>(2);
  final Set<String> mended = new LinkedHashSet<>(2);
  final BodyTee answerTee;
  @Nullable TargetId answeredBy;
  long committedNanos;
  boolean noRoom;
  boolean stopped;
  boolean keysRest;
  @Nullable String unsayable;
  BudgetReservation.Answer.@Nullable Refused unaffordable;
  final Set<String> degraded = new TreeSet<>();
  private PoisonMemory.@Nullable Key poisonKey;

  public CallRecorder(String id, CallRequest request, Services services, CallMemory memory) {
    this.id = id;
    this.request = request;
    this.services = services;
    prices = services.prices().get();
    startedAt = services.clock().instant();
    startedNanos = services.nanos().getAsLong();
    // What was streamed is remembered in any case: it may have to be gone on with.
    answerTee =
        new BodyTee(request.plan().recordBodies() || request.content().stream(), memory.part());
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
   * @param reservation told what it cost
   */
  public void ended(AttemptLog log, long now, boolean cancelled, BudgetReservation reservation) {
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
      case NOTHING -> reservation.after(0L, true);
      case TOLD -> reservation.after(log.costNanos, usage != null && !usage.estimated());
      case SEEN -> reservation.after(log.costNanos, false);
      case OPEN -> reservation.after(null, false);
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

  /** What decides this call's answer, for the memory of permanent failures. */
  public PoisonMemory.Key poisonKey() {
    if (poisonKey == null) {
      try {
        var digest = MessageDigest.getInstance("SHA-256");
        digest.update(
            (request.origin().path() + '\n' + request.content().modelAsked())
                .getBytes(StandardCharsets.UTF_8));
        digest.update(request.content().body());
        poisonKey =
            new PoisonMemory.Key(
                request.origin().client() == null ? "" : request.origin().client(),
                HexFormat.of().formatHex(digest.digest()));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }
    return poisonKey;
  }

  /** Tells the listener of a decision. */
  public void report(CallDecision decision) {
    UnexpectedError.runAll(id, () -> services.listener().decided(decision));
  }

  /** Attempts made so far. */
  public int attempts() {
    return attempts.size();
  }
}
