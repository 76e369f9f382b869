package dev.mainstay.gateway.telemetry;

import dev.mainstay.call.api.CallDecision;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.ledger.CallRecord;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/**
 * A line in the log for each decision about a call other than its first success, for each request
 * that the gateway refused, and, at DEBUG, for each call that has ended. Every line begins with the
 * call's id, which leads to all the rest. Written by a thread of its own, since a terminal may be
 * slow; when an outage makes lines faster than they can be written, lines are left out and counted.
 * Thread-safe; never blocks.
 */
public final class CallLogLines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("dev.mainstay.calls");

  /** Lines that may wait. */
  private static final int ROOM = 1000;

  private record Line(Level level, String text, Map<String, @Nullable String> about) {}

  private final ArrayBlockingQueue<Line> queue = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLong leftOut = new AtomicLong();
  private final Thread thread;
  private volatile boolean closed;

  public CallLogLines() {
    thread = Thread.ofVirtual().name("mainstay-call-log").start(this::run);
  }

  /** Something about a call did not go well, and a decision was made. */
  public void decided(CallDecision made) {
    var level = level(made);
    if (!LOG.isEnabledForLevel(level)) {
      return;
    }
    var cause = made.cause();
    var about = new LinkedHashMap<String, @Nullable String>();
    about.put("call", made.call());
    about.put("verdict", cause == null ? null : cause.verdict());
    about.put("target", cause == null ? made.next() : cause.target());
    about.put("decision", made.decision());
    offer(new Line(level, text(made), about));
  }

  /** A retry is routine, and so is what its caller has to mend; the rest costs time or money. */
  static Level level(CallDecision made) {
    var cause = made.cause();
    return switch (made.decision()) {
      case "retry" -> made.restart() ? Level.WARN : Level.INFO;
      case "give_up" -> cause != null && cause.callers() ? Level.INFO : Level.WARN;
      case "proceed", "fallback", "continue" -> Level.WARN;
      default -> Level.INFO;
    };
  }

  /** For example: {@code call_… TRANSIENT/overloaded at a/m: …; fallback to b/m, …}. */
  static String text(CallDecision made) {
    var text = new StringBuilder(160).append(made.call());
    var cause = made.cause();
    if (cause != null) {
      text.append(' ').append(cause.verdict());
      if (cause.target() != null) {
        text.append(" at ").append(cause.target());
      }
      text.append(": ").append(unended(cause.because())).append(';');
    }
    text.append(' ').append(made.decision());
    if (made.next() != null) {
      text.append(made.decision().equals("retry") ? " at " : " to ").append(made.next());
    }
    text.append(made.attempt() == 0 ? " before attempt 1" : " after attempt " + made.attempt());
    text.append(" of ").append(made.of());
    if (!made.waits().isZero()) {
      text.append(", waiting ").append(seconds(made.waits()));
    }
    return text.append(": ").append(made.reason()).toString();
  }

  /** A sentence that goes on. */
  private static String unended(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  private static String seconds(Duration time) {
    return time.toMillis() < 1000
        ? time.toMillis() + " ms"
        : String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }

  /**
   * A request was refused.
   *
   * @param unrecorded how many like it were refused since the last line about one; -1: there are
   *     too many for a line each
   */
  public void refused(CallRecord call, CallRefusal refusal, long unrecorded) {
    if (unrecorded < 0 || !LOG.isInfoEnabled()) {
      return;
    }
    var about = about(call);
    var more =
        unrecorded == 0
            ? ""
            : " (Mainstay counted %d more of these without a record)".formatted(unrecorded);
    offer(
        new Line(
            refusal.blame().equals("gateway") ? Level.WARN : Level.INFO,
            "%s %s: refused with %d before any attempt, %s%s: %s%s"
                .formatted(
                    call.id(),
                    call.verdict(),
                    call.status(),
                    call.client() == null ? "no client" : "client " + call.client(),
                    call.modelAsked() == null ? "" : ", model " + call.modelAsked(),
                    refusal.message(),
                    more),
            about));
  }

  /** A call has ended. */
  public void ended(CallRecord call) {
    if (LOG.isDebugEnabled()) {
      var verdict = call.verdict();
      offer(
          new Line(
              Level.DEBUG,
              "%s %s: status %d, %s, %d ms"
                  .formatted(
                      call.id(),
                      verdict == null ? "was answered" : "failed with " + verdict,
                      call.status(),
                      call.attempts() == 1 ? "1 attempt" : call.attempts() + " attempts",
                      call.total().toMillis()),
              about(call)));
    }
  }

  private static Map<String, @Nullable String> about(CallRecord call) {
    var about = new LinkedHashMap<String, @Nullable String>();
    about.put("call", call.id());
    about.put("verdict", call.verdict());
    about.put("target", call.target());
    about.put("client", call.client());
    about.put("run", call.run());
    return about;
  }

  private void offer(Line line) {
    if (!queue.offer(line)) {
      leftOut.incrementAndGet();
    }
  }

  private void run() {
    try {
      while (!closed || !queue.isEmpty()) {
        var line = queue.poll(200, TimeUnit.MILLISECONDS);
        if (line != null) {
          write(line);
        }
        long lost = queue.isEmpty() ? leftOut.getAndSet(0) : 0;
        if (lost > 0) {
          LOG.warn("Mainstay left out {} more lines about calls; the ledger has the calls", lost);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(Line line) {
    line.about().forEach(CallLogLines::say);
    try {
      LOG.atLevel(line.level()).log("{}", line.text());
    } finally {
      line.about().keySet().forEach(MDC::remove);
    }
  }

  private static void say(String name, @Nullable String value) {
    if (value != null) {
      MDC.put(name, value);
    }
  }

  /** Writes what waits. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
