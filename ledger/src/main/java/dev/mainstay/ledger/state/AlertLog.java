package dev.mainstay.ledger.state;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Alerts on their way to whom they concern, kept until they have arrived. Threads and failures as
 * in {@link DurableState}.
 */
public interface AlertLog {

  /** How far a delivery has come. */
  enum DeliveryState {
    /** To be delivered at its {@code nextAt}. */
    PENDING,
    DELIVERED,
    /** Given up on. */
    FAILED
  }

  /**
   * How the delivery of an alert stands.
   *
   * @param tries deliveries tried
   * @param nextAt when it is tried next, or null
   * @param trouble why the last one failed, or null
   */
  record Delivery(
      DeliveryState state, int tries, @Nullable Instant nextAt, @Nullable String trouble) {}

  /**
   * An alert.
   *
   * @param id of its delivery, the same however often it is tried
   * @param cause what it is about: alerts of one cause are throttled together
   * @param kind {@code fatal}, {@code breaker}, {@code budget}, {@code spike}
   * @param message in words; never a prompt, a key or a provider's own words
   * @param suppressed alerts of this cause that were throttled since the one before
   */
  record Alert(
      String id,
      String cause,
      String kind,
      String message,
      Instant raisedAt,
      int suppressed,
      Delivery delivery) {}

  /**
   * Keeps an alert, to be delivered at once.
   *
   * @param suppressed alerts of this cause that its raiser held back since the one before
   * @param throttle one of a cause in so long a time is kept, the others counted
   * @return whether it was kept
   */
  CompletionStage<Boolean> raise(
      String id,
      String cause,
      String kind,
      String message,
      int suppressed,
      Instant now,
      Duration throttle);

  /** How long after the last of so many failed tries the next is made: 1 s, then fourfold. */
  static Duration pause(int tries) {
    return Duration.ofSeconds(1L << (2 * (tries - 1)));
  }

  /**
   * Those to be delivered by {@code now}, the oldest first. They are leased to this instance until
   * it says what came of them: no other instance gets them meanwhile.
   */
  CompletionStage<List<Alert>> due(Instant now, int limit);

  /** When the next one is to be delivered; empty where none is. */
  CompletionStage<List<Instant>> next();

  /**
   * Registers {@code listener}, which the store calls where alerts may be due that another instance
   * had in hand; it must not block.
   */
  void onLeftBehind(Runnable listener);

  /** It has arrived. False where this instance does not hold it any more. */
  CompletionStage<Boolean> delivered(String id);

  /**
   * It has not. False where this instance does not hold it any more.
   *
   * @param nextAt when to try again, or null to give up
   */
  CompletionStage<Boolean> failed(String id, @Nullable Instant nextAt, String trouble);

  /**
   * The newest first.
   *
   * @param before the id of the alert to go on behind; null for the newest. Behind one that is not
   *     kept there are none.
   */
  CompletionStage<List<Alert>> page(@Nullable String before, int limit);
}
