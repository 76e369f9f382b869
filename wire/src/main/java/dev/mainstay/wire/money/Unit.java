package dev.mainstay.wire.money;

import java.util.Locale;

/** What a price is for, always a million tokens of it. */
public enum Unit {
  INPUT,
  CACHED_INPUT,
  CACHE_WRITE,
  OUTPUT,
  /** Costs what {@link #OUTPUT} does unless a row says otherwise. */
  REASONING;

  private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** The name in the configuration, for example {@code cached-input}. */
  public String wireName() {
    return wireName;
  }
}
