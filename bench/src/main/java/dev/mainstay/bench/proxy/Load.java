package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends one request again and again over a number of connections and times the answers. One thread,
 * no HTTP library: it has to cost less than what it measures, on a core that it shares with the
 * upstream.
 *
 * <p>Closed: each connection sends its next request when the last answer has ended. Open: requests
 * are due at a fixed rate whatever becomes of them, and each is timed from when it was due, so that
 * a stall counts for all that had to wait for it.
 */
final class Load implements AutoCloseable {
  /** Beyond so many due requests without a free connection, the rest is counted as not sent. */
  private static final int MOST_WAITING = 20_000;

  /**
   * What came of it.
   *
   * @param answered with status 200, whole
   * @param refused with status 503 and {@code retry-after}
   * @param failed otherwise, cut connections included
   * @param missed due and never sent: the client itself could not keep up, or all connections
   *     waited
   * @param total from due to the answer's last byte
   * @param first from due to the first byte of its body
   * @param refusals from due to the last byte of a refusal
   */
  record Result(
      double seconds,
      long answered,
      long refused,
      long failed,
      long missed,
      Latencies total,
      Latencies first,
      Latencies refusals) {
    double perSecond() {
      return answered / seconds;
    }
  }

  private final Selector selector;
  private final ByteBuffer request;
  private final ByteBuffer in = ByteBuffer.allocateDirect(256 << 10);
  private final List<Connection> all = new ArrayList<>();
  private final ArrayDeque<Connection> free = new ArrayDeque<>();
  private final ArrayDeque<Long> waiting = new ArrayDeque<>();
  private final InetSocketAddress address;

  private Latencies total = new Latencies();
  private Latencies first = new Latencies();
  private Latencies refusals = new Latencies();
  private long answered;
  private long refused;
  private long failed;
  private long missed;
  private boolean closed;
  private long open;
  private long enough = Long.MAX_VALUE;

  /** Where each request's number goes, or -1 where all are alike. */
  private int numberAt = -1;

  private long number;

  private final class Connection {
    final SocketChannel channel;
    final SelectionKey key;
    final ByteBuffer out = request.duplicate();
    AnswerParser parser = new AnswerParser();
    long dueAt;
    boolean busy;
    boolean told;

