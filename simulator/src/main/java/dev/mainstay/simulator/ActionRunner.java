package dev.mainstay.simulator;

import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Exchange;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Does one action after the other on an exchange's loop, until all are done or the client has left.
 */
final class ActionRunner {
  private final Exchange exchange;
  private final List<Action> actions;
  private final RequestLog.Entry entry;
  private int next;
  private @Nullable Cancellable pause;

  ActionRunner(Exchange exchange, List<Action> actions, RequestLog.Entry entry) {
    this.exchange = exchange;
    this.actions = actions;
    this.entry = entry;
  }

  void play() {
    exchange.onGone(
        () -> {
          if (pause != null) pause.cancel();
          entry.ended(Received.Ending.CLIENT_LEFT);
        });
    exchange.onOver(
        whole -> {
          if (whole) entry.ended(Received.Ending.ANSWERED);
        });
    exchange.onWritable(this::go);
    go();
  }

  private void go() {
    if (pause != null) return;
    while (next < actions.size() && !exchange.over()) {
      Action action = actions.get(next);
      if (action instanceof Action.Send && !exchange.writable()) return;
      next++;
      switch (action) {
        case Action.Head head -> {
          entry.status(head.status());
          exchange.begin(head.status(), headers(head.headers()));
          exchange.flush();
        }
        case Action.Send send -> {
          exchange.write(Unpooled.wrappedBuffer(send.bytes()));
          // An event a packet: what is simulated is a model that speaks word by word.
          exchange.flush();
          entry.event();
        }
        case Action.Raw raw -> exchange.writeRaw(Unpooled.wrappedBuffer(raw.bytes()));
        case Action.Pause wait -> {
          pause =
              exchange
                  .loop()
                  .schedule(
                      wait.lasting(),
                      () -> {
                        pause = null;
                        go();
                      });
          return;
        }
        case Action.Hang _ -> {
          return;
        }
        case Action.Finish _ -> exchange.end();
        case Action.Abort _ -> {
          entry.ended(Received.Ending.CUT);
          exchange.abort();
        }
        case Action.Reset _ -> {
          entry.ended(Received.Ending.RESET);
          exchange.reset();
        }
      }
    }
  }

  private static HttpHeaders headers(Map<String, String> from) {
    var headers = new DefaultHttpHeaders();
    from.forEach(headers::set);
    return headers;
  }
}
