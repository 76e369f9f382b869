package dev.mainstay.http;

import io.netty.buffer.ByteBuf;

/** Takes a request body as it arrives. Called on the exchange's loop. */
public interface BodySink {
  /**
   * A part of the body as it came over the wire (not unpacked); the sink owns it and releases it.
   */
  void data(ByteBuf part);

  /**
   * The body has arrived whole. Not called when the client leaves before that: {@link
   * Exchange#onGone}.
   */
  void end();
}
