package dev.mainstay.gateway.telemetry;

import dev.mainstay.ledger.CallRecord;
import java.util.LinkedHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * A line in the log for each call that ended in an error, and for every call at DEBUG, with the
 * call's id, which leads to all the rest. Written by a thread of its own, since a terminal may be
 * slow; when an outage fails calls faster than lines can be written, lines are left out and
 * counted. Thread-safe; never blocks.
 */
public final class CallLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("dev.mainstay.calls");

  /** Lines that may wait. */
  private static final int ROOM = 1000;

  private final ArrayBlockingQueue<CallRecord> queue = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLong leftOut = new AtomicLong();
  private final Thread thread;
  private volatile boolean closed;

  public CallLog() {
    thread = Thread.ofVirtual().name("mainstay-call-log").start(this::run);
  }

  /** A call has ended. */
  public void ended(CallRecord call) {
    if ((failed(call) ? LOG.isInfoEnabled() : LOG.isDebugEnabled()) && !queue.offer(call)) {
      leftOut.incrementAndGet();
    }
  }

  private void run() {
    try {
      while (!closed || !queue.isEmpty()) {
        var call = queue.poll(200, TimeUnit.MILLISECONDS);
        if (call != null) {
          write(call);
        }
        long lost = queue.isEmpty() ? leftOut.getAndSet(0) : 0;
        if (lost > 0) {
          LOG.info("{} more calls ended, see the ledger", lost);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(CallRecord call) {
    var verdict = call.verdict();
    var about = new LinkedHashMap<String, @Nullable String>();
    about.put("call", call.id());
    about.put("verdict", verdict);
    about.put("target", call.target());
    about.put("client", call.client());
    about.put("run", call.run());
    about.forEach(CallLog::say);
    try {
      var outcome = verdict == null ? "was answered" : "failed with " + verdict;
      var format = "{} {}: status {}, {}, {} ms";
      Object[] values = {
        call.id(),
        outcome,
        call.status(),
        call.attempts() == 1 ? "1 attempt" : call.attempts() + " attempts",
        call.total().toMillis()
      };
      if (failed(call)) {
        LOG.info(format, values);
      } else {
        LOG.debug(format, values);
      }
    } finally {
      about.keySet().forEach(MDC::remove);
    }
  }

  private static void say(String name, @Nullable String value) {
    if (value != null) {
      MDC.put(name, value);
    }
  }

  /** A client that left is none of ours to tell of. */
  private static boolean failed(CallRecord call) {
    return call.verdict() != null && call.status() != 499;
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
