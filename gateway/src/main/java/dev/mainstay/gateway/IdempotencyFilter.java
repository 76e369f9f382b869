package dev.mainstay.gateway;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.gateway.idempotency.JoinableCalls;
import dev.mainstay.gateway.idempotency.SharedAnswer;
import dev.mainstay.http.Exchange;
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
  private static final int LONGEST_KEY = 255;

  private static final String CONFLICT = "conflict";

  private final Launcher launcher;
  private final Supplier<Generation> current;
  private final JoinableCalls sharing;
  private final DurableCalls lasting;
  private final @Nullable DurableState state;
  private final InstantSource clock;
  private final Consumer<String> withoutCall;

  /**
   * @param state null where nothing is kept: a key is then good while its call runs
   * @param withoutCall told how a request was answered that needed no call of its own
   */
  IdempotencyFilter(
      Launcher launcher,
      Supplier<Generation> current,
      JoinableCalls sharing,
      DurableCalls lasting,
      @Nullable DurableState state,
      InstantSource clock,
      Consumer<String> withoutCall) {
    this.withoutCall = withoutCall;
    this.launcher = launcher;
    this.current = current;
    this.sharing = sharing;
    this.lasting = lasting;
    this.state = state;
    this.clock = clock;
  }

  /** Answers what {@code exchange} asks, on its loop. */
  void answer(Exchange exchange, InboundRequest ask) {
    var headers = exchange.headers();
    boolean finish = current.get().config().idempotency().finishWhenClientLeaves();
    var key = headers.get("idempotency-key");
    var retry = headers.get("x-stainless-retry-count");
    var kept = ask.lasting();
    if (kept != null && kept.async()) {
      lasting.submit(exchange, ask, kept);
    } else if (key != null && !key.isBlank()) {
      keyed(exchange, ask, key, finish, headers.get("last-event-id"));
    } else if (retry != null) {
      var same = new JoinableCalls.Same(ask.clientName(), ask.path(), ask.query(), ask.body());
      if (!isRetry(retry) || !sharing.claimed(exchange, same)) {
        begin(ask, sharing.retried(exchange, same, ask.id(), finish || kept != null, finish));
      } else {
        withoutCall.accept("joined_retry");
      }
    } else if (kept != null) {
      begin(ask, sharing.lasting(exchange, ask.id()));
    } else if (finish) {
      launcher.launch(ask, sharing.finishing(exchange, ask.id()), () -> {});
    } else {
      launcher.launch(ask, new ExchangeRecipient(exchange), () -> {});
    }
  }

  private static boolean isRetry(String count) {
    return !count.isEmpty() && count.chars().anyMatch(c -> c >= '1' && c <= '9');
  }

  private void begin(InboundRequest ask, SharedAnswer answer) {
    var kept = ask.lasting();
    if (kept == null) {
      launcher.launch(ask, answer, () -> sharing.refused(ask.id()));
    } else {
      lasting.begin(ask, kept, answer, () -> sharing.refused(ask.id()));
    }
  }

  private void keyed(
      Exchange exchange,
      InboundRequest ask,
      String key,
      boolean finish,
      @Nullable String lastEventId) {
    if (key.length() > LONGEST_KEY) {
      RefusalResponse.caller(
              400,
              Kind.INVALID_REQUEST,
              "invalid_idempotency_key",
              "an idempotency key has at most " + LONGEST_KEY + " characters")
          .send(exchange, ask.face().dialect(), ask.id());
      return;
    }
    var hash = InboundRequest.hash(ask.path(), ask.query(), ask.body());
    var entry =
        sharing.keyed(
            exchange,
            ask.clientName(),
            key,
            hash,
            ask.id(),
            finish || ask.lasting() != null,
            finish,
            lastEventId);
    switch (entry) {
      case JoinableCalls.Entry.Joined _ -> withoutCall.accept("joined");
      case JoinableCalls.Entry.OtherRequest _ -> {
        withoutCall.accept(CONFLICT);
        OTHER_REQUEST.send(exchange, ask.face().dialect(), ask.id());
      }
      case JoinableCalls.Entry.TooLong _ -> {
        withoutCall.accept(CONFLICT);
        running("the answer of the call under this idempotency key is too long to be joined")
            .send(exchange, ask.face().dialect(), ask.id());
      }
      case JoinableCalls.Entry.First first -> claim(ask, key, hash, first.answer(), true);
    }
  }

  /** Nothing is asked of a provider before the claim is on disk. */
  private void claim(
      InboundRequest ask, String key, String hash, SharedAnswer answer, boolean again) {
    if (state == null) {
      begin(ask, answer);
      return;
    }
    var now = clock.instant();
    var until = now.plus(current.get().config().idempotency().window());
    state
        .claims()
        .claim(ask.clientName(), key, hash, ask.id(), now, until)
        .whenComplete(
            (claim, failed) ->
                answer
                    .loop()
                    .execute(
                        () -> {
                          if (again && claim instanceof Claim.Held held) {
                            // No call of this process has it, and no other process has the store:
                            // the disk refused when it was to be given back.
                            state.claims().release(ask.clientName(), key, held.call());
                            claim(ask, key, hash, answer, false);
                          } else {
                            claimed(ask, answer, claim);
                          }
                        }));
  }

  /**
   * @param claim null where the store cannot be written: the gateway goes on serving, and its
   *     health says so
   */
  private void claimed(InboundRequest ask, SharedAnswer answer, @Nullable Claim claim) {
    switch (claim) {
      case null -> begin(ask, answer);
      case Claim.Fresh _ -> begin(ask, answer);
      case Claim.Answered answered -> {
        withoutCall.accept("replayed");
        again(answered.answer(), answer);
        sharing.replayed(ask.id());
      }
      case Claim.Held _ -> {
        withoutCall.accept(CONFLICT);
        running("the call under this idempotency key has not ended")
            .send(answer, ask.face().dialect(), ask.id());
        sharing.replayed(ask.id());
      }
      case Claim.OtherRequest _ -> {
        withoutCall.accept(CONFLICT);
        OTHER_REQUEST.send(answer, ask.face().dialect(), ask.id());
        sharing.replayed(ask.id());
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

  static final RefusalResponse OTHER_REQUEST =
      RefusalResponse.caller(
          409,
          Kind.CONFLICT,
          "idempotency_key_reused",
          "this idempotency key was used for another request; a new request needs a new key");

  private static RefusalResponse running(String why) {
    return new RefusalResponse(
        409,
        Kind.CONFLICT,
        "TRANSIENT",
        "caller",
        "idempotency_key_in_use",
        why,
        Duration.ofSeconds(5));
  }
}
