package dev.mainstay.engine;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.wire.Dialect;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests before any attempt, and records that: a row under the call id that the client
 * gets, a metric and a log line. Thread-safe; never blocks.
 *
 * <p>A flood of refusals must not fill the disk: of each client and reason, {@value #BURST} are
 * recorded at once and one a second after that. Metrics count all of them, and the next recorded
 * one says how many came before it unrecorded.
 */
public final class Refusals {
  /** Rows of one client and reason before their rate is limited. */
  static final int BURST = 100;

  private static final long REFILL_NANOS = Duration.ofSeconds(1).toNanos();

  /** Clients times reasons that have an allowance of their own; the rest share one. */
  private static final int MOST_SOURCES = 1000;

  /**
   * The request that is refused, as far as it was read.
   *
   * @param call the id its client gets
   * @param path what was asked of the gateway, without query
   * @param client the name of its client, or null
   * @param model as the client wrote it, or null where it was not read
   * @param bodies whether the answer may be recorded
   */
  public record Request(
      String call,
      Dialect dialect,
      String path,
      @Nullable String client,
      @Nullable String model,
      @Nullable String run,
      @Nullable String parent,
      boolean stream,
      boolean bodies) {

    /** A request of which only its head was read. */
    public static Request unread(
        String call, Dialect dialect, String path, @Nullable Client client) {
      return new Request(
          call,
          dialect,
          path,
          client == null ? null : client.name(),
          null,
          null,
          null,
          false,
          true);
    }

    static Request of(InboundRequest request) {
      var origin = request.origin();
      return new Request(
          request.id(),
          request.dialect(),
          origin.path(),
          origin.client() == null ? null : origin.client().name(),
          request.input().model(),
          origin.run(),
          origin.parent(),
          request.input().stream(),
          request.record());
    }
  }

  private static final class Allowance {
    long rows = BURST;
    long refilledNanos;
    long unrecorded;

    Allowance(long now) {
      refilledNanos = now;
    }

    boolean take(long now) {
      long more = Math.min(BURST, (now - refilledNanos) / REFILL_NANOS);
      if (more > 0) {
        rows = Math.min(BURST, rows + more);
        refilledNanos = now;
      }
      if (rows == 0) {
        unrecorded++;
        return false;
      }
      rows--;
      return true;
    }
  }

  private final Recorder recorder;
  private final EngineListener listener;
  private final Supplier<Config> config;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Map<String, Allowance> allowances = new HashMap<>();

  Refusals(
      Recorder recorder,
      EngineListener listener,
      Supplier<Config> config,
      InstantSource clock,
      LongSupplier nanos) {
    this.recorder = recorder;
    this.listener = listener;
    this.config = config;
    this.clock = clock;
    this.nanos = nanos;
  }

  /** Records the refusal, and answers {@code to} with it. */
  void refuse(CallRefusal refusal, InboundRequest request, Recipient to) {
    refuse(refusal, Request.of(request), to);
  }

  /** Records the refusal, and answers {@code to} with it. */
  void refuse(CallRefusal refusal, Request request, Recipient to) {
    var body = refusal.body(request.dialect(), request.call());
    try {
      record(refusal, request, body);
    } finally {
      refusal.send(to, request.call(), body);
    }
  }

  private void record(CallRefusal refusal, Request request, byte[] body) {
    var call = row(refusal, request);
    long before = allowed(refusal.code() + ' ' + request.client());
    if (before >= 0) {
      boolean bodies = request.bodies() && config.get().recording().bodies();
      recorder.record(
          call, List.of(), bodies ? List.of(new Body(0, Body.Part.RESPONSE, body)) : List.of());
    }
    listener.refused(call, refusal, before);
  }

  /** How many were not recorded since the last one that was; -1: neither is this one. */
  private long allowed(String source) {
    long now = nanos.getAsLong();
    synchronized (allowances) {
      var mine =
          allowances.size() < MOST_SOURCES || allowances.containsKey(source) ? source : "others";
      var allowance = allowances.computeIfAbsent(mine, _ -> new Allowance(now));
      if (!allowance.take(now)) {
        return -1;
      }
      long before = allowance.unrecorded;
      allowance.unrecorded = 0;
      return before;
    }
  }

  private CallRecord row(CallRefusal refusal, Request request) {
    return new CallRecord(
        new CallStart(
            request.call(),
            cut(request.run()),
            cut(request.parent()),
            request.client(),
            clock.instant(),
            request.dialect().label(),
            String.valueOf(cut(request.path())),
            cut(request.model()),
            request.stream()),
        new CallRecord.Outcome(
            null,
            refusal.status(),
            refusal.failureClass() + "/" + refusal.kind().wireName(),
            List.of(),
            0,
            null,
            Duration.ZERO),
        new CallRecord.Cost(null, null, null));
  }

  /** What is refused may be refused for the length of its names. */
  private static @Nullable String cut(@Nullable String text) {
    return text == null || text.length() <= InboundRequest.LONGEST_NAME
        ? text
        : text.substring(0, InboundRequest.LONGEST_NAME);
  }
}
