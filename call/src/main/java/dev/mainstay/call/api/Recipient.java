package dev.mainstay.call.api;

import dev.mainstay.http.Loop;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * Who receives a call's answer: a client's exchange, or an agent. Everything happens on {@link
 * #loop}. Either {@link #respond}, or {@link #begin}, any number of {@link #write}, {@link #end}.
 */
public interface Recipient {
  /** The loop on which the call lives. */
  Loop loop();

  /** A whole answer. {@code body} is owned by the recipient. */
  void respond(int status, HttpHeaders headers, ByteBuf body);

  /** The head of a streamed answer. */
  void begin(int status, HttpHeaders headers);

  /** More of a streamed answer; owned by the recipient. */
  void write(ByteBuf data);

  /** The end of a streamed answer. */
  void end();

  /** Whether more should be written now. */
  boolean writable();

  /** Calls back whenever {@link #writable} turns true again. */
  void onWritable(Runnable callback);

  /** Calls back once, when the recipient leaves before its answer has ended. */
  void onGone(Runnable callback);
}
