package dev.mainstay.call;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.guard.PoisonMemory;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Outlook;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Lease;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.request.RequestEdit;
import dev.mainstay.wire.stream.Answer;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call from its first attempt to its end: makes the attempts that {@link Recovery} decides on,
 * waits when it says so, and hands over one clean answer or one error. Nothing here decides what a
 * failure means or what is done about it.
 *
 * <p>Everything happens on the recipient's loop; nothing blocks.
 */
final class Call implements Attempt.Owner, Outlook, RunningCall {
  private final CallRequest request;
  private final Services services;
  private final Upstreams upstreams;
  private final Guards guards;
  private final PoisonMemory<CallTale.Shown> poison;
  private final Recipient to;
  private final CallTale tale;
  private final Recovery recovery;
  private final Relay relay;
  private final List<Lease> leases;
  private final Runnable whenOver;
  private final KeyPool.@Nullable Key[] lastKeys;

  // Of the attempt under way.
  private @Nullable Attempt attempt;
  private @Nullable AttemptLog log;
  private @Nullable Provider provider;
  private Guards.@Nullable Guard guard;
  private Admission.@Nullable Admitted ticket;
  private KeyPool.@Nullable Key key;

  private @Nullable Cancellable waiting;
  private @Nullable Cancellable keepAlive;
  private boolean over;

  Call(
      String id,
      CallRequest request,
      Services services,
      Upstreams upstreams,
      Guards guards,
      PoisonMemory<CallTale.Shown> poison,
      Recipient to,
      List<Lease> leases,
      Runnable whenOver) {
    this.request = request;
    this.services = services;
    this.upstreams = upstreams;
    this.guards = guards;
    this.poison = poison;
    this.to = to;
    this.leases = leases;
    this.whenOver = whenOver;
    lastKeys = new KeyPool.Key[request.route().size()];
    tale = new CallTale(id, request, services);
    recovery =
        Recovery.start(
            request.settings().policy(),
            request.route(),
            this,
            services.random(),
            now(),
            request.limits());
    relay =
        new Relay(
            to,
            request.settings(),
            () -> tale.streamHead(headers()),
            () -> tale.committed(now()),
            tale.answerTee(),
            services.nanos());
  }

  private long now() {
    return services.nanos().getAsLong();
  }

  void start() {
    to.onGone(this::gone);
    to.onWritable(this::writable);
    if (over) {
      return;
    }
    if (!poison.isEmpty()) {
      var known = poison.answer(tale.poisonKey(), now());
      if (known != null) {
        tell(tale.again(known));
        return;
      }
    }
    if (request.stream()) {
      keepAliveIn(request.settings().keepAlive().toNanos());
    }
    carry(recovery.first(now()));
  }

  // ---- carrying out decisions

  private void carry(Decision decision) {
    switch (decision) {
      case Decision.Proceed go -> attemptIn(go.waitNanos(), go.target(), false);
      case Decision.Retry again -> {
        tale.recovered("retry");
        attemptIn(again.waitNanos(), again.target(), again.otherKey());
      }
      case Decision.Fallback other -> {
        tale.recovered("fallback");
        attemptIn(other.waitNanos(), other.target(), false);
      }
      case Decision.Mend mend ->
          next(
              new Outcome.RepairImpossible(
                  mend.repair(), "this request has nothing that this repair could change"));
      // Reached once failures are reported as continuable; until then Recovery never says so.
      case Decision.Continue on -> giveUp(new Decision.GiveUp(null, on.reason()));
      case Decision.GiveUp end -> giveUp(end);
    }
  }

  private void next(Outcome outcome) {
    var decision = recovery.next(outcome, now());
    tale.redecided(decision);
    carry(decision);
  }

  private void attemptIn(long wait, int target, boolean otherKey) {
    if (wait <= 0) {
      attempt(target, otherKey, 0);
    } else {
      waiting = to.loop().schedule(Duration.ofNanos(wait), () -> attempt(target, otherKey, wait));
    }
  }

  private void attempt(int target, boolean otherKey, long waited) {
    waiting = null;
    if (over) {
      return;
    }
    var at = guards.of(request.route().target(target));
    if (at.slots.tryAcquire()) {
      launch(target, otherKey, waited, at);
      return;
    }
    long from = now();
    waiting =
        at.slots.await(
            to.loop(),
            new Slots.Waiter() {
              @Override
              public void granted() {
                waiting = null;
                if (over) {
                  at.slots.release();
                } else {
                  launch(target, otherKey, waited + now() - from, at);
                }
              }

              @Override
              public void refused() {
                waiting = null;
                if (!over) {
                  full(at);
                }
              }
            });
    if (waiting == null) {
      full(at);
    }
  }

  private void full(Guards.Guard at) {
    tale.noRoom();
    next(new Outcome.Refused(queueFull(at, now())));
  }

  private static Availability.Resting queueFull(Guards.Guard at, long now) {
    return new Availability.Resting(
        now + at.slots.waitNanos(),
        Availability.By.QUEUE,
        "too many requests are under way at " + at.target);
  }

