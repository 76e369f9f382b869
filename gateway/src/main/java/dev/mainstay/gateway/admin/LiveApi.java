package dev.mainstay.gateway.admin;

import dev.mainstay.gateway.api.ApiAnswers;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.api.TypedBody;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.ServerSentEvents;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.run.RunStore.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /api/live}: calls and runs as they change, as server-sent events. A listener holds its
 * place in the {@link LiveFeed} and nothing else; one that reads slowly gets {@code resync} in
 * place of what it missed, and should ask the lists anew.
 */
public final class LiveApi {
  /** Between two looks for news. */
  private static final Duration LOOK = Duration.ofMillis(250);

  /** A connection on which nothing was said for so long may be closed on the way. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  private static final String EVENTS = "text/event-stream";
  private static final int MOST_LISTENERS = 200;
  private static final int AT_ONCE = 100;

  private final LiveFeed feed;
  private final RunPoller runs;
  private final Predicate<Exchange> admitted;
  private final AtomicInteger listeners = new AtomicInteger();

  /**
   * @param admitted whether whoever asked may still see it: sessions end
   */
  public LiveApi(LiveFeed feed, RunPoller runs, Predicate<Exchange> admitted) {
    this.feed = feed;
    this.runs = runs;
    this.admitted = admitted;
  }

  /** A run that is there or has changed. */
  record RunChange(
      String run,
      String agent,
      @Nullable String client,
      @Nullable String parent,
      String status,
      Instant startedAt,
      @Nullable Instant endedAt) {
    static RunChange of(Run run) {
      return new RunChange(
          run.id(),
          run.origin().agent(),
          run.origin().client().isEmpty() ? null : run.origin().client(),
          run.origin().parent(),
          run.outcome() == null ? run.status().name().toLowerCase(Locale.ROOT) : run.outcome(),
          run.acceptedAt(),
          run.endedAt());
    }
  }

  public Route route() {
    return Route.get(
            "/api/live",
            Role.VIEWER,
            "live",
            "Server-sent events: call.started, call.attempted, call.ended, run, and resync after"
                + " missed events. Last-Event-ID resumes the stream. It covers the calls of this"
                + " gateway",
            (Route.Handler.OnLoop) (exchange, asked) -> start(exchange))
        .gives(CallJson.Started.class, EVENTS)
        .gives(LiveFeed.Attempted.class, EVENTS)
        .gives(CallJson.Call.class, EVENTS)
        .gives(RunChange.class, EVENTS)
        .gives(TypedBody.Nothing.class, EVENTS);
  }

  private void start(Exchange exchange) {
    if (listeners.incrementAndGet() > MOST_LISTENERS) {
      listeners.decrementAndGet();
      ApiAnswers.error(exchange, 503, "too many clients listen already; close an open page");
      return;
    }
    new Listener(exchange).begin();
  }

  private final class Listener {
    private final Exchange exchange;
    private long at;
    private boolean missed;
    private Duration silent = Duration.ZERO;
    private @Nullable Cancellable look;

    Listener(Exchange exchange) {
      this.exchange = exchange;
    }

    void begin() {
      resume(exchange.headers().get("last-event-id"));
      runs.join();
      exchange.onOver(
          whole -> {
            listeners.decrementAndGet();
            runs.leave();
            if (look != null) {
              look.cancel();
            }
          });
      if (ServerSentEvents.begin(exchange)) {
        look();
      }
    }

    private void resume(@Nullable String last) {
      at = feed.next();
      if (last == null) {
        return;
      }
      int dash = last.indexOf('-');
      if (dash > 0 && last.substring(0, dash).equals(feed.epoch()) && number(last, dash)) {
        at = Long.parseLong(last, dash + 1, last.length(), 10) + 1;
      } else {
        missed = true;
      }
    }

    private boolean number(String last, int dash) {
      return last.substring(dash + 1).matches("\\d{1,18}");
    }

    private void look() {
      if (exchange.over()) {
        return;
      }
      if (exchange.writable()) {
        read();
      }
      if (exchange.draining()) {
        exchange.end();
        return;
      }
      if (silent.compareTo(QUIET) >= 0) {
        silent = Duration.ZERO;
        if (!admitted.test(exchange)) {
          ServerSentEvents.write(exchange, "event: signed_out\ndata: {}\n\n");
          exchange.end();
          return;
        }
        ServerSentEvents.write(exchange, ": nothing happened\n\n");
      }
      silent = silent.plus(LOOK);
      look = exchange.loop().schedule(LOOK, this::look);
    }

    private void read() {
      var events = missed ? null : feed.from(at, AT_ONCE);
      if (events == null) {
        missed = false;
        at = feed.next();
        ServerSentEvents.write(
            exchange, "event: resync\nid: " + feed.epoch() + "-" + (at - 1) + "\ndata: {}\n\n");
        return;
      }
      if (events.isEmpty()) {
        return;
      }
      var text = new StringBuilder();
      for (var event : events) {
        text.append("id: ").append(feed.epoch()).append('-').append(at++);
        text.append("\nevent: ").append(name(event));
        text.append("\ndata: ").append(Json.of(shown(event))).append("\n\n");
      }
      ServerSentEvents.write(exchange, text.toString());
    }
  }

  private static String name(Object event) {
    return switch (event) {
      case CallStart _ -> "call.started";
      case LiveFeed.Attempted _ -> "call.attempted";
      case CallRecord _ -> "call.ended";
      default -> "run";
    };
  }

  private static Object shown(Object event) {
    return switch (event) {
      case CallStart call -> CallJson.of(call);
      case CallRecord call -> CallJson.of(call);
      default -> event;
    };
  }
}