    Connection() throws IOException {
      channel = SocketChannel.open(address);
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    void send(long due) throws IOException {
      dueAt = due;
      busy = true;
      told = false;
      open++;
      if (numberAt >= 0) {
        // It is in the first bytes, which have left before another request's are written here.
        long left = ++number;
        for (int i = Payload.NUMBER.length() - 1; i >= 0; i--, left /= 10) {
          request.put(numberAt + i, (byte) ('0' + left % 10));
        }
      }
      out.clear();
      write();
    }

    void write() throws IOException {
      channel.write(out);
      key.interestOps(
          out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }
  }

  Load(int port, int connections, byte[] request) throws IOException {
    selector = Selector.open();
    this.request = ByteBuffer.allocateDirect(request.length).put(request);
    address = new InetSocketAddress("127.0.0.1", port);
    for (int i = 0; i < connections; i++) {
      add();
    }
  }

  /** Gives each request from now on a number of its own, so that no two bodies are the same. */
  void distinct() {
    var bytes = new byte[request.capacity()];
    request.get(0, bytes);
    numberAt = new String(bytes, StandardCharsets.US_ASCII).indexOf(Payload.NUMBER);
  }

  private Connection add() throws IOException {
    var made = new Connection();
    all.add(made);
    free.add(made);
    return made;
  }

  /** As fast as it goes, over all connections. */
  Result closed(double seconds) throws IOException {
    return run(seconds, 0);
  }

  /** As fast as it goes until {@code count} requests have been answered; what a compiler needs. */
  void warm(long count, double mostSeconds) throws IOException {
    enough = count;
    run(mostSeconds, 0);
    enough = Long.MAX_VALUE;
  }

  /** {@code rate} requests a second. */
  Result open(double seconds, double rate) throws IOException {
    return run(seconds, rate);
  }

  private Result run(double seconds, double rate) throws IOException {
    total = new Latencies();
    first = new Latencies();
    refusals = new Latencies();
    answered = refused = failed = missed = 0;
    waiting.clear();
    closed = rate == 0;
    long start = System.nanoTime();
    long end = start + (long) (seconds * 1e9);
    long sent = 0;
    if (closed) {
      for (var each = free.poll(); each != null; each = free.poll()) {
        each.send(System.nanoTime());
      }
    }
    for (long now = start; now < end && answered < enough; now = System.nanoTime()) {
      if (!closed) {
        for (; start + (long) (sent * 1e9 / rate) <= now; sent++) {
          due(start + (long) (sent * 1e9 / rate));
        }
        now = System.nanoTime();
      }
      long next = closed ? end : Math.min(end, start + (long) (sent * 1e9 / rate));
      turn(next - now);
    }
    double took = (System.nanoTime() - start) / 1e9;
    missed += waiting.size();
    waiting.clear();
    var result = new Result(took, answered, refused, failed, missed, total, first, refusals);
    settle();
    return result;
  }

  private void due(long at) throws IOException {
    var connection = free.poll();
    if (connection != null) {
      connection.send(at);
    } else if (waiting.size() < MOST_WAITING) {
      waiting.add(at);
    } else {
      missed++;
    }
  }

  /** Handles what is ready, waiting for it up to {@code nanos}. */
  private void turn(long nanos) throws IOException {
    if (nanos > 1_500_000) {
      selector.select(nanos / 1_000_000);
    } else if (selector.selectNow() == 0 && nanos > 0) {
      // A select cannot wait for less than a millisecond.
      LockSupport.parkNanos(Math.min(nanos, 20_000));
      selector.selectNow();
    }
    var ready = selector.selectedKeys();
    for (var key : ready) {
      var connection = (Connection) key.attachment();
      if (key.isValid() && key.isWritable()) {
        connection.write();
      }
      if (key.isValid() && key.isReadable()) {
        read(connection);
      }
    }
    ready.clear();
  }

  private void read(Connection from) throws IOException {
    in.clear();
    int length;
    try {
      length = from.channel.read(in);
    } catch (IOException e) {
      length = -1;
    }
    if (length < 0) {
      lost(from);
      return;
    }
    in.flip();
    boolean whole = from.parser.take(in);
    if (!from.told && from.parser.hasContent() && from.parser.status() == 200) {
      from.told = true;
      first.add(System.nanoTime() - from.dueAt);
    }
    if (whole && from.busy) {
      ended(from);
    }
  }

  private void ended(Connection from) throws IOException {
    long now = System.nanoTime();
    open--;
    from.busy = false;
    if (from.parser.status() == 200) {
      answered++;
      total.add(now - from.dueAt);
    } else if (from.parser.status() == 503 && from.parser.retryAfter()) {
      refused++;
      refusals.add(now - from.dueAt);
    } else {
      failed++;
    }
    if (settling) {
      free.add(from);
    } else if (closed) {
      from.send(now);
    } else {
      var due = waiting.poll();
      if (due == null) {
        free.add(from);
      } else {
        from.send(due);
      }
    }
  }

  private void lost(Connection from) throws IOException {
    from.channel.close();
    all.remove(from);
    free.remove(from);
    if (from.busy) {
      failed++;
      open--;
    }
    var again = add();
    if (closed && !settling) {
      free.remove(again);
      again.send(System.nanoTime());
    }
  }

  private boolean settling;

  /** Lets what is under way end, so that the next measurement begins with quiet connections. */
  private void settle() throws IOException {
    settling = true;
    long until = System.nanoTime() + 5_000_000_000L;
    while (open > 0 && System.nanoTime() < until) {
      turn(2_000_000);
    }
    settling = false;
  }

  /** Opens {@code count} streams and waits until each has had its first byte. */
  long hold(double mostSeconds) throws IOException {
    closed = true;
    settling = true;
    first = new Latencies();
    long count = free.size();
    failed = refused = 0;
    long until = System.nanoTime() + (long) (mostSeconds * 1e9);
    int burst = 0;
    for (var each = free.poll(); each != null; each = free.poll()) {
      each.send(System.nanoTime());
      if (++burst % 50 == 0) {
        turn(2_000_000);
      }
    }
    while (first.count() + failures() < count && System.nanoTime() < until) {
      turn(20_000_000);
    }
    return first.count();
  }

  /** Requests since the last measurement began that were refused, failed or cut. */
  long failures() {
    return failed + refused;
  }

  @Override
  public void close() {
    for (var each : all) {
      try {
        each.channel.close();
      } catch (IOException e) {
        // It is over either way.
      }
    }
    try {
      selector.close();
    } catch (IOException e) {
      // As above.
    }
  }
}
