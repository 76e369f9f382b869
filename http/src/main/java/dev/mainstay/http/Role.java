package dev.mainstay.http;

import java.util.Locale;

/** What a person may do with a gateway. Each role includes those before it. */
public enum Role {
  /** Sees calls, runs, statistics and costs, but no prompt and no answer. */
  VIEWER,
  /** Sees prompts and answers too, and acts on calls and runs. */
  OPERATOR,
  /** May do all. */
  ADMIN;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** Its name in the configuration and the API. */
  public String wireName() {
    return wireName;
  }

  /** Whether it may do what {@code needed} may. */
  public boolean includes(Role needed) {
    return compareTo(needed) >= 0;
  }
}
