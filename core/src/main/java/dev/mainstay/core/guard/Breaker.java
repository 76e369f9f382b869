package dev.mainstay.core.guard;

import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Keeps attempts from a target that keeps failing. Thread-safe; reads no clock.
 *
 * <ul>
 *   <li><b>Closed</b>: every attempt is admitted. It opens after so many failures in a row, or when
 *       failures are too large a share of enough requests within the window.
 *   <li><b>Open</b>: every attempt is refused until the open time has passed.
 *   <li><b>Half open</b>: exactly one attempt is admitted, the probe. Its success closes the
 *       breaker; its failure opens it for twice as long, up to the longest; a probe whose client
 *       left is given back and the next attempt becomes the probe.
 * </ul>
 *
 * <p>Only what the provider has to answer for is a failure ({@link #countsAgainst}). What it
 * rightly refused (a caller's mistake, a rate limit, a bad key) shows that it works: such a probe
 * closes the breaker, and in a closed one it counts neither way. What an attempt reports that was
 * admitted before the last change of state is not counted, because it tells of the state before.
 */
public final class Breaker {
  /** When to ask again while the probe is out; its end cannot be foreseen. */
  private static final long PROBE_IS_OUT_NANOS = 1_000_000_000L;

  /** The slots of the window; with 10 s each is a second, as in Resilience4j's. */
  private static final int SLOTS = 10;

  /** What a breaker is doing. */
  public enum State {
    CLOSED,
    OPEN,
    HALF_OPEN
  }

  /**
   * A breaker at one instant.
   *
   * @param reason why it opened; empty when closed
   * @param nextProbeNanos when the next probe may go, or null when closed or the probe is out
   * @param consecutiveFailures in a row, when closed
   * @param requests within the window, when closed
   * @param failures of them, when closed
   */
  public record Snapshot(
      State state,
      String reason,
      @Nullable Long nextProbeNanos,
      int consecutiveFailures,
      int requests,
      int failures) {}

  private sealed interface Phase {}

  private static final class Closed implements Phase {
    final Admission.Admitted ticket = new Admission.Admitted(false);
    final Window window;
    int consecutive;

    Closed(BreakerSettings settings) {
      window = new Window(settings.within().toNanos() / SLOTS, SLOTS);
    }
  }

  private record Open(long untilNanos, long openNanos, String reason) implements Phase {}

  private record HalfOpen(Admission.@Nullable Admitted probe, long openNanos, String reason)
      implements Phase {}

  private final BreakerSettings settings;
  private Phase phase;

  public Breaker(BreakerSettings settings) {
    this.settings = settings;
    phase = new Closed(settings);
  }

  /** Whether {@code verdict} is a failure of the target that a breaker counts. */
  public static boolean countsAgainst(Verdict verdict) {
    if (verdict.blame() != Blame.PROVIDER && verdict.blame() != Blame.NETWORK) {
      return false;
    }
    return switch (verdict.kind()) {
      case OVERLOADED,
          SERVER_ERROR,
          BAD_GATEWAY,
          TIMEOUT,
          CONNECTION_RESET,
          CONNECTION_REFUSED,
          DNS,
          TLS,
          STREAM_INTERRUPTED,
          STREAM_ERROR_EVENT,
          TRUNCATED_JSON,
          EMPTY_RESPONSE ->
          true;
      case RATE_LIMIT,
          QUOTA_EXHAUSTED,
          CLIENT_CLOSED,
          AUTH,
          PERMISSION,
          BILLING,
          NOT_FOUND_MODEL,
          NOT_FOUND,
          CONTEXT_LENGTH,
          MAX_TOKENS_PARAM,
          CONTENT_FILTER,
          INVALID_REQUEST,
          INVALID_TOOL_SCHEMA,
          INVALID_TOOL_CALL,
          TOOL_HISTORY_MISMATCH,
          UNSUPPORTED_PARAMETER,
          UNSUPPORTED_MODALITY_IMAGE,
          IMAGE_TOO_LARGE,
          PAYLOAD_TOO_LARGE,
          MODEL_BEHAVIOR,
          OUTPUT_PARSE,
          REGION,
          SAFETY_REFUSAL,
          CONFLICT,
          PRECONDITION,
          NOT_IMPLEMENTED,
          CANCELLED,
          BUDGET_EXCEEDED,
          OTHER ->
          false;
    };
  }

  /** Whether an attempt would be admitted now; takes nothing. */
  public synchronized Availability availability(long nowNanos) {
    return switch (phase) {
      case Closed _ -> Availability.READY;
      case Open open ->
          nowNanos - open.untilNanos >= 0
              ? Availability.READY
              : new Availability.Resting(open.untilNanos, Availability.By.BREAKER, open.reason);
      case HalfOpen half ->
          half.probe == null
              ? Availability.READY
              : new Availability.Resting(
                  nowNanos + PROBE_IS_OUT_NANOS, Availability.By.BREAKER, half.reason);
    };
  }

  /** Asks to make an attempt; in a half-open breaker this takes the probe. */
  public synchronized Admission admit(long nowNanos) {
    return switch (phase) {
      case Closed closed -> closed.ticket;
      case Open open ->
          nowNanos - open.untilNanos >= 0
              ? probe(open.openNanos, open.reason)
              : new Admission.Refused(open.untilNanos, open.reason);
      case HalfOpen half ->
          half.probe == null
              ? probe(half.openNanos, half.reason)
              : new Admission.Refused(
                  nowNanos + PROBE_IS_OUT_NANOS, "its probe is out: " + half.reason);
    };
  }

  private Admission probe(long openNanos, String reason) {
    var ticket = new Admission.Admitted(true);
    phase = new HalfOpen(ticket, openNanos, reason);
    return ticket;
  }

  /**
   * Whether {@code ticket} still lets its attempt be made: the state is the one that admitted it.
   * For attempts that wait for something else between their admission and their request.
   */
  public synchronized boolean holds(Admission.Admitted ticket) {
    return switch (phase) {
      case Closed closed -> closed.ticket == ticket;
      case HalfOpen half -> half.probe == ticket;
      case Open _ -> false;
    };
  }

  /** The attempt did what was asked; a probe's at its first token. */
  public synchronized void succeeded(Admission.Admitted ticket, long nowNanos) {
    switch (phase) {
      case Closed closed when closed.ticket == ticket -> {
        closed.consecutive = 0;
        closed.window.addFirst(nowNanos);
        // A late success can be what makes the requests enough for the share to speak.
        openIfTooMany(closed, nowNanos);
      }
      case HalfOpen half when half.probe == ticket -> phase = new Closed(settings);
      case Closed _, Open _, HalfOpen _ -> {}
    }
  }

  /**
   * The attempt failed; whether that counts, the verdict says.
   *
   * @return whether it opened the breaker
   */
  public synchronized boolean failed(Admission.Admitted ticket, Verdict verdict, long nowNanos) {
    var before = phase;
    boolean counts = countsAgainst(verdict);
    switch (phase) {
      case Closed closed when closed.ticket == ticket -> {
        if (counts) {
          closed.consecutive++;
          closed.window.addFirst(nowNanos);
          closed.window.addSecond(nowNanos);
          openIfTooMany(closed, nowNanos);
        }
      }
      case HalfOpen half when half.probe == ticket -> {
        if (counts) {
          long longer =
              half.openNanos > settings.maxOpen().toNanos() / 2
                  ? settings.maxOpen().toNanos()
                  : half.openNanos * 2;
          open(longer, "the probe failed with " + verdict.kind().wireName(), nowNanos);
        } else if (tellsNothing(verdict)) {
          phase = new HalfOpen(null, half.openNanos, half.reason);
        } else {
          phase = new Closed(settings);
        }
      }
      case Closed _, Open _, HalfOpen _ -> {}
    }
    return phase != before && phase instanceof Open;
  }

  /** Another process saw the target fail: a closed breaker opens for that long, as its did. */
  public synchronized void openedElsewhere(long openNanos, String reason, long nowNanos) {
    if (phase instanceof Closed && openNanos > 0) {
      open(
          Math.min(openNanos, settings.maxOpen().toNanos()),
          reason + ", at another gateway",
          nowNanos);
    }
  }

  /** Ours or the client's doing: the provider may never have seen the request. */
  private static boolean tellsNothing(Verdict verdict) {
    return switch (verdict.kind()) {
      case CANCELLED, CLIENT_CLOSED -> true;
      default ->
          verdict.blame() == Blame.GATEWAY
              || (verdict.blame() == Blame.NETWORK && verdict.failureClass() == FailureClass.FATAL);
    };
  }

  /** Nothing was learned of the target: the client left, or the attempt was not made after all. */
  public synchronized void released(Admission.Admitted ticket) {
    if (phase instanceof HalfOpen half && half.probe == ticket) {
      phase = new HalfOpen(null, half.openNanos, half.reason);
    }
  }

  /** Closes it, whatever it has seen; for a person. */
  public synchronized void reset() {
    phase = new Closed(settings);
  }

  public synchronized Snapshot snapshot(long nowNanos) {
    return switch (phase) {
      case Closed closed ->
          new Snapshot(
              State.CLOSED,
              "",
              null,
              closed.consecutive,
              closed.window.first(nowNanos),
              closed.window.second(nowNanos));
      case Open open -> new Snapshot(State.OPEN, open.reason, open.untilNanos, 0, 0, 0);
      case HalfOpen half ->
          new Snapshot(State.HALF_OPEN, half.reason, half.probe == null ? nowNanos : null, 0, 0, 0);
    };
  }

  private void openIfTooMany(Closed closed, long nowNanos) {
    int requests = closed.window.first(nowNanos);
    int failures = closed.window.second(nowNanos);
    if (closed.consecutive >= settings.consecutiveFailures()) {
      open(settings.open().toNanos(), closed.consecutive + " failures in a row", nowNanos);
    } else if (requests >= settings.ofAtLeast() && failures >= settings.failureRate() * requests) {
      open(
          settings.open().toNanos(),
          failures
              + " of "
              + requests
              + " requests failed within "
              + settings.within().toSeconds()
              + " s",
          nowNanos);
    }
  }

  private void open(long openNanos, String reason, long nowNanos) {
    phase = new Open(nowNanos + openNanos, openNanos, reason);
  }
}
