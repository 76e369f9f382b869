package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * Told what becomes of one upstream request. Every method is called on the loop given to {@link
 * UpstreamClient#send}, and never from within that call. In order: {@link #connected}, {@link
 * #sent}, {@link #headers}, any {@link #data}, {@link #end}; {@link #failed} instead of any of
 * them, last. Nothing is called after {@link #end}, {@link #failed} or a cancel. ({@link #headers}
 * may come before {@link #sent} where a provider answers before it has read the whole request.)
 */
public interface UpstreamListener {
  /**
   * A connection is there and the request is being written. Called a second time where a reused
   * connection proved dead before anything could be acted on, and a fresh one took its place.
   *
   * @param reused whether it had served a request before
   */
  default void connected(boolean reused) {}

  /**
   * The request was handed whole to the operating system: the place to start a timer for the
   * headers.
   */
  default void sent() {}

  /**
   * The head of the answer; 1xx are left out, and redirects are answers like any other. Where
   * {@link UpstreamRequest#unpack} is on and the body comes packed, its {@code content-encoding}
   * and {@code content-length} are gone. Hop-by-hop headers are still there.
   */
  void headers(int status, HttpHeaders headers);

  /**
   * A part of the answer's body, as it arrived. The listener owns it: it passes it on or releases
   * it. Never empty.
   */
  void data(ByteBuf part);

  /**
   * All parts of one read have been given: the moment to act on them together. The exchange flushes
   * by itself at the end of the turn, so that most listeners need not care.
   */
  default void readComplete() {}

  /**
   * Fields that follow a chunked body, right before {@link #end}. Not called where there are none.
   */
  default void trailers(HttpHeaders trailers) {}

  /** The answer is whole as far as HTTP can tell. */
  void end();

  /** There will be no whole answer. */
  void failed(UpstreamFailure failure);
}
