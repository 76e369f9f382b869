package dev.mainstay.core.verdict;

import java.util.Locale;

/** A change to the request, the client or the answer that makes the next attempt differ. */
public enum Repair {
  TRIM_CONTEXT,
  STRIP_IMAGES,
  FIX_TOOL_HISTORY,
  DROP_PARAMETER,
  LOWER_MAX_TOKENS,
  SELF_CORRECT,
  REFRESH_CLIENT,
  REFRESH_CREDENTIALS;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** The name in JSON, for example {@code strip_images}. */
  public String wireName() {
    return wireName;
  }
}
