package dev.mainstay.gateway.admin;

import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second which of the newest runs have changed, whichever instance works on them, as
 * long as somebody listens. Thread-safe.
 */
public final class RunPoller {
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int NEWEST = 200;

  private final @Nullable RunStore store;
  private final Supplier<Loop> loops;
  private final Consumer<Object> to;
  private Map<String, LiveApi.RunChange> known = Map.of();
  private int listeners;
  private boolean first;
  private @Nullable Cancellable next;

  public RunPoller(@Nullable RunStore store, Supplier<Loop> loops, Consumer<Object> to) {
    this.store = store;
    this.loops = loops;
    this.to = to;
  }

  synchronized void join() {
    if (++listeners == 1 && store != null) {
      // What changed while no one listened is in the lists that a listener reads first.
      first = true;
      look();
    }
  }

  synchronized void leave() {
    if (--listeners == 0 && next != null) {
      next.cancel();
      next = null;
    }
  }

  private synchronized void look() {
    if (listeners > 0 && store != null) {
      store
          .list(RunStore.Query.newest(NEWEST, RunStore.Filter.NONE))
          .whenComplete((runs, failed) -> compare(runs));
    }
  }

  private synchronized void compare(@Nullable List<Run> runs) {
    if (runs != null) {
      var now = new HashMap<String, LiveApi.RunChange>();
      for (var run : runs.reversed()) {
        var change = LiveApi.RunChange.of(run);
        now.put(run.id(), change);
        if (!first && !change.equals(known.get(run.id()))) {
          to.accept(change);
        }
      }
      known = now;
      first = false;
    }
    if (listeners > 0) {
      next = loops.get().schedule(LOOK, this::look);
    }
  }
}
