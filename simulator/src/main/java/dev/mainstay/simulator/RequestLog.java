package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The last requests, up to {@link #MOST} of them and {@link #MOST_BYTES} of their bodies. May be
 * used from any thread.
 */
final class RequestLog {
  private static final int MOST = 10_000;
  private static final long MOST_BYTES = 64L << 20;
  private static final int MOST_OF_ONE = 1 << 20;
  private static final Set<String> SECRET =
      Set.of(
          "authorization",
          "x-api-key",
          "api-key",
          "x-goog-api-key",
          "cookie",
          "proxy-authorization");

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private int number;

  synchronized Entry add(
      Exchange exchange, Format format, SimulatedRequest ask, String key, String step) {
    ByteBuf body = exchange.body();
    var entry =
        new Entry(
            ++number,
            exchange,
            format.label(),
            ask,
            key.isEmpty() ? "" : hash(key.getBytes(StandardCharsets.UTF_8)),
            body,
            step);
    entries.add(entry);
    bytes += entry.request.body().length();
    while (entries.size() > MOST || bytes > MOST_BYTES)
      bytes -= entries.remove().request.body().length();
    return entry;
  }

  synchronized List<Received> all() {
    return entries.stream().map(Entry::received).toList();
  }

  synchronized void clear() {
    entries.clear();
    bytes = 0;
    number = 0;
  }

  static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** A request while it is being answered: its loop writes, anyone reads. */
  static final class Entry {
    private final int number;
    private final Instant at = Instant.now();
    private final long since = System.nanoTime();
    private final Received.Request request;
    private final Received.Delivery delivery;
    private final String step;
    private volatile int status;
    private volatile int events;
    private volatile long until;
    private volatile Received.Ending ending = Received.Ending.RUNNING;

    private Entry(
        int number,
        Exchange exchange,
        String dialect,
        SimulatedRequest ask,
        String key,
        ByteBuf body,
        String step) {
      this.number = number;
      this.step = step;
      byte[] all = new byte[body.readableBytes()];
      body.getBytes(body.readerIndex(), all);
      this.request =
          new Received.Request(
              dialect,
              ask.provider(),
              ask.model(),
              ask.stream(),
              new String(all, 0, Math.min(all.length, MOST_OF_ONE), StandardCharsets.UTF_8));
      String query = exchange.query().replaceAll("(^|&)key=[^&]*", "$1key=…");
      this.delivery =
          new Received.Delivery(
              exchange.path() + (query.isEmpty() ? "" : "?" + query),
              key,
              headers(exchange),
              hash(all));
    }

    private static Map<String, String> headers(Exchange exchange) {
      var headers = new TreeMap<String, String>();
      for (var header : exchange.headers()) {
        String name = header.getKey().toLowerCase(Locale.ROOT);
        String value = header.getValue();
        headers.merge(
            name,
            SECRET.contains(name) ? hash(value.getBytes(StandardCharsets.UTF_8)) : value,
            (one, other) -> one + ", " + other);
      }
      return Map.copyOf(headers);
    }

    void status(int sent) {
      status = sent;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Only the exchange's loop writes.
    void event() {
      events++;
    }

    void ended(Received.Ending how) {
      if (ending != Received.Ending.RUNNING) return;
      until = System.nanoTime();
      ending = how;
    }

    Received received() {
      Received.Ending how = ending;
      long last = how == Received.Ending.RUNNING ? System.nanoTime() : until;
      return new Received(
          number,
          at,
          request,
          delivery,
          new Received.Progress(step, status, events, how, (last - since) / 1_000_000));
    }
  }
}
