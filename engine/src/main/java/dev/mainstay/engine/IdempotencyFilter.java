package dev.mainstay.engine;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.idempotency.JoinableCalls;
import dev.mainstay.engine.idempotency.SharedAnswer;
import dev.mainstay.ledger.state.Claims.Claim;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.StoredAnswer;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that one request is one call, however often its client sends it: by its idempotency
 * key, or as its SDK's own retry. Thread-safe.
 */
final class IdempotencyFilter {
  /** Longer keys are refused; the usual bound among APIs that have such keys. */
  /** Between two looks at a call that another process makes. */
  private static final Duration ASK_AGAIN_AFTER = Duration.ofMillis(200);

  /** Looks at it, some ten minutes in all: then the client is told to come back. */
  private static final int MOST_ASKED = 3000;

  private static final int LONGEST_KEY = 255;

  private static final String CONFLICT = "conflict";

  private final CallLauncher launcher;
  private final Supplier<Generation> current;
  private final JoinableCalls joinable;
  private final DurableCalls durableCalls;
  private final @Nullable DurableState state;
  private final InstantSource clock;
  private final Consumer<String> withoutCall;
  private final Refusals refusals;

  /**
   * @param state null where nothing is kept: a key is then good while its call runs
   * @param withoutCall told how a request was answered that needed no call of its own
   */
  IdempotencyFilter(
      CallLauncher launcher,
      Supplier<Generation> current,
      JoinableCalls joinable,
      DurableCalls durableCalls,
      @Nullable DurableState state,
      InstantSource clock,
      Consumer<String> withoutCall,
      Refusals refusals) {
    this.refusals = refusals;
    this.withoutCall = withoutCall;
    this.launcher = launcher;
    this.current = current;
    this.joinable = joinable;
    this.durableCalls = durableCalls;
    this.state = state;
    this.clock = clock;
  }

  /** Answers {@code request}, on the recipient's loop. */
  void answer(Recipient to, InboundRequest request) {
    boolean finish = current.get().config().idempotency().finishWhenClientLeaves();
    var resend = request.resend();
    var durable = request.durable();
    if (durable != null && durable.async()) {
      durableCalls.submit(to, request, durable);
    } else if (resend.idempotencyKey() != null) {
      keyed(to, request, resend.idempotencyKey(), finish, resend.lastEventId());
    } else if (resend.sdkRetry() != null) {
      var origin = request.origin();
      var same =
          new JoinableCalls.Same(
              origin.clientName(), origin.path(), origin.query(), request.input().body());
      if (resend.sdkRetry() == 0 || !joinable.claimed(to, same)) {
        begin(request, joinable.retried(to, same, request.id(), finish || durable != null, finish));
      } else {
        withoutCall.accept("joined_retry");
      }
    } else if (durable != null) {
      begin(request, joinable.lasting(to, request.id()));
    } else if (finish) {
      launcher.launch(request, joinable.finishing(to, request.id()), () -> {});
    } else {
      launcher.launch(request, to, () -> {});
    }
  }

  private void begin(InboundRequest request, SharedAnswer answer) {
    var kept = request.durable();
    if (kept == null) {
      launcher.launch(request, answer, () -> joinable.refused(request.id()));
    } else {
      durableCalls.begin(request, kept, answer, () -> joinable.refused(request.id()));
    }
  }

