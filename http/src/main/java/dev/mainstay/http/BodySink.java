package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/** Takes a request body as it arrives. Called on the exchange's loop. */
public interface BodySink {
  /**
   * A part of the body as it came over the wire (not unpacked); the sink owns it and releases it.
   */
  void data(ByteBuf part);

  /**
   * The body has arrived whole, with the fields that followed it, mostly none. Not called when the
   * client leaves before that: {@link Exchange#onGone}.
   */
  void end(HttpHeaders trailers);
}
