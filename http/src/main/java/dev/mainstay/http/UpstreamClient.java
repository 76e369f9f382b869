package dev.mainstay.http;

/**
 * The HTTP client of one provider in one generation of the configuration: its connections, pooled
 * for each loop, and nobody else's. It stays open until {@link #retire} has been called and the
 * last lease is back; it is closed by nothing else, neither time nor size nor a finalizer.
 */
public final class UpstreamClient {
  private UpstreamClient() {}

  /**
   * Makes a client; opens no connection.
   *
   * @throws IllegalArgumentException when the certificates cannot be read
   */
  public static UpstreamClient create(UpstreamOptions options, Loops loops) {
    throw new UnsupportedOperationException();
  }

  /**
   * Takes a lease. May be called from any thread.
   *
   * @throws IllegalStateException when the client has been retired and its last lease is back;
   *     while another lease is out, a retired client still gives leases
   */
  public Lease acquire() {
    throw new UnsupportedOperationException();
  }

  /**
   * Closes the client once no lease is out, at once where none is. Calling it again does nothing.
   */
  public void retire() {
    throw new UnsupportedOperationException();
  }

  /** Whether it has closed. */
  public boolean closed() {
    throw new UnsupportedOperationException();
  }

  /** What it was made with. */
  public UpstreamOptions options() {
    throw new UnsupportedOperationException();
  }

  /**
   * Connections in use and idle, over all loops. May be called from any thread; the numbers are a
   * moment old.
   */
  public Connections connections() {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends a request and tells {@code listener} on {@code loop} what becomes of it, never before
   * this method has returned. To be called on that loop while holding a lease. Redirects are not
   * followed, nothing is retried (but see {@link UpstreamRequest#resendable}), and there is no
   * timeout but that for connecting: the others belong to the caller, who cancels.
   */
  public UpstreamCall send(UpstreamRequest request, Loop loop, UpstreamListener listener) {
    throw new UnsupportedOperationException();
  }

  /** Connections of a client. */
  public record Connections(int busy, int idle) {}
}
