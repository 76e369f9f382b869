package dev.mainstay.http;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The HTTP client of one provider in one generation of the configuration: its connections, pooled
 * for each loop, and nobody else's. It stays open until {@link #retire} has been called and the
 * last lease is back; it is closed by nothing else, neither time nor size nor a finalizer.
 */
public final class UpstreamClient {
  private final UpstreamOptions options;
  private final UpstreamTransport transport;

  /** Leases out, plus one until it is retired; 0 is closed for good. */
  private final AtomicInteger uses = new AtomicInteger(1);

  private final AtomicBoolean retired = new AtomicBoolean();

  private UpstreamClient(UpstreamOptions options, UpstreamTransport transport) {
    this.options = options;
    this.transport = transport;
  }

  /** A client whose requests {@code transport} carries; the client closes it. */
  public static UpstreamClient over(UpstreamTransport transport, UpstreamOptions options) {
    return new UpstreamClient(options, transport);
  }

  /**
   * Makes a client with connections of its own; opens none of them yet.
   *
   * @throws IllegalArgumentException when the certificates cannot be read
   */
  public static UpstreamClient create(UpstreamOptions options, Loops loops) {
    return over(new NettyTransport(options, loops), options);
  }

  /**
   * Takes a lease. May be called from any thread.
   *
   * @throws IllegalStateException when the client has been retired and its last lease is back;
   *     while another lease is out, a retired client still gives leases
   */
  public Lease acquire() {
    if (uses.updateAndGet(n -> n == 0 ? 0 : n + 1) == 0) {
      throw new IllegalStateException("this client has been retired and is closed");
    }
    return new CountedLease(this);
  }

  /**
   * Closes the client once no lease is out, at once where none is. Calling it again does nothing.
   */
  public void retire() {
    if (retired.compareAndSet(false, true)) giveBack();
  }

  private void giveBack() {
    if (uses.decrementAndGet() == 0) transport.close();
  }

  /** Whether it has closed. */
  public boolean closed() {
    return uses.get() == 0;
  }

  /** What it was made with. */
  public UpstreamOptions options() {
    return options;
  }

  /**
   * Connections in use and idle, over all loops. May be called from any thread; the numbers are a
   * moment old.
   */
  public Connections connections() {
    return transport.connections();
  }

  /**
   * Sends a request and tells {@code listener} on {@code loop} what becomes of it, never before
   * this method has returned. To be called on that loop while holding a lease. Redirects are not
   * followed, nothing is retried (but see {@link UpstreamRequest#resendable}), and there is no
   * timeout but that for connecting: the others belong to the caller, who cancels.
   *
   * @throws IllegalArgumentException when {@code loop} is none of the loops it was made for
   */
  public UpstreamCall send(UpstreamRequest request, Loop loop, UpstreamListener listener) {
    return transport.send(request, loop, listener);
  }

  /**
   * Connections of a client.
   *
   * @param busy those that carry a request
   * @param idle those kept for the next one
   */
  public record Connections(int busy, int idle) {}

  private static final class CountedLease implements Lease {
    private final UpstreamClient client;
    private final AtomicBoolean back = new AtomicBoolean();

    CountedLease(UpstreamClient client) {
      this.client = client;
    }

    @Override
    public UpstreamClient client() {
      return client;
    }

    @Override
    public void close() {
      if (back.compareAndSet(false, true)) client.giveBack();
    }
  }
}
