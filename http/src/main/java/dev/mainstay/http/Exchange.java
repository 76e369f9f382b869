package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;

/**
 * One request of a client and the answer to it.
 *
 * <p>Threads: everything is called back on {@link #loop}. The methods that answer may be called
 * from any thread; from another one they take effect a moment later, in the order of the calls.
 * Reading methods ({@link #headers}, {@link #body}, {@link #writable}, …) belong to the loop.
 *
 * <p>Answers: either {@link #respond}, or {@link #begin}, any number of {@link #write} and {@link
 * #end}. Once the exchange is over (answered, aborted, or the client left) further answers are
 * dropped and their buffers released, so that a late callback needs no check of its own. A buffer
 * handed over is owned by the exchange. Writes of one turn of the loop leave together, in one chunk
 * and one flush, at the end of that turn.
 */
public interface Exchange {
  /** The method, as sent: {@code POST}. */
  String method();

  /** The path as sent, percent-encoding and all, without the query: {@code /v1/models}. */
  String path();

  /** The query as sent, without the question mark; empty where there is none. */
  String query();

  /** The request's headers; names compare without case. Not to be changed. */
  HttpHeaders headers();

  /**
   * The request's body, unpacked where it came compressed (its {@code content-encoding} and {@code
   * content-length} are then gone from {@link #headers}); empty while it has not arrived whole.
   * Lives until the exchange is over: who needs it longer, or sends it on, takes {@code
   * retainedDuplicate()}.
   */
  ByteBuf body();

  /** {@link #body} as an array of the caller's own; body is empty from then on. */
  byte[] takeBody();

  /** The client's address. */
  InetSocketAddress remote();

  /** Whether the client came over TLS. */
  boolean secure();

  /** The loop on which this exchange lives, with its scheduler. */
  Loop loop();

  /**
   * From within {@link Handler#admit} only: hands the body to {@code sink} part by part instead of
   * buffering it. Neither {@link ServerOptions.Limits#body} nor unpacking applies. A client that
   * expects 100 (Continue) gets it once the body is read: with the sink, or where reading was
   * paused within admit, with {@link #resumeBody}.
   */
  void streamBody(BodySink sink);

  /** Stops reading a streamed body until {@link #resumeBody}, so that memory stays bounded. */
  void pauseBody();

  /** Goes on reading a streamed body. */
  void resumeBody();

  /**
   * Answers whole. {@code headers} need no content-length, date or connection; {@code body} is
   * owned.
   */
  void respond(int status, HttpHeaders headers, ByteBuf body);

  /** Answers whole with UTF-8 text and nothing but a content type. */
  void respond(int status, String contentType, String body);

  /**
   * Starts a streamed answer; the head leaves at the end of this turn. Without a content-length in
   * {@code headers} the body is chunked (or, to an HTTP/1.0 client, ended by closing).
   */
  void begin(int status, HttpHeaders headers);

  /** Adds to a streamed answer. {@code data} is owned. An empty buffer adds nothing. */
  void write(ByteBuf data);

  /** Ends a streamed answer. The connection serves its next request, unless it has to close. */
  default void end() {
    end(EmptyHttpHeaders.INSTANCE);
  }

  /**
   * Ends a streamed answer.
   *
   * @param trailers fields that follow the body; left out where it is not chunked
   */
  void end(HttpHeaders trailers);

  /**
   * Bytes straight onto the connection, below HTTP's framing: for a simulator that breaks it. What
   * was begun or written before leaves first. After it only {@link #abort} and {@link #reset} make
   * sense.
   */
  void writeRaw(ByteBuf bytes);

  /** Sends what was written so far at once instead of at the end of the turn. */
  void flush();

  /**
   * Closes the connection after what was written, whatever is still owed: the client sees a cut
   * answer.
   */
  void abort();

  /**
   * Closes the connection with a TCP reset (SO_LINGER 0); what was written in this turn is lost.
   */
  void reset();

  /** Whether a head has been begun or an answer given: a new status is no longer possible. */
  boolean begun();

  /** Whether the exchange is over: answered whole, aborted, or left by its client. */
  boolean over();

  /**
   * Whether the server drains: an answer that has no end of its own, such as a feed of events, ends
   * now, so that it does not hold up the stop. May be asked from any thread.
   */
  boolean draining();

  /**
   * Whether more should be written now. False while more than 64 KiB wait for a slow client;
   * writing on is allowed but takes memory.
   */
  boolean writable();

  /**
   * Called on the loop whenever {@link #writable} turns true again. One callback; setting replaces
   * it.
   */
  void onWritable(Runnable callback);

  /**
   * Called once on the loop, within milliseconds, when the client leaves before the exchange has
   * ended, also before the first byte of an answer; at once if it has left already. Not called for
   * {@link #abort} and {@link #reset}. One callback; setting replaces it.
   */
  void onGone(Runnable callback);

  /**
   * Called once on the loop when the exchange is over in any way; at once if it is already. {@code
   * whole} says whether the whole answer was handed to the operating system. One callback.
   */
  void onOver(EndListener callback);

  /** Takes how an exchange ended. */
  @FunctionalInterface
  interface EndListener {
    /** {@code whole}: the whole answer was handed to the operating system. */
    void over(boolean whole);
  }
}
