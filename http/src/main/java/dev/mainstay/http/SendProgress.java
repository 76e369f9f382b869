package dev.mainstay.http;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether a client takes what is to be sent to it. One that is there and does not read would hold
 * its answer, and a provider's, for ever. Belongs to the connection's loop.
 */
final class SendProgress {
  /**
   * Looks, an idle time apart, at which a client has taken nothing: then it is stuck. By the
   * default, five minutes.
   */
  private static final int MOST_STUCK = 4;

  /** While memory is short, a client that has taken nothing for so long is cut off. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SocketChannel channel;

  private final Position atLastLook = new Position();
  private int looksWithoutProgress;

  private final Position whileMemoryIsShort = new Position();
  private long shortSince;

  SendProgress(SocketChannel channel) {
    this.channel = channel;
  }

  /** What was next to be sent, and how far it had gone. */
  private static final class Position {
    private @Nullable Object next;
    private long from;

    /** Moves to where {@code out} is now; false where nothing was sent since. */
    boolean move(@Nullable ChannelOutboundBuffer out) {
      Object current = out == null ? null : out.current();
      long progress = out == null || current == null ? 0 : out.currentProgress();
      boolean moved = current == null || current != next || progress != from;
      next = current;
      from = progress;
      return moved;
    }
  }

  /** Looks once; whether the client has taken nothing for {@link #MOST_STUCK} looks. */
  boolean stuck() {
    boolean moved = atLastLook.move(channel.unsafe().outboundBuffer());
    looksWithoutProgress = moved ? 0 : looksWithoutProgress + 1;
    return looksWithoutProgress >= MOST_STUCK;
  }

  /** Looks once while memory is short; whether the client has taken nothing for a while. */
  boolean mayBeCutOff(long now) {
    if (whileMemoryIsShort.move(channel.unsafe().outboundBuffer())) {
      shortSince = now;
      return false;
    }
    return now - shortSince >= PATIENCE_NANOS;
  }

  /** Bytes that wait for the client, in the channel. */
  long unsent() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes();
  }
}
