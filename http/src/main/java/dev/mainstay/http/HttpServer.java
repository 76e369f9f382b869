package dev.mainstay.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** An HTTP/1.1 server. Its connections are spread over the loops it was started on. */
public final class HttpServer implements AutoCloseable {
  private HttpServer() {}

  /**
   * Listens and answers with {@code handler}.
   *
   * @throws IOException when the address cannot be listened on, or the certificate or key cannot be
   *     read
   */
  public static HttpServer start(ServerOptions options, Loops loops, Handler handler)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** The port it listens on. */
  public int port() {
    throw new UnsupportedOperationException();
  }

  /** Requests being answered now, from their head on. */
  public int running() {
    throw new UnsupportedOperationException();
  }

  /** Open connections. */
  public int connections() {
    throw new UnsupportedOperationException();
  }

  /**
   * Stops listening, closes idle connections, and lets running exchanges finish; each connection
   * closes with its answer. Completes with 0 once none runs, or after {@code atMost} with the
   * number that still does: these go on until they end or {@link #close} cuts them, so that their
   * owner can end them with words of its own.
   */
  public CompletionStage<Integer> drain(Duration atMost) {
    throw new UnsupportedOperationException();
  }

  /**
   * Stops listening and closes every connection. Returns once that is done; not to be called on a
   * loop.
   */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
