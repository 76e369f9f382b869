package dev.mainstay.engine;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.config.Alerts;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.idempotency.JoinableCalls;
import dev.mainstay.engine.idempotency.SharedAnswer;
import dev.mainstay.http.Loop;
import dev.mainstay.http.Loops;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.ledger.state.KeptCalls.Accepted;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls that must not be lost: submitted with {@code Prefer: respond-async}, or marked with {@code
 * x-mainstay-keep: on}. Their request is on disk before they begin, and what came of it when they
 * end: an answer to be fetched, or a dead letter to be redriven once. Thread-safe.
 */
public final class DurableCalls {
  private static final Logger LOG = LoggerFactory.getLogger(DurableCalls.class);

  /** How long a request is kept with what came of it. */
  private static final Duration KEPT = Duration.ofDays(30);

  /** Calls of dead processes taken over in one transaction. */
  private static final int ADOPTED_AT_ONCE = 100;

  /**
   * @param bytes of its request's body
   */
  private record Running(SharedAnswer answer, long bytes) {}

  private final CallLauncher launcher;
  private final JoinableCalls joinable;
  private final @Nullable DurableState state;
  private final KeptRequestReader reader;
  private final Supplier<String> newId;
  private final Loops loops;
  private final Refusals refusals;
  private final AlertRaiser alerts;
  private final InstantSource clock;
  private final PendingBodyLimit pending =
      new PendingBodyLimit(MemoryBudget.process().limit(MemoryBudget.Use.REQUEST) / 4);
  private final ConcurrentHashMap<String, Running> running = new ConcurrentHashMap<>();
  private volatile boolean closing;

  /**
   * @param state null where nothing is kept: such requests are then refused
   */
  DurableCalls(
      CallLauncher launcher,
      JoinableCalls joinable,
      @Nullable DurableState state,
      KeptRequestReader reader,
      Supplier<String> newId,
      Loops loops,
      InstantSource clock,
      Refusals refusals,
      AlertRaiser alerts) {
    this.refusals = refusals;
    this.alerts = alerts;
    this.launcher = launcher;
    this.joinable = joinable;
    this.state = state;
    this.reader = reader;
    this.newId = newId;
    this.loops = loops;
    this.clock = clock;
  }

  /** Answers 202 once the request is on disk, and makes its call. */
  void submit(Recipient to, InboundRequest request, KeptCalls.Request kept) {
    int bytes = request.input().body().length;
    if (!pending.take(bytes)) {
      refusals.refuse(
          CallRefusal.overloaded(
              "this gateway's memory is full of calls that run without a client; try again"
                  + " shortly"),
          request,
          to);
      return;
    }
    var guard = new RequestGuard(request, to, () -> pending.give(bytes), refusals);
    guard.then(
        accept(request.id(), kept),
        (accepted, failed) -> {
          switch (accepted) {
            case Accepted.Fresh _ -> {
              accepted(to, request.id());
              run(request, to.loop());
              return;
            }
            case Accepted.Known known -> accepted(to, known.call());
            case Accepted.OtherRequest _ ->
                refusals.refuse(IdempotencyFilter.OTHER_REQUEST, request, to);
            case Accepted.Full _ -> refusals.refuse(noRoom(), request, to);
            case null -> refusals.refuse(noStore(), request, to);
          }
          pending.give(bytes);
        });
  }

  private CompletionStage<Accepted> accept(String call, KeptCalls.Request kept) {
    if (state == null) {
      return CompletableFuture.failedStage(new IllegalStateException("there is no store"));
    }
    var now = clock.instant();
    return state.keptCalls().accept(call, kept, now, now.plus(KEPT));
  }

  private static void accepted(Recipient to, String call) {
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "application/json");
    headers.set("x-mainstay-call", call);
    headers.set("preference-applied", "respond-async");
    headers.set("location", "/api/calls/" + call);
    var body = "{\"call\":\"" + call + "\"}";
    to.respond(202, headers, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
  }

  private static CallRefusal noStore() {
    return notKept("Mainstay cannot write to the store at the moment", Duration.ofSeconds(5));
  }

  private static CallRefusal noRoom() {
    return notKept(
        "running calls and dead letters have reached store.max-kept: an operator can redrive or"
            + " discard dead letters",
        Duration.ofSeconds(60));
  }

  private static CallRefusal notKept(String why, Duration retryAfter) {
    return new CallRefusal(
        503,
        Kind.OVERLOADED,
        "TRANSIENT",
        "gateway",
        "not_kept",
        "this call is durable, and " + why,
        retryAfter);
  }