  private void launch(int index, boolean otherKey, long waited, Guards.Guard at) {
    long now = now();
    var target = at.target;
    var admission = at.breaker.admit(now);
    if (admission instanceof Admission.Refused refused) {
      at.slots.release();
      next(
          new Outcome.Refused(
              new Availability.Resting(
                  refused.untilNanos(), Availability.By.BREAKER, refused.reason())));
      return;
    }
    var admitted = (Admission.Admitted) admission;
    var from = upstreams.provider(target.provider());
    if (from == null) {
      throw new IllegalStateException("a route to a provider that is not there: " + target);
    }
    KeyPool.Key picked = null;
    if (!from.keys.isEmpty()) {
      picked =
          from.keys.pick(
              request.head().conversation(),
              target.model(),
              otherKey ? lastKeys[index] : null,
              nothingElse(now),
              now);
      if (picked == null) {
        at.breaker.released(admitted);
        at.slots.release();
        var why = from.keys.availability(target.model(), now);
        next(
            new Outcome.Refused(
                why instanceof Availability.Ready
                    ? new Availability.Unavailable("no other key of " + target.provider())
                    : why));
        return;
      }
    }
    if (tale.firstAt(target.provider())) {
      from.retries.request(now);
    }
    lastKeys[index] = picked;
    guard = at;
    ticket = admitted;
    provider = from;
    key = picked;
    send(from, target, waited, now);
  }

  private void send(Provider from, TargetId target, long waited, long now) {
    boolean asks = asksForUsage(from.spec);
    relay.restart(asks && !Boolean.TRUE.equals(request.head().includeUsage()));
    byte[] body = RequestEdit.apply(request.body(), request.head(), target.model(), asks);
    var made =
        new Attempt(
            this,
            to.loop(),
            services.nanos(),
            request.operation(),
            request.stream(),
            HeaderRules.rules(from.spec),
            request.settings().timeouts(),
            recovery.deadlineNanos(),
            relay,
            request.recordBodies());
    attempt = made;
    log = tale.began(made, target, waited, now, body);
    var headers =
        HeaderRules.request(
            request,
            from.spec,
            key == null ? null : key.value,
            Math.max(1, recovery.maxAttempts() - recovery.attempts() + 1),
            Math.max(1, recovery.remainingNanos(now) / 1_000_000));
    var path =
        request
            .operation()
            .path(
                from.spec.api(),
                request.operation().modelInPath() ? encoded(target.model()) : target.model(),
                request.stream());
    made.send(from.client, UpstreamRequest.of("POST", path, headers, Unpooled.wrappedBuffer(body)));
    if (!to.writable()) {
      made.pause();
    }
  }

