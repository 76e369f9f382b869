package dev.mainstay.engine;

import dev.mainstay.ledger.state.KeptCalls;

/** Reads a request that the ledger kept. */
@FunctionalInterface
public interface KeptRequestReader {
  /**
   * The request as it would come in now, as call {@code id}.
   *
   * @throws IllegalArgumentException where it cannot be made any more, with the reason
   */
  InboundRequest read(String id, KeptCalls.Request request);
}
