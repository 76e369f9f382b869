package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * An upstream request under way. {@link #cancel} may be called from any thread, the others on the
 * loop.
 */
public interface UpstreamCall extends Cancellable {
  /**
   * Ends it: the connection is closed at once and the listener hears nothing more. Does nothing
   * after the end.
   */
  @Override
  void cancel();

  /**
   * Stops reading from the provider until {@link #resume}, so that a slow client does not fill
   * memory.
   */
  void pause();

  /** Goes on reading. */
  void resume();

  /**
   * Adds to the body of a request made with {@link UpstreamRequest#streamed}; {@code part} is
   * owned.
   */
  void write(ByteBuf part);

  /**
   * Ends the body of a request made with {@link UpstreamRequest#streamed}.
   *
   * @param trailers fields that follow the body; left out where it has a content-length
   */
  void endBody(HttpHeaders trailers);

  /** Whether more of a streamed body should be written now. */
  boolean writable();

  /**
   * Called on the loop whenever {@link #writable} turns true again. One callback; setting replaces
   * it.
   */
  void onWritable(Runnable callback);
}
