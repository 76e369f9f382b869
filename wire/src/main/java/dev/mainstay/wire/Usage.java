package dev.mainstay.wire;

/**
 * Tokens used, in disjoint buckets: their sum is what was processed, nothing is counted twice.
 *
 * @param input prompt tokens that were neither read from nor written to the provider's cache
 * @param cachedInput prompt tokens read from the cache
 * @param cacheWrite prompt tokens written to the cache
 * @param output answer tokens without reasoning
 * @param reasoning reasoning tokens
 * @param estimated whether the provider did not say, and this was counted from bytes
 */
public record Usage(
    long input, long cachedInput, long cacheWrite, long output, long reasoning, boolean estimated) {
  /** Bytes a token stands for in an estimate; the usual rule of thumb for English text. */
  private static final int BYTES_PER_TOKEN = 4;

  public static final Usage NONE = new Usage(0, 0, 0, 0, 0, false);

  public Usage {
    if (input < 0 || cachedInput < 0 || cacheWrite < 0 || output < 0 || reasoning < 0) {
      throw new IllegalArgumentException("negative token count");
    }
  }

  /** What {@code requestBytes} and {@code answerBytes} come to by the rule of thumb. */
  public static Usage estimate(long requestBytes, long answerBytes) {
    return new Usage(requestBytes / BYTES_PER_TOKEN, 0, 0, answerBytes / BYTES_PER_TOKEN, 0, true);
  }

  public long total() {
    return input + cachedInput + cacheWrite + output + reasoning;
  }

  public Usage plus(Usage other) {
    return new Usage(
        input + other.input,
        cachedInput + other.cachedInput,
        cacheWrite + other.cacheWrite,
        output + other.output,
        reasoning + other.reasoning,
        estimated || other.estimated);
  }
}
