package dev.mainstay.engine;

import dev.mainstay.ledger.state.KeptCalls;

/** Reads a request that the ledger kept. */
@FunctionalInterface
public interface KeptRequestReader {
  /** Of a process without a gateway, which keeps no calls. */
  KeptRequestReader NONE =
      (id, request) -> {
        throw new IllegalArgumentException("only a gateway keeps calls, and this process has none");
      };

  /**
   * The request as it would come in now, as call {@code id}.
   *
   * @throws IllegalArgumentException where it cannot be made any more, with the reason
   */
  InboundRequest read(String id, KeptCalls.Request request);
}
