package dev.mainstay.library;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The right to use a client until this is closed. Closing it again does nothing. Thread-safe.
 *
 * @param <C> the client
 */
public final class Lease<C> implements AutoCloseable {
  private final C client;
  private final int generation;
  private final AtomicReference<@Nullable Runnable> giveBack;

  Lease(C client, int generation, Runnable giveBack) {
    this.client = client;
    this.generation = generation;
    this.giveBack = new AtomicReference<>(giveBack);
  }

  /**
   * The client; use it, and do not close it.
   *
   * @throws IllegalStateException once the lease is closed
   */
  public C client() {
    if (giveBack.get() == null) {
      throw new IllegalStateException("the lease has been given back");
    }
    return client;
  }

  /** Which generation of the registry's clients it is, from 1. */
  public int generation() {
    return generation;
  }

  /** Gives the client back. */
  @Override
  public void close() {
    var once = giveBack.getAndSet(null);
    if (once != null) {
      once.run();
    }
  }
}
