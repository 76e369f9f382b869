package dev.mainstay.library;

/**
 * A call on a leased client, which it must neither close nor keep.
 *
 * @param <C> the client
 * @param <T> the answer
 */
@FunctionalInterface
public interface LeasedCall<C, T> {
  T call(C client) throws Exception;
}
