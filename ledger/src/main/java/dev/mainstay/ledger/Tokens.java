package dev.mainstay.ledger;

/**
 * Tokens used, in disjoint buckets: their sum is what was used in all. Immutable; every count is 0
 * or more.
 *
 * @param input prompt tokens at the full price
 * @param cachedInput prompt tokens read from the provider's cache
 * @param cacheWrite prompt tokens written to the provider's cache
 * @param output answer tokens without reasoning
 * @param reasoning tokens the model thought with, where the provider counts them apart
 * @param estimated whether the counts are an estimate, because the provider told none
 */
public record Tokens(
    long input, long cachedInput, long cacheWrite, long output, long reasoning, boolean estimated) {

  public Tokens {
    if (input < 0 || cachedInput < 0 || cacheWrite < 0 || output < 0 || reasoning < 0) {
      throw new IllegalArgumentException(
          "negative token count: input %d, cachedInput %d, cacheWrite %d, output %d, reasoning %d"
              .formatted(input, cachedInput, cacheWrite, output, reasoning));
    }
  }

  /** All tokens of all buckets. */
  public long total() {
    return input + cachedInput + cacheWrite + output + reasoning;
  }

  /** The sum of two counts; an estimate where one of them is. */
  public Tokens plus(Tokens other) {
    return new Tokens(
        input + other.input,
        cachedInput + other.cachedInput,
        cacheWrite + other.cacheWrite,
        output + other.output,
        reasoning + other.reasoning,
        estimated || other.estimated);
  }
}
