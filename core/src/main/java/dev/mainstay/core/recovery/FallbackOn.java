package dev.mainstay.core.recovery;

/** What the next target is asked for; each includes those before it. See {@link Ladder}. */
public enum FallbackOn {
  OFF,
  /** The target could not be reached, is down, or did not deliver a whole answer. */
  AVAILABILITY,
  /** It has no room: rate limits and overload. */
  CAPACITY,
  /** This account may not use it: keys, money, quota, region, no such model. */
  ACCESS,
  /** The request does not fit this model: context, images, parameters. */
  CONTEXT,
  /** Everything another target could answer. */
  ANY
}
