package dev.mainstay.call.passthrough;

import dev.mainstay.http.BodySink;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.wire.request.ObjectIds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request's body on its way up. A short one is held whole, so that it can be sent again; another
 * one is read from the client once there is a connection, so that a provider that cannot be reached
 * costs no upload. Belongs to the exchange's loop.
 */
final class PassThroughBody implements BodySink {
  /** Told of what comes from the client. */
  interface Owner {
    /** More of it has come; {@code part} stays as it is. */
    void received(ByteBuf part);

    /** It is there whole. */
    void whole();
  }

  /** A body of up to so many bytes is sent in one piece, over a connection that is open already. */
  private static final int WHOLE = 64 << 10;

  private final Exchange exchange;
  private final GuardedLoop loop;
  private final Owner owner;
  private final long length;
  private final boolean streamed;

  /** What has come and was not written: all of a body that is held whole. */
  private ByteBuf held = Unpooled.EMPTY_BUFFER;

  private @Nullable UpstreamCall connected;
  private @Nullable HttpHeaders trailers;
  private boolean closed;

  /**
   * @param length bytes, 0 for none, or -1 where the client does not say
   */
  PassThroughBody(Exchange exchange, GuardedLoop loop, Owner owner, long length) {
    this.exchange = exchange;
    this.loop = loop;
    this.owner = owner;
    this.length = length;
    streamed = length < 0 || length > WHOLE;
  }

  /** Takes the body from now on; called while the exchange is being admitted. */
  void start() {
    exchange.streamBody(this);
    if (streamed) {
      exchange.pauseBody();
    }
  }

  /** Whether it is sent part by part, and each part once. */
  boolean isStreamed() {
    return streamed;
  }

  /** Bytes to announce to the provider before the body; -1 where there is nothing to announce. */
  long announced() {
    return streamed ? length : -1;
  }

  /** All of a body that is held whole; empty of another one. */
  ByteBuf content() {
    return streamed ? Unpooled.EMPTY_BUFFER : held.retainedDuplicate();
  }

  /** The ids in it, as far as it is held whole. */
  List<String> ids() {
    return !streamed && held.isReadable() && held.getByte(held.readerIndex()) == '{'
        ? ObjectIds.named(ByteBufUtil.getBytes(held))
        : List.of();
  }

  /** Whether none of it was handed over that would be needed again. */
  boolean isThere() {
    return !streamed || connected == null;
  }

  /** There is a connection: a streamed body begins to flow. */
  void connected(UpstreamCall to) {
    if (!streamed) {
      return;
    }
    connected = to;
    to.write(held);
    held = Unpooled.EMPTY_BUFFER;
    if (trailers != null) {
      to.endBody(trailers);
    } else if (to.writable()) {
      exchange.resumeBody();
    }
  }

  @Override
  public void data(ByteBuf part) {
    loop.run(() -> take(part));
  }

  private void take(ByteBuf part) {
    if (closed) {
      part.release();
      return;
    }
    owner.received(part);
    if (connected != null) {
      connected.write(part);
      if (!connected.writable()) {
        exchange.pauseBody();
      }
    } else {
      held = held.isReadable() ? held : Unpooled.buffer();
      held.writeBytes(part);
      part.release();
    }
  }

  @Override
  public void end(HttpHeaders fields) {
    loop.run(
        () -> {
          if (closed) {
            return;
          }
          trailers = fields;
          if (connected != null) {
            connected.endBody(fields);
          }
          owner.whole();
        });
  }

  /** Lets go of what is held. */
  void close() {
    closed = true;
    held.release();
    held = Unpooled.EMPTY_BUFFER;
  }
}
