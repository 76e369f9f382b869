package dev.mainstay.http;

import java.time.Duration;
import java.util.List;

/**
 * The event loops of a process. Servers spread client connections over them; a client connection's
 * upstream requests stay on its loop.
 */
public final class Loops implements AutoCloseable {
  private final NettyLoops netty;

  private Loops(NettyLoops netty) {
    this.netty = netty;
  }

  /** Starts {@code count} loops, at least 1. */
  public static Loops start(int count) {
    return new Loops(new NettyLoops(count));
  }

  /** Starts one loop for each processor. */
  public static Loops start() {
    return start(Runtime.getRuntime().availableProcessors());
  }

  /** Each of the loops, always the same and in the same order. */
  public List<Loop> all() {
    return netty.all();
  }

  /** One of the loops, each in turn: for work that no client connection brought. */
  public Loop next() {
    return netty.next();
  }

  /**
   * Ends the loops; waits up to 5 s for tasks that are running. Close servers and clients first.
   */
  @Override
  public void close() {
    netty.close(Duration.ofSeconds(5));
  }

  NettyLoops netty() {
    return netty;
  }
}
