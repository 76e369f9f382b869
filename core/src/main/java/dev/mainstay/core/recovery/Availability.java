package dev.mainstay.core.recovery;

import java.util.Objects;

/** Whether a target can be asked at this moment. */
public sealed interface Availability {

  /** The one instance of {@link Ready}. */
  Availability READY = new Ready();

  /** It can be asked now. */
  record Ready() implements Availability {}

  /**
   * It can be asked again later.
   *
   * @param untilNanos the earliest instant, on the clock that is passed to {@link Recovery}
   * @param by what makes it rest
   * @param reason in words, for people
   */
  record Resting(long untilNanos, By by, String reason) implements Availability {
    public Resting {
      Objects.requireNonNull(by, "by");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** It cannot be asked for as long as this call lasts. */
  record Unavailable(String reason) implements Availability {
    public Unavailable {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** What makes a target rest. */
  enum By {
    /**
     * Its breaker is open, or its one probe is out. A call that has not failed yet never waits for
     * this.
     */
    BREAKER,
    /**
     * Every usable key of the provider's pool rests. Waited for like a wait the provider asked for.
     */
    KEYS,
    /**
     * No slot in flight and none in the queue. A call that has not failed yet never waits for this.
     */
    QUEUE
  }
}
