package dev.mainstay.ledger;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads calls, in the ledger or through a gateway's API. Blocks: for virtual threads, never for an
 * event loop.
 */
public interface CallReader extends AutoCloseable {

  /** One page of calls, the newest first. */
  Page calls(CallQuery query);

  /** A call with its attempts and the places of its bodies, or null where there is none. */
  @Nullable StoredCall call(String id);

  /**
   * The bytes of a body.
   *
   * @throws LedgerException where they are gone by retention, or damaged
   */
  byte[] body(StoredBody body);

  @Override
  void close();

  /**
   * A page of calls.
   *
   * @param next the cursor of the next page, or null on the last
   */
  record Page(List<CallRecord> calls, @Nullable String next) {
    public Page {
      calls = List.copyOf(calls);
    }
  }

  /** A call with its attempts, in their order, and what is kept of its bodies. */
  record StoredCall(CallRecord call, List<AttemptRecord> attempts, List<StoredBody> bodies) {
    public StoredCall {
      attempts = List.copyOf(attempts);
      bodies = List.copyOf(bodies);
    }

    /** This call with those of its bodies that are {@code kept}. */
    public StoredCall withBodies(Predicate<StoredBody> kept) {
      return new StoredCall(call, attempts, bodies.stream().filter(kept).toList());
    }
  }

  /**
   * Where a body is kept.
   *
   * @param attempt 0 for what passed between client and gateway, else the number of the attempt
   * @param handle by which the store finds it; nobody else reads it
   * @param length of its bytes
   */
  record StoredBody(int attempt, Body.Part part, String handle, int length) {}
}
