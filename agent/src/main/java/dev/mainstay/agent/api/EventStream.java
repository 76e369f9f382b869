package dev.mainstay.agent.api;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.ServerSentEvents;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run's journal as Server-Sent Events, from the beginning or behind {@code Last-Event-ID}, until
 * the run ends or this process stops: the listener then resumes elsewhere. Belongs to the
 * exchange's loop.
 */
final class EventStream {
  private static final int PAGE = 200;
  private static final Duration LOOK = Duration.ofMillis(250);

  /** A connection on which nothing was said for so long may be closed on the way. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  private final Exchange exchange;
  private final RunStore store;
  private final String run;
  private final Predicate<RunStore.Run> seen;
  private long after;

  /** Whether the run had ended when the stream began, so that nothing is added to it. */
  private boolean ended;

  private boolean gone;
  private Duration silent = Duration.ZERO;
  private @Nullable Cancellable next;

  EventStream(Exchange exchange, RunStore store, String run, Predicate<RunStore.Run> seen) {
    this.seen = seen;
    this.exchange = exchange;
    this.store = store;
    this.run = run;
  }

  void start() {
    var last = exchange.headers().get("last-event-id");
    if (last != null && !last.matches("\\d{1,18}")) {
      error(400, "invalid_event_id", "Last-Event-ID is not an offset of this stream.");
      return;
    }
    after = last == null ? 0 : Long.parseLong(last);
    exchange.onGone(
        () -> {
          gone = true;
          if (next != null) {
            next.cancel();
          }
        });
    store
        .find(run)
        .whenComplete(
            (found, failed) ->
                exchange
                    .loop()
                    .execute(
                        () -> {
                          if (found == null) {
                            error(503, "store_unavailable", "The store did not answer.");
                          } else if (found.isEmpty() || !seen.test(found.getFirst())) {
                            error(
                                404,
                                "unknown_run",
                                "Mainstay executes no run %s. GET /api/runs/%s/steps has those of a client's run."
                                    .formatted(run, run));
                          } else {
                            begin(found.getFirst());
                          }
                        }));
  }

  private void error(int status, String code, String message) {
    RunsApi.respond(exchange, Reply.error(status, code, message));
  }

  private void begin(RunStore.Run found) {
    if (after > found.entries()) {
      error(
          400,
          "invalid_event_id",
          "Last-Event-ID is %d, and the run has %d events.".formatted(after, found.entries()));
      return;
    }
    ended = found.status() == RunStore.Status.ENDED;
    if (ended && after == found.entries()) {
      // An EventSource comes back after every end of a stream; by this status it stops.
      exchange.respond(204, new DefaultHttpHeaders(), Unpooled.EMPTY_BUFFER);
      return;
    }
    if (ServerSentEvents.begin(exchange)) {
      read();
    }
  }

  private void read() {
    if (!gone) {
      store
          .read(run, after, PAGE)
          .whenComplete((page, failed) -> exchange.loop().execute(() -> write(page)));
    }
  }

  private void write(@Nullable List<RunStore.StoredEntry> page) {
    if (gone) {
      return;
    }
    if (page == null || page.isEmpty()) {
      if (ended || exchange.draining()) {
        exchange.end();
        return;
      }
      silent = silent.plus(LOOK);
      if (silent.compareTo(QUIET) >= 0) {
        silent = Duration.ZERO;
        ServerSentEvents.write(exchange, ": the run goes on\n\n");
      }
      next = exchange.loop().schedule(LOOK, this::read);
      return;
    }
    silent = Duration.ZERO;
    var text = new StringBuilder();
    for (var stored : page) {
      after = stored.sequence();
      var entry = JournalJson.read(stored.entry());
      text.append("id: ").append(after).append("\nevent: ").append(RunJson.type(entry.getClass()));
      text.append("\ndata: ").append(Tree.write(RunJson.event(entry))).append("\n\n");
      if (entry instanceof JournalEntry.Ended) {
        ServerSentEvents.write(exchange, text.toString());
        exchange.end();
        return;
      }
    }
    ServerSentEvents.write(exchange, text.toString());
    if (exchange.writable()) {
      read();
    } else {
      exchange.onWritable(this::read);
    }
  }
}
