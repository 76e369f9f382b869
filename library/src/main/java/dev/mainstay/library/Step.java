package dev.mainstay.library;

/**
 * One attempt at one target.
 *
 * @param <T> its answer: a value, a stage or a stream of chunks
 */
@FunctionalInterface
interface Step<T> {
  T run() throws Exception;
}
