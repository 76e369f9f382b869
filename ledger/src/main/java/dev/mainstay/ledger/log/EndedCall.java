package dev.mainstay.ledger.log;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/** A call on its way to the store, with its attempts and bodies. Immutable. */
public record EndedCall(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
  public EndedCall {
    attempts = List.copyOf(attempts);
    bodies = List.copyOf(bodies);
  }
}
