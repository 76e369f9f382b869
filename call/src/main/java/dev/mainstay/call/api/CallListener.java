package dev.mainstay.call.api;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/**
 * Hears of every decision about a call and of its end, on the call's loop: for metrics and logs,
 * and to give back what the call held. Must not block.
 */
@FunctionalInterface
public interface CallListener {
  /** Hears nothing. */
  CallListener NONE = (call, attempts) -> {};

  /** Tells each of {@code listeners} in turn, also where one before it throws; that is logged. */
  static CallListener all(List<CallListener> listeners) {
    return new CallListener() {
      @Override
      public void ended(CallRecord call, List<AttemptRecord> attempts) {
        for (var listener : listeners) {
          try {
            listener.ended(call, attempts);
          } catch (Throwable thrown) {
            UnexpectedError.log(call.id(), thrown);
          }
        }
      }

      @Override
      public void ending(CallRecord call) {
        for (var listener : listeners) {
          try {
            listener.ending(call);
          } catch (Throwable thrown) {
            UnexpectedError.log(call.id(), thrown);
          }
        }
      }

      @Override
      public void decided(CallDecision decision) {
        for (var listener : listeners) {
          try {
            listener.decided(decision);
          } catch (Throwable thrown) {
            UnexpectedError.log(decision.call(), thrown);
          }
        }
      }
    };
  }

  /**
   * A call is over but for the last of its answer, which its client gets next. What the client's
   * next call may need is given back here: that call may begin on another loop before {@link
   * #ended} is called.
   */
  default void ending(CallRecord call) {}

  /** A call has ended. */
  void ended(CallRecord call, List<AttemptRecord> attempts);

  /** Something about a call did not go well, and this is done next. */
  default void decided(CallDecision decision) {}
}
