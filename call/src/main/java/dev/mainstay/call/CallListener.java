package dev.mainstay.call;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/** Told of every call as it ends, on the call's loop: for metrics and logs. Must not block. */
@FunctionalInterface
public interface CallListener {
  /** Hears nothing. */
  CallListener NONE = (call, attempts) -> {};

  /** A call has ended. */
  void ended(CallRecord call, List<AttemptRecord> attempts);
}
