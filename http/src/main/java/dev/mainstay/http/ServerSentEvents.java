package dev.mainstay.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.nio.charset.StandardCharsets;

/** Answers that are streams of events (html.spec.whatwg.org/multipage/server-sent-events.html). */
public final class ServerSentEvents {
  private ServerSentEvents() {}

  /**
   * Begins a stream of events, which no cache keeps. A client whose stream ends comes back after 2
   * s, to this server or another.
   *
   * @return false where the client asked for the head alone: then the answer has ended
   */
  public static boolean begin(Exchange exchange) {
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "text/event-stream");
    headers.set("cache-control", "no-store");
    exchange.begin(200, headers);
    if (exchange.method().equals("HEAD")) {
      exchange.end();
      return false;
    }
    write(exchange, "retry: 2000\n\n");
    return true;
  }

  /** Writes whole events or comments, each with the empty line that ends it. */
  public static void write(Exchange exchange, String text) {
    exchange.write(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }
}
