package dev.mainstay.core.recovery;

/** What the same target is asked again for; each includes those before it. See {@link Ladder}. */
public enum RetryOn {
  OFF,
  /** The provider could not be reached, or is down. */
  AVAILABILITY,
  /** It has no room: rate limits and overload. */
  CAPACITY,
  /** Whatever the same request may survive later: timeouts, cut streams, unreadable answers. */
  TRANSIENT,
  /** Also a model's own bad answer, unchanged, where it cannot be told its mistake. */
  ANY
}
