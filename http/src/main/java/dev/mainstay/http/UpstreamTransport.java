package dev.mainstay.http;

/**
 * Carries requests to one origin and what comes back: the port between a call and the network.
 * {@link NettyTransport} does it over sockets; a test does it in virtual time, with no socket and
 * no thread. Thread-safe, but for {@link #send}, which belongs to the loop it is given.
 */
public interface UpstreamTransport {
  /**
   * Sends {@code request} and reports to {@code listener} on {@code loop}, never before this method
   * has returned. The result cancels the request and slows the answer down.
   *
   * @throws IllegalArgumentException when the transport does not serve {@code loop}
   */
  UpstreamCall send(UpstreamRequest request, Loop loop, UpstreamListener listener);

  /** Connections in use and idle. */
  UpstreamClient.Connections connections();

  /** Closes idle connections now, and the others when their requests have ended. */
  void close();
}
