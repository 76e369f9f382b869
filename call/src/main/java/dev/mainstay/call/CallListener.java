package dev.mainstay.call;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/** Told of every call as it ends, on the call's loop: for metrics and logs. Must not block. */
@FunctionalInterface
public interface CallListener {
  /** Hears nothing. */
  CallListener NONE = (call, attempts) -> {};

  /** Tells each of {@code listeners} in turn, also where one before it throws; that is logged. */
  static CallListener all(List<CallListener> listeners) {
    return (call, attempts) -> {
      for (var listener : listeners) {
        UnexpectedError.runAll(call.id(), () -> listener.ended(call, attempts));
      }
    };
  }

  /** A call has ended. */
  void ended(CallRecord call, List<AttemptRecord> attempts);
}
