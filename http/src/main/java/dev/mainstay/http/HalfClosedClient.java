package dev.mainstay.http;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a client that sends no more has left, or only closed its half and waits for its
 * answer: TCP says the same of both. A client that has left resets the connection for whatever is
 * sent to it, so something is sent to it that changes nothing, again and again.
 */
final class HalfClosedClient {
  /**
   * Pauses between probes, in ms. The first probe is answered with a reset, which the next one
   * finds: within a second for a client 500 ms away. The last pause goes on for as long as the
   * answer has not begun.
   */
  private static final long[] PAUSES = {50, 100, 250, 500};

  private final Channel channel;
  private final Supplier<@Nullable NettyExchange> waiting;

  /**
   * @param waiting the exchange whose answer the client may wait for, as long as there is one
   */
  HalfClosedClient(Channel channel, Supplier<@Nullable NettyExchange> waiting) {
    this.channel = channel;
    this.waiting = waiting;
  }

  /**
   * Probes until nothing is waited for; closes where nothing can be sent. On the channel's loop.
   */
  void probe() {
    probe(0);
  }

  private void probe(int number) {
    NettyExchange exchange = waiting.get();
    if (exchange == null || !channel.isOpen()) return;
    if (!exchange.probe(number < PAUSES.length)) {
      channel.close();
      return;
    }
    long pause = PAUSES[Math.min(number, PAUSES.length - 1)];
    channel.eventLoop().schedule(() -> probe(number + 1), pause, TimeUnit.MILLISECONDS);
  }
}
