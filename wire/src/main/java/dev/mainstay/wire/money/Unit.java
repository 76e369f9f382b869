package dev.mainstay.wire.money;

import java.util.Locale;

/** What a price is for, always a million of it. */
public enum Unit {
  INPUT,
  CACHED_INPUT,
  CACHE_WRITE,
  /** What is kept for an hour. Twice {@link #INPUT} unless a row says otherwise. */
  CACHE_WRITE_1H,
  OUTPUT,
  /** Costs what {@link #OUTPUT} does unless a row says otherwise. */
  REASONING,
  /** A search of the web that the provider ran. */
  WEB_SEARCH,
  /** The same by OpenAI's first tool for it, which has a price of its own. */
  WEB_SEARCH_PREVIEW,
  /** An answer for which the provider searched, however often. */
  GROUNDED_ANSWER,
  /** A search of files that the provider keeps. */
  FILE_SEARCH,
  /** A container of 1 GB in which the provider runs code for an answer. */
  CODE_SESSION,
  /** A picture that the provider drew. */
  IMAGE_GENERATION,
  /** A character of a text that is spoken. */
  CHARACTER,
  /** A picture that was asked for by itself. */
  IMAGE,
  /** A second of sound that is written down. */
  AUDIO_SECOND;

  private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** The name in the configuration, for example {@code cached-input}. */
  public String wireName() {
    return wireName;
  }

  /** Whether it is no token: one price then holds for many models, and none is meant by default. */
  public boolean isFee() {
    return ordinal() > REASONING.ordinal();
  }
}
