package dev.mainstay.call;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.admission.ProviderState;
import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.api.RunningCall;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.passthrough.PassThroughCall;
import dev.mainstay.call.passthrough.PassThroughRequest;
import dev.mainstay.call.passthrough.PassThroughRouter;
import dev.mainstay.call.recording.CallErrors;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.guard.PoisonMemory;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.CallIds;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/** Where calls are begun. Thread-safe. */
public final class Calls implements AutoCloseable {
  private final Services services;
  private final CallIds ids;
  private final PoisonMemory<CallErrors.Shown> poison;
  private final LongUnaryOperator evict;
  private final Set<RunningCall> running = ConcurrentHashMap.newKeySet();
  private final Object idle = new Object();
  private volatile boolean awaited;

  public Calls(Services services) {
    this.services = services;
    var held = services.memory().reserve(MemoryBudget.Use.CACHE);
    poison = new PoisonMemory<>(CallErrors.Shown::weight, held::resize);
    evict = poison::evict;
    services.memory().addCache(evict);
    ids = new CallIds(services.clock(), services.random());
  }

  /** A new id. */
  public String newId() {
    return ids.next();
  }

  /**
   * Begins a call; to be called on the recipient's loop.
   *
   * @param upstreams the generation it belongs to
   * @param reservation what it may spend
   * @param lease keeps that generation's clients open; the call closes it when it has ended
   */
  public void start(
      String id,
      CallRequest request,
      Upstreams upstreams,
      Guards guards,
      Recipient to,
      BudgetReservation reservation,
      RouteLease lease) {
    var over = new Runnable[1];
    var memory = new CallMemory(services.memory(), request.content().body().length);
    Call call;
    try {
      call =
          new Call(
              id,
              request,
              services,
              new ProviderState(upstreams, guards),
              poison,
              to,
              new CallResources(reservation, lease, memory),
              () -> over[0].run());
    } catch (RuntimeException | Error e) {
      memory.close();
      lease.close();
      throw e;
    }
    over[0] = () -> ended(call);
    running.add(call);
    call.start();
  }

  /**
   * Begins a request that passes through unread; to be called while its exchange is being admitted.
   *
   * @param router says where it goes
   * @param lease keeps the clients open of all providers that it can go to
   */
  public void pass(
      String id,
      PassThroughRequest request,
      ProviderState providers,
      PassThroughRouter router,
      Exchange exchange,
      RouteLease lease) {
    var over = new Runnable[1];
    var call =
        new PassThroughCall(
            id, request, services, providers, router, exchange, lease, () -> over[0].run());
    over[0] = () -> ended(call);
    running.add(call);
    call.start();
  }

  /** Forgets which requests failed for good: what they failed on may have been mended. */
  public void forget() {
    poison.clear();
  }

  /** Gives back what is remembered over calls; those under way go on. */
  @Override
  public void close() {
    services.memory().removeCache(evict);
    poison.clear();
  }

  private void ended(RunningCall call) {
    running.remove(call);
    // Either this sees that somebody waits, or who waits sees that this has gone.
    if (awaited && running.isEmpty()) {
      synchronized (idle) {
        idle.notifyAll();
      }
    }
  }

  /**
   * Waits until no call is under way, for {@code atMost}; says whether that is so. Not for a loop.
   */
  public boolean awaitIdle(Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    awaited = true;
    synchronized (idle) {
      long left = atMost.toNanos();
      while (!running.isEmpty() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(idle, left);
        left = until - System.nanoTime();
      }
    }
    return running.isEmpty();
  }

  /** Calls under way. */
  public int running() {
    return running.size();
  }

  /** Ends every call under way with an error for {@code why}. */
  public void stopAll(String why) {
    running.forEach(call -> call.stop(why));
  }
}
