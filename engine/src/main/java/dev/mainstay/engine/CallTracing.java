package dev.mainstay.engine;

import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Gives calls their place in a distributed trace. Implementations are thread-safe. */
public interface CallTracing {
  /** No traces: the client's own headers pass through. */
  CallTracing NONE =
      new CallTracing() {
        @Override
        public PropagatedHeaders begin(String call, Map<String, String> headers) {
          return new PropagatedHeaders(headers, null);
        }

        @Override
        public void forget(String call) {}
      };

  /**
   * What goes on to the provider.
   *
   * @param headers the client's, without its place in the trace where Mainstay takes part in it
   * @param attempt the {@code traceparent} of an attempt, by its number from 1; null where the
   *     client's passes through
   */
  record PropagatedHeaders(Map<String, String> headers, @Nullable IntFunction<String> attempt) {}

  /**
   * A call begins.
   *
   * @param headers the client's that go on to the provider, by lower-case name
   */
  PropagatedHeaders begin(String call, Map<String, String> headers);

  /** A call that was begun is not carried out. */
  void forget(String call);
}