  private static String encoded(String model) {
    return URLEncoder.encode(model, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private boolean asksForUsage(ProviderSpec spec) {
    return request.operation() == Operation.CHAT
        && request.stream()
        && HeaderRules.takesUsage(spec);
  }

  private @Nullable HttpHeaders headers() {
    return attempt == null ? null : attempt.headers();
  }

  // ---- what becomes of an attempt

  @Override
  public void firstToken() {
    long now = now();
    var at = guard;
    var made = attempt;
    if (at != null && made != null) {
      at.firstToken(now - made.sentAt());
      if (ticket != null && ticket.probe()) {
        at.breaker.succeeded(ticket, now);
        ticket = null;
      }
    }
  }

  @Override
  public void streamed() {
    succeeded();
    relay.end();
    finish(200, null);
  }

  @Override
  public void answered(int status, HttpHeaders headers, byte[] body, Answer answer) {
    succeeded();
    tale.committed(now());
    tale.answerTee().write(body, 0, body.length);
    to.respond(status, tale.answerHead(headers), Unpooled.wrappedBuffer(body));
    finish(status, null);
  }

  private void succeeded() {
    long now = now();
    if (guard != null) {
      if (ticket != null) {
        guard.breaker.succeeded(ticket, now);
      }
      guard.slots.release();
    }
    if (provider != null && key != null) {
      provider.keys.succeeded(key);
    }
    if (log != null) {
      tale.ended(log, now);
      log.decided(recovery.next(Outcome.answered(), now));
    }
    if (!poison.isEmpty()) {
      poison.succeeded(tale.poisonKey());
    }
    attempt = null;
    guard = null;
    ticket = null;
  }

  @Override
  public void failed(Failure failure) {
    long now = now();
    var verdict = services.classify().apply(failure);
    var at = guard;
    var ended = log;
    if (at == null || ended == null) {
      throw new IllegalStateException("a failure without an attempt");
    }
    if (ticket != null) {
      at.breaker.failed(ticket, verdict, now);
    }
    at.slots.release();
    if (provider != null && key != null) {
      provider.keys.failed(key, at.target.model(), verdict, now);
    }
    ended.failure = failure;
    ended.verdict = verdict;
    tale.ended(ended, now);
    attempt = null;
    guard = null;
    ticket = null;
    var decision = recovery.next(new Outcome.Failed(verdict, relay.stage(), false), now);
    ended.decided(decision);
    carry(decision);
  }

  private void giveUp(Decision.GiveUp end) {
    var shown = tale.shown(recovery.shown(), end, masks());
    if (relay.begun()) {
      relay.fail(shown.event());
      finish(200, shown.verdict());
    } else {
      if (PoisonMemory.isPermanent(shown.verdict())) {
        poison.failed(tale.poisonKey(), shown.verdict(), shown, now());
      }
      tell(shown);
    }
  }

  private void tell(CallTale.Shown shown) {
    tale.answerTee().write(shown.body(), 0, shown.body().length);
    to.respond(shown.status(), shown.head(), Unpooled.wrappedBuffer(shown.body()));
    finish(shown.status(), shown.verdict());
  }

  /** Values that must not be in anything that is shown. */
  private List<String> masks() {
    var values = new ArrayList<String>();
    for (var target : request.route().targets()) {
      var spec = upstreams.spec(target.provider());
      if (spec != null) {
        values.addAll(spec.keys());
        values.addAll(spec.headers().values());
      }
    }
    return values;
  }

  // ---- the recipient

  private void gone() {
    if (over) {
      return;
    }
    abandon("the client left");
    if (!recovery.ended()) {
      recovery.next(Outcome.cancelled(), now());
    }
    finish(relay.begun() ? 200 : 499, CallTale.CANCELLED);
  }

  @Override
  public void stop(String why) {
    to.loop()
        .execute(
            () -> {
              if (!over) {
                abandon(why);
                giveUp(new Decision.GiveUp(Duration.ofSeconds(1), why));
              }
            });
  }

  /** Ends the attempt under way without judging it. */
  private void abandon(String why) {
    if (waiting != null) {
      waiting.cancel();
      waiting = null;
    }
    if (attempt != null) {
      attempt.cancel();
      if (guard != null) {
        if (ticket != null) {
          guard.breaker.released(ticket);
        }
        guard.slots.release();
      }
      if (log != null) {
        log.decision = "cancelled";
        log.reason = why;
        tale.ended(log, now());
      }
      attempt = null;
      guard = null;
      ticket = null;
    }
  }

  private void writable() {
    if (attempt != null) {
      attempt.resume();
    }
  }

  /** Called after each piece of an answer, so that a slow client slows its provider. */
  @Override
  public void moved() {
    if (attempt != null && !to.writable()) {
      attempt.pause();
    }
  }

  private void keepAliveIn(long nanos) {
    keepAlive = to.loop().schedule(Duration.ofNanos(nanos), this::keepAlive);
  }

  private void keepAlive() {
    if (over) {
      return;
    }
    long interval = request.settings().keepAlive().toNanos();
    long silent = now() - relay.lastWriteAt();
    if (silent >= interval) {
      relay.comment("mainstay waits for " + request.route().target(0).provider());
      silent = 0;
    }
    keepAliveIn(interval - silent);
  }

  private void finish(int status, @Nullable Verdict verdict) {
    over = true;
    if (keepAlive != null) {
      keepAlive.cancel();
    }
    leases.forEach(Lease::close);
    tale.finish(status, verdict, now());
    whenOver.run();
  }

  // ---- what recovery asks

  @Override
  public Availability of(TargetId target, long nowNanos) {
    var at = upstreams.provider(target.provider());
    if (at == null) {
      return new Availability.Unavailable("no such provider: " + target.provider());
    }
    var keys = at.keys.availability(target.model(), nowNanos);
    if (!(keys instanceof Availability.Ready)
        && !(keys instanceof Availability.Unavailable && nothingElse(nowNanos))) {
      return keys;
    }
    var known = guards.of(target);
    var breaker = known.breaker.availability(nowNanos);
    if (!(breaker instanceof Availability.Ready)) {
      return breaker;
    }
    if (known.slots.room()) {
      return Availability.READY;
    }
    tale.noRoom();
    return queueFull(known, nowNanos);
  }

  /** Whether no target of the route has a key left that is not set aside. */
  private boolean nothingElse(long now) {
    for (var target : request.route().targets()) {
      var at = upstreams.provider(target.provider());
      if (at != null
          && !(at.keys.availability(target.model(), now) instanceof Availability.Unavailable)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean otherKey(TargetId target, long nowNanos) {
    var at = upstreams.provider(target.provider());
    int index = request.route().targets().indexOf(target);
    // What a provider keeps for an account is known to the key that made it alone.
    return at != null
        && !request.head().bound()
        && at.keys.hasOther(lastKeys[index], target.model(), nowNanos);
  }

  @Override
  public boolean takeRetry(TargetId target, long nowNanos) {
    var at = upstreams.provider(target.provider());
    return at != null && at.retries.tryRetry(nowNanos);
  }
}
