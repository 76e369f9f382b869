package dev.mainstay.core.verdict;

import java.util.Locale;

/** A change to the request, the client or the answer that makes the next attempt differ. */
public enum Repair {
  TRIM_CONTEXT(Bound.COMPACTIONS, true),
  STRIP_IMAGES(Bound.IMAGE_STRIPS, true),
  FIX_TOOL_HISTORY(Bound.REPAIRS, false),
  DROP_PARAMETER(Bound.REPAIRS, false),
  LOWER_MAX_TOKENS(Bound.REPAIRS, true),
  SELF_CORRECT(Bound.REPAIRS, false),
  REFRESH_CLIENT(Bound.CLIENT_REFRESHES, false),
  REFRESH_CREDENTIALS(Bound.REPAIRS, false);

  /** Which bound of a policy holds for a repair. */
  public enum Bound {
    COMPACTIONS,
    IMAGE_STRIPS,
    CLIENT_REFRESHES,
    /** That of every repair without one of its own. */
    REPAIRS
  }

  private final Bound bound;
  private final boolean shrinks;
  private final String wireName = name().toLowerCase(Locale.ROOT);

  Repair(Bound bound, boolean shrinks) {
    this.bound = bound;
    this.shrinks = shrinks;
  }

  /** The bound that says how often it may be tried in one call. */
  public Bound bound() {
    return bound;
  }

  /** Whether it makes something smaller; where it does not, it has made no progress. */
  public boolean shrinks() {
    return shrinks;
  }

  /** The name in JSON, for example {@code strip_images}. */
  public String wireName() {
    return wireName;
  }
}
