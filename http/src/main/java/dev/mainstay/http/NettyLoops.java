package dev.mainstay.http;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Netty's event loops with one {@link Loop} for each. */
final class NettyLoops {
  private static final String LOW_MEMORY = "io.netty.allocator.lowMemory";

  static {
    // For heaps of up to 512 MiB, which is the launcher's, Netty's allocator has no memory of a
    // thread's own and pools no buffer beyond 16 KiB: of a prompt of 100 KB that cost a tenth.
    // https://github.com/netty/netty/blob/4.2/buffer/src/main/java/io/netty/buffer/AdaptivePoolingAllocator.java
    if (System.getProperty(LOW_MEMORY) == null) System.setProperty(LOW_MEMORY, "false");
  }

  private final MultiThreadIoEventLoopGroup group;
  private final List<Loop> all;
  private final AtomicInteger turn = new AtomicInteger();

  NettyLoops(int count) {
    if (count < 1) throw new IllegalArgumentException("at least one loop is needed, not " + count);
    group =
        new MultiThreadIoEventLoopGroup(
            count, new DefaultThreadFactory("mainstay-loop", true), NioIoHandler.newFactory());
    var loops = new ArrayList<Loop>(count);
    group.forEach(executor -> loops.add(new NettyLoop((EventLoop) executor)));
    all = List.copyOf(loops);
  }

  MultiThreadIoEventLoopGroup group() {
    return group;
  }

  List<Loop> all() {
    return all;
  }

  Loop next() {
    return all.get(Math.floorMod(turn.getAndIncrement(), all.size()));
  }

  Loop of(EventLoop loop) {
    // A process has as many loops as cores: a scan beats a map.
    for (Loop each : all) {
      if (((NettyLoop) each).eventLoop == loop) return each;
    }
    throw new IllegalArgumentException("a loop of another group");
  }

  void close(Duration atMost) {
    group.shutdownGracefully(0, atMost.toMillis(), TimeUnit.MILLISECONDS).syncUninterruptibly();
  }

  static EventLoop eventLoop(Loop loop) {
    return ((NettyLoop) GuardedLoop.unguarded(loop)).eventLoop;
  }

  /** A connection on {@code loop} has begun to read a request. */
  static void entered(Loop loop) {
    ((NettyLoop) GuardedLoop.unguarded(loop)).lag.entered();
  }

  private static final class NettyLoop implements Loop {
    private final EventLoop eventLoop;
    private final LoopLag lag;

    NettyLoop(EventLoop eventLoop) {
      this.eventLoop = eventLoop;
      lag = new LoopLag(eventLoop, System::nanoTime);
    }

    @Override
    public boolean takesOn() {
      return lag.takesOn();
    }

    @Override
    public boolean inLoop() {
      return eventLoop.inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
      eventLoop.execute(task);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
      var future = eventLoop.schedule(task, Math.max(0, saturated(delay)), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    }

    private static long saturated(Duration delay) {
      // Duration.toNanos throws beyond 292 years; a timer that far away is one that never fires.
      return delay.compareTo(FAR) > 0 ? FAR.toNanos() : delay.isNegative() ? 0 : delay.toNanos();
    }

    private static final Duration FAR = Duration.ofDays(36_500);

    @Override
    public <T extends @Nullable Object> void blocking(Callable<T> work, Done<? super T> then) {
      Thread.ofVirtual()
          .name("mainstay-blocking")
          .start(
              () -> {
                try {
                  T result = work.call();
                  back(() -> then.done(result, null));
                } catch (Throwable thrown) {
                  back(() -> then.done(null, thrown));
                }
              });
    }

    private void back(Runnable task) {
      try {
        eventLoop.execute(task);
      } catch (RejectedExecutionException e) {
        // The loops are closed: nobody is left to be told.
      }
    }
  }
}
