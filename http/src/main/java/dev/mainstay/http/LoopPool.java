package dev.mainstay.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client's connections on one loop. Everything but the two counts belongs to that loop. */
final class LoopPool {
  private final Loop loop;
  private final UpstreamOptions options;
  private final Origin origin;

  /** The one used last is first, so that those not needed grow old. */
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();

  private final Set<UpstreamConnection> open = new HashSet<>();
  private boolean closed;
  private boolean sweeping;
  private volatile int openCount;
  private volatile int idleCount;

  LoopPool(Loop loop, UpstreamOptions options, Origin origin) {
    this.loop = loop;
    this.options = options;
    this.origin = origin;
  }

  Loop loop() {
    return loop;
  }

  UpstreamOptions options() {
    return options;
  }

  Origin origin() {
    return origin;
  }

  int busy() {
    return Math.max(0, openCount - idleCount);
  }

  int idle() {
    return idleCount;
  }

  UpstreamCall send(UpstreamRequest request, UpstreamListener listener) {
    var call = new NettyUpstreamCall(this, request, listener);
    loop.execute(call::start);
    return call;
  }

  /** A connection that has served before and is not known to be dead, or null. */
  @Nullable UpstreamConnection take() {
    long now = System.nanoTime();
    for (UpstreamConnection each = idle.poll(); each != null; each = idle.poll()) {
      idleCount = idle.size();
      if (each.usable(now)) return each;
      each.close();
    }
    return null;
  }

  void opened(UpstreamConnection connection) {
    open.add(connection);
    openCount = open.size();
  }

  void gone(UpstreamConnection connection) {
    open.remove(connection);
    openCount = open.size();
    if (idle.remove(connection)) idleCount = idle.size();
  }

  /** Keeps a connection for the next request. */
  void putBack(UpstreamConnection connection) {
    if (closed || idle.size() >= options.maxIdle()) {
      connection.close();
      return;
    }
    idle.push(connection);
    idleCount = idle.size();
    if (!sweeping) {
      sweeping = true;
      loop.schedule(sweepEvery(), this::sweep);
    }
  }

  private Duration sweepEvery() {
    return options.idle().compareTo(Duration.ofSeconds(4)) > 0
        ? Duration.ofSeconds(1)
        : options.idle().dividedBy(4);
  }

  private void sweep() {
    long now = System.nanoTime();
    for (UpstreamConnection each : List.copyOf(idle)) {
      if (!each.usable(now)) {
        idle.remove(each);
        each.close();
      }
    }
    idleCount = idle.size();
    sweeping = !idle.isEmpty();
    if (sweeping) loop.schedule(sweepEvery(), this::sweep);
  }

  void close() {
    loop.execute(
        () -> {
          closed = true;
          for (UpstreamConnection each : List.copyOf(idle)) each.close();
        });
  }
}