  /** Begins a call that its client waits for, once its request is on disk. */
  void begin(
      InboundRequest request, KeptCalls.Request kept, SharedAnswer answer, Runnable notBegun) {
    var guard =
        new RequestGuard(
            request,
            answer,
            () -> {
              notBegun.run();
              answer.close();
            },
            refusals);
    guard.then(
        accept(request.id(), kept),
        (accepted, failed) -> {
          if (accepted == null || accepted instanceof Accepted.Full) {
            var refuse = accepted == null ? noStore() : noRoom();
            refusals.refuse(refuse, request, answer);
            notBegun.run();
            answer.close();
          } else {
            int bytes = request.input().body().length;
            pending.add(bytes);
            running.put(request.id(), new Running(answer, bytes));
            launcher.launch(
                request,
                answer,
                () -> {
                  notBegun.run();
                  ended(request.id(), refusedAs(answer));
                });
          }
        });
  }

  /** Makes a call whose body was taken. */
  private void run(InboundRequest request, Loop loop) {
    var answer = joinable.lasting(loop, request.id());
    running.put(request.id(), new Running(answer, request.input().body().length));
    launcher.launch(request, answer, () -> ended(request.id(), refusedAs(answer)));
  }

  /**
   * The verdict of a call that did not begin: what it was told, which may be to come back later.
   */
  private static String refusedAs(SharedAnswer answer) {
    var told = answer.stored();
    if (told != null) {
      for (var header : told.headers()) {
        if (header.getKey().equals("x-mainstay-verdict")) {
          return header.getValue();
        }
      }
    }
    return "LOGIC/invalid_request";
  }

  /** A call has ended. */
  void ended(CallRecord call) {
    ended(call.id(), call.verdict());
  }

  private void ended(String call, @Nullable String verdict) {
    var ended = running.remove(call);
    if (ended == null || state == null) {
      return;
    }
    var answer = ended.answer();
    // What a closing gateway breaks off, the next process makes again.
    if (verdict == null || !closing) {
      state.keptCalls().ended(call, verdict, answer.stored(), clock.instant());
      if (verdict != null) {
        deadLetter(call, verdict);
      }
    }
    answer.close();
    pending.give(ended.bytes());
  }

  private void deadLetter(String call, String verdict) {
    LOG.warn(
        "{} {}: Mainstay keeps it as a dead letter until a person redrives or discards it",
        call,
        verdict);
    // One cause for all of them: an outage makes thousands.
    alerts.raise(
        Alerts.Topic.DEAD_LETTER,
        "dead letters " + verdict,
        "Durable call %s failed with %s. Mainstay keeps it as a dead letter"
            .formatted(call, verdict));
  }

  /** From now on calls that fail do so because the gateway closes. */
  void closing() {
    closing = true;
  }

  /** Makes the calls that a process accepted which died before it ended them. */
  void recover() {
    if (state == null || closing) {
      return;
    }
    state
        .keptCalls()
        .adopt(ADOPTED_AT_ONCE)
        .thenAccept(
            left -> {
              left.forEach(this::recover);
              if (left.size() == ADOPTED_AT_ONCE) {
                recover();
              }
            });
  }

  private void recover(KeptCalls.Unfinished left) {
    if (!left.async()) {
      // Its client is gone: whether it is still wanted, a person knows.
      keptCalls().ended(left.call(), "TRANSIENT/cancelled", null, clock.instant());
      deadLetter(left.call(), "TRANSIENT/cancelled");
      return;
    }
    pending.whenItFits(
        left.bytes(),
        () ->
            keptCalls()
                .find(left.call())
                .whenComplete(
                    (found, failed) -> {
                      if (closing || found == null || found.isEmpty()) {
                        pending.give(left.bytes());
                        if (failed != null) {
                          keptCalls().giveBack(left.call());
                        }
                      } else {
                        LOG.info(
                            "Mainstay repeats call {}: the last process accepted it and did not end"
                                + " it",
                            left.call());
                        again(left.call(), found.getFirst().request());
                      }
                    }));
  }

  /** Makes a call whose body was taken. */
  private void again(String call, KeptCalls.Request kept) {
    var loop = loops.next();
    loop.execute(
        () -> {
          try {
            run(reader.read(call, kept), loop);
          } catch (IllegalArgumentException e) {
            LOG.warn("Mainstay cannot repeat call {}: {}", call, e.getMessage());
            keptCalls().ended(call, "LOGIC/invalid_request", null, clock.instant());
            deadLetter(call, "LOGIC/invalid_request");
            pending.give(kept.body().length);
          }
        });
  }

  private KeptCalls keptCalls() {
    if (state == null) {
      throw new IllegalStateException("there is no store");
    }
    return state.keptCalls();
  }

  /** Makes the call of a dead letter; at most once. The id of that call, or nothing. */
  public CompletionStage<List<String>> redrive(String letter) {
    var as = newId.get();
    var now = clock.instant();
    return keptCalls()
        .redrive(letter, as, now, now.plus(KEPT))
        .thenApply(
            taken -> {
              for (var kept : taken) {
                pending.add(kept.request().body().length);
                again(as, kept.request());
              }
              return taken.isEmpty() ? List.of() : List.of(as);
            });
  }
}
