package dev.mainstay.http;

import io.netty.util.ReferenceCountUtil;
import java.util.List;

/** Requests over HTTP/1.1 connections that each loop pools for itself. */
final class NettyTransport implements UpstreamTransport {
  private final List<LoopPool> pools;

  /**
   * @throws IllegalArgumentException when the certificates cannot be read
   */
  NettyTransport(UpstreamOptions options, Loops loops) {
    var origin = Origin.of(options);
    pools = loops.all().stream().map(loop -> new LoopPool(loop, options, origin)).toList();
  }

  @Override
  public UpstreamCall send(UpstreamRequest request, Loop loop, UpstreamListener listener) {
    Loop plain = GuardedLoop.unguarded(loop);
    for (LoopPool pool : pools) {
      if (pool.loop() == plain) return pool.send(request, listener);
    }
    ReferenceCountUtil.release(request.body());
    throw new IllegalArgumentException("a loop of other loops");
  }

  @Override
  public UpstreamClient.Connections connections() {
    return new UpstreamClient.Connections(
        pools.stream().mapToInt(LoopPool::busy).sum(),
        pools.stream().mapToInt(LoopPool::idle).sum());
  }

  @Override
  public void close() {
    pools.forEach(LoopPool::close);
  }
}
