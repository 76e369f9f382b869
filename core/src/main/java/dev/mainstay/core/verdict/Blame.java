package dev.mainstay.core.verdict;

import java.util.Locale;

/** Whose doing a failure is. A breaker opens on {@link #PROVIDER} and {@link #NETWORK} alone. */
public enum Blame {
  CALLER,
  GATEWAY,
  KEY,
  MODEL,
  PROVIDER,
  NETWORK;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** The name in JSON, for example {@code provider}. */
  public String wireName() {
    return wireName;
  }

  /**
   * The constant that {@code wireName} names.
   *
   * @throws IllegalArgumentException where none has that name
   */
  public static Blame of(String wireName) {
    return valueOf(wireName.toUpperCase(Locale.ROOT));
  }
}
