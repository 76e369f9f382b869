package dev.mainstay.http;

/**
 * The right to use an {@link UpstreamClient}, which stays open as long as one is out. Giving it
 * back twice counts once.
 */
public interface Lease extends AutoCloseable {
  /** The client. Not to be used after {@link #close}. */
  UpstreamClient client();

  /** Gives the lease back. May be called from any thread. */
  @Override
  void close();
}
