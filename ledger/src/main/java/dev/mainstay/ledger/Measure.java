package dev.mainstay.ledger;

import java.util.Locale;

/** A number of a call or a run by which a list of them can be narrowed: from, up to, or both. */
public enum Measure {
  /** Upstream requests. */
  ATTEMPTS("attempts", 0),
  /** Answers of the model in a run. */
  TURNS("turns", 0),
  /** Steps of a run. */
  STEPS("steps", 0),
  /** From a call's start to the first content of its answer. */
  FIRST_TOKEN_MS("milliseconds to the first token", 0),
  /** From the start to the end. */
  TOTAL_MS("milliseconds in all", 0),
  /** Of all buckets together. */
  TOKENS("tokens", 0),
  COST_USD("dollars", 9);

  private final String wireName = name().toLowerCase(Locale.ROOT);
  private final String words;
  private final int decimals;

  Measure(String words, int decimals) {
    this.words = words;
    this.decimals = decimals;
  }

  /** Its name in the API; {@code _min} and {@code _max} behind it name the parameters. */
  public String wireName() {
    return wireName;
  }

  /** What it counts, in words. */
  public String words() {
    return words;
  }

  /** How many decimals a value may have. */
  int decimals() {
    return decimals;
  }
}
