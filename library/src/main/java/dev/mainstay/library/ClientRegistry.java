package dev.mainstay.library;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Owns a shared client that can be closed, so that nobody closes it under a request. It hands out
 * {@link Lease}s; a {@link #reload} builds a new generation, and the old one is closed when its
 * last lease is back. Nothing else closes a client: no time, no size, no finalizer. Thread-safe;
 * taking a lease never blocks.
 *
 * @param <C> the client
 */
public final class ClientRegistry<C extends AutoCloseable> implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ClientRegistry.class.getName());

  private final Callable<? extends C> factory;
  private final AtomicInteger retired = new AtomicInteger();

  /** Null once the registry is closed. Written under the registry's lock. */
  private volatile @Nullable Generation<C> current;

  /** A client and who holds it: the registry itself while it is current, and every lease. */
  private static final class Generation<C extends AutoCloseable> {
    final int number;
    final C client;
    final AtomicInteger holders = new AtomicInteger(1);

    Generation(int number, C client) {
      this.number = number;
      this.client = client;
    }

    /** Whether it could be taken: one that nobody holds any more is closed, or about to be. */
    boolean take() {
      int held = holders.get();
      while (held > 0) {
        if (holders.compareAndSet(held, held + 1)) {
          return true;
        }
        held = holders.get();
      }
      return false;
    }
  }

  /**
   * Builds the first client at once.
   *
   * @param factory makes a client; called once for each generation, never twice at a time
   * @throws Exception what the factory throws
   */
  public ClientRegistry(Callable<? extends C> factory) throws Exception {
    this.factory = factory;
    current = new Generation<>(1, factory.call());
  }

  /**
   * The client of the current generation, until the lease is closed.
   *
   * @throws IllegalStateException once the registry is closed
   */
  public Lease<C> lease() {
    while (true) {
      var generation = current;
      if (generation == null) {
        throw new IllegalStateException("the registry has been shut down");
      }
      if (generation.take()) {
        return new Lease<>(generation.client, generation.number, () -> giveBack(generation));
      }
    }
  }

  /**
   * Builds a new generation; leases taken from now on are of it.
   *
   * @throws Exception what the factory throws; then the generation stays what it was
   */
  public synchronized void reload() throws Exception {
    var old = current;
    if (old == null) {
      throw new IllegalStateException("the registry has been shut down");
    }
    current = new Generation<>(old.number + 1, factory.call());
    retire(old);
  }

  /**
   * Builds a new generation, unless {@code lease} is of an older one already: of many calls that
   * find one client closed, one builds the next.
   */
  public synchronized void refresh(Lease<C> lease) throws Exception {
    if (lease.generation() == generation()) {
      reload();
    }
  }

  /** Hands out no more leases; the client is closed when the last lease is back. */
  @Override
  public synchronized void close() {
    var last = current;
    if (last != null) {
      current = null;
      retire(last);
    }
  }

  /** The current generation's number from 1, or 0 once the registry is closed. */
  public int generation() {
    var generation = current;
    return generation == null ? 0 : generation.number;
  }

  /** How many old generations still have leases out. */
  public int retired() {
    return retired.get();
  }

  private void retire(Generation<C> old) {
    retired.incrementAndGet();
    giveBack(old);
  }

  private void giveBack(Generation<C> generation) {
    if (generation.holders.decrementAndGet() > 0) {
      return;
    }
    retired.decrementAndGet();
    try {
      generation.client.close();
    } catch (Exception e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "closing the client of generation {0} threw {1}",
          generation.number,
          e.getClass().getName());
    }
  }

  // ---- steps of wrapped calls

  <T> Step<T> blocking(LeasedCall<? super C, ? extends T> call) {
    return () -> {
      var lease = lease();
      try {
        return call.call(lease.client());
      } catch (Throwable failure) {
        throw failed(failure, lease);
      } finally {
        lease.close();
      }
    };
  }

  <T> Step<CompletionStage<T>> async(LeasedCall<? super C, ? extends CompletionStage<T>> call) {
    return () -> {
      var lease = lease();
      CompletionStage<T> stage;
      try {
        stage = Objects.requireNonNull(call.call(lease.client()), AsyncRun.NO_STAGE);
      } catch (Throwable failure) {
        lease.close();
        throw failed(failure, lease);
      }
      var answer = new CompletableFuture<T>();
      var first =
          stage.whenComplete(
              (value, failure) -> {
                lease.close();
                if (failure == null) {
                  answer.complete(value);
                } else {
                  answer.completeExceptionally(failed(failure, lease));
                }
              });
      var second =
          answer.whenComplete(
              (_, _) -> {
                if (answer.isCancelled()) {
                  AsyncRun.cancelAttempt(stage);
                }
              });
      return answer;
    };
  }

  <K> Step<Stream<K>> stream(LeasedCall<? super C, ? extends Stream<K>> call) {
    return () -> {
      var lease = lease();
      try {
        Stream<K> chunks = call.call(lease.client());
        return chunks.onClose(lease::close);
      } catch (Throwable failure) {
        lease.close();
        throw failed(failure, lease);
      }
    };
  }

  <K> Step<Flow.Publisher<K>> publisher(LeasedCall<? super C, ? extends Flow.Publisher<K>> call) {
    return () -> {
      var lease = lease();
      try {
        Flow.Publisher<K> chunks = call.call(lease.client());
        return new LeasedPublisher<>(chunks, lease::close, failure -> failed(failure, lease));
      } catch (Throwable failure) {
        lease.close();
        throw failed(failure, lease);
      }
    };
  }

  private LeasedFailure failed(Throwable failure, Lease<C> lease) {
    return new LeasedFailure(CallExecution.unwrap(failure), () -> refresh(lease));
  }
}