  private void keyed(
      Recipient to,
      InboundRequest request,
      String key,
      boolean finish,
      @Nullable String lastEventId) {
    if (key.length() > LONGEST_KEY) {
      refusals.refuse(
          CallRefusal.caller(
              400,
              Kind.INVALID_REQUEST,
              "invalid_idempotency_key",
              "an idempotency key has at most " + LONGEST_KEY + " characters"),
          request,
          to);
      return;
    }
    var hash = request.hash();
    var entry =
        joinable.keyed(
            to,
            request.clientName(),
            key,
            hash,
            request.id(),
            finish || request.durable() != null,
            finish,
            lastEventId);
    switch (entry) {
      case JoinableCalls.Entry.Joined _ -> withoutCall.accept("joined");
      case JoinableCalls.Entry.OtherRequest _ -> {
        withoutCall.accept(CONFLICT);
        refusals.refuse(OTHER_REQUEST, request, to);
      }
      case JoinableCalls.Entry.TooLong _ -> {
        withoutCall.accept(CONFLICT);
        refusals.refuse(
            running("the call under this idempotency key has an answer that is too long to join"),
            request,
            to);
      }
      case JoinableCalls.Entry.First first -> claim(request, key, hash, first.answer(), 0);
    }
  }

  /**
   * Nothing is asked of a provider before the claim is on disk.
   *
   * @param asked how often the store was asked before
   */
  private void claim(
      InboundRequest request, String key, String hash, SharedAnswer answer, int asked) {
    if (state == null) {
      begin(request, answer);
      return;
    }
    var now = clock.instant();
    var until = now.plus(current.get().config().idempotency().window());
    var guard = new RequestGuard(request, answer, () -> joinable.refused(request.id()), refusals);
    guard.then(
        state.claims().claim(request.clientName(), key, hash, request.id(), now, until),
        (claim, failed) -> {
          if (claim instanceof Claim.Held held && asked < MOST_ASKED) {
            askAgain(request, key, hash, answer, held, asked + 1);
          } else {
            claimed(request, answer, claim);
          }
        });
  }

  /**
   * Waits for a call that another process makes: until it has answered, has given the key back, or
   * its process has died and its key was given back for it.
   */
  private void askAgain(
      InboundRequest request,
      String key,
      String hash,
      SharedAnswer answer,
      Claim.Held held,
      int asked) {
    if (state != null && held.here()) {
      // No call of this process has it: the store refused when it was to be given back.
      state.claims().release(request.clientName(), key, held.call());
      claim(request, key, hash, answer, MOST_ASKED);
    } else {
      answer.loop().schedule(ASK_AGAIN_AFTER, () -> claim(request, key, hash, answer, asked));
    }
  }

  /**
   * @param claim null where the store cannot be written: the gateway goes on serving, and its
   *     health says so
   */
  private void claimed(InboundRequest request, SharedAnswer answer, @Nullable Claim claim) {
    switch (claim) {
      case null -> begin(request, answer);
      case Claim.Fresh fresh -> {
        if (fresh.degraded()) {
          answer.degraded("idempotency");
        }
        begin(request, answer);
      }
      case Claim.Answered answered -> {
        withoutCall.accept("replayed");
        again(answered.answer(), answer);
        joinable.replayed(request.id());
      }
      case Claim.Held _ -> {
        withoutCall.accept(CONFLICT);
        refusals.refuse(
            running("the call under this idempotency key has not ended"), request, answer);
        joinable.replayed(request.id());
      }
      case Claim.OtherRequest _ -> {
        withoutCall.accept(CONFLICT);
        refusals.refuse(OTHER_REQUEST, request, answer);
        joinable.replayed(request.id());
      }
    }
  }

  private static void again(StoredAnswer stored, SharedAnswer to) {
    var headers = new DefaultHttpHeaders();
    stored.headers().forEach(header -> headers.add(header.getKey(), header.getValue()));
    headers.set("idempotent-replayed", "true");
    headers.set("x-mainstay-recovery", "replay");
    to.again(stored.status(), headers, stored.stream(), Unpooled.wrappedBuffer(stored.body()));
  }

  static final CallRefusal OTHER_REQUEST =
      CallRefusal.caller(
          409,
          Kind.CONFLICT,
          "idempotency_key_reused",
          "this idempotency key belongs to another request; use a new key for a new request");

  private static CallRefusal running(String why) {
    return new CallRefusal(
        409,
        Kind.CONFLICT,
        "TRANSIENT",
        "caller",
        "idempotency_key_in_use",
        why,
        Duration.ofSeconds(5));
  }
}
