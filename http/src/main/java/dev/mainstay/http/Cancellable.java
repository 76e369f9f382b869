package dev.mainstay.http;

/**
 * Something under way that can be called off. Calling it off twice, or after it has ended, does
 * nothing.
 */
@FunctionalInterface
public interface Cancellable {
  /** Calls it off. May be called from any thread. */
  void cancel();
}
