package dev.mainstay.wire.money;

/**
 * What one answer used, in disjoint buckets, as they are priced: a cached input token is not an
 * input token as well, a reasoning token not an output token. Every count is 0 or more.
 *
 * @param estimated whether the counts are an estimate, because the provider told none
 * @param tools how often the provider's own tools were used; their tokens are among the others
 * @param hourWrites those of {@code cacheWrite} that are kept for an hour, at a price of their own
 */
public record Usage(
    long input,
    long cachedInput,
    long cacheWrite,
    long output,
    long reasoning,
    boolean estimated,
    ToolUses tools,
    long hourWrites) {

  /**
   * The most that is believed of one count: a thousand times the longest context there is. A
   * provider that claims more has counted wrongly; its claim has no price ({@link #believable}).
   */
  public static final long MOST = 1_000_000_000;

  /** Bytes a token stands for in an estimate; the usual rule of thumb for English text. */
  private static final int BYTES_PER_TOKEN = 4;

  /** Without a use of the provider's own tools. */
  public Usage(
      long input,
      long cachedInput,
      long cacheWrite,
      long output,
      long reasoning,
      boolean estimated) {
    this(input, cachedInput, cacheWrite, output, reasoning, estimated, ToolUses.NONE);
  }

  /** Without a cache write for an hour. */
  public Usage(
      long input,
      long cachedInput,
      long cacheWrite,
      long output,
      long reasoning,
      boolean estimated,
      ToolUses tools) {
    this(input, cachedInput, cacheWrite, output, reasoning, estimated, tools, 0);
  }

  public Usage {
    if (input < 0 || cachedInput < 0 || cacheWrite < 0 || output < 0 || reasoning < 0) {
      throw new IllegalArgumentException(
          "negative token count: input %d, cachedInput %d, cacheWrite %d, output %d, reasoning %d"
              .formatted(input, cachedInput, cacheWrite, output, reasoning));
    }
    input = Math.min(input, MOST);
    cachedInput = Math.min(cachedInput, MOST);
    cacheWrite = Math.min(cacheWrite, MOST);
    output = Math.min(output, MOST);
    reasoning = Math.min(reasoning, MOST);
    hourWrites = Math.min(hourWrites, MOST);
    if (hourWrites < 0 || hourWrites > cacheWrite) {
      throw new IllegalArgumentException(
          "%d of %d cache writes are for an hour".formatted(hourWrites, cacheWrite));
    }
  }

  /** Whether every count is one that can be. */
  public boolean believable() {
    return Math.max(Math.max(input, cachedInput), Math.max(cacheWrite, Math.max(output, reasoning)))
            < MOST
        && tools.believable();
  }

  /** Tokens of the prompt, cached and written ones included: what price tiers go by. */
  public long prompt() {
    return input + cachedInput + cacheWrite;
  }

  /** What {@code requestBytes} and {@code answerBytes} come to by the rule of thumb. */
  public static Usage estimate(long requestBytes, long answerBytes) {
    return new Usage(requestBytes / BYTES_PER_TOKEN, 0, 0, answerBytes / BYTES_PER_TOKEN, 0, true);
  }

  /** The same where its answer is no shorter than {@code answerBytes}, else an estimate of that. */
  public Usage withAtLeast(long answerBytes) {
    long least = answerBytes / BYTES_PER_TOKEN - reasoning;
    return output >= least
        ? this
        : new Usage(input, cachedInput, cacheWrite, least, reasoning, true, tools, hourWrites);
  }

  /** Both together; an estimate where one of them is. */
  public Usage plus(Usage other) {
    return new Usage(
        input + other.input,
        cachedInput + other.cachedInput,
        cacheWrite + other.cacheWrite,
        output + other.output,
        reasoning + other.reasoning,
        estimated || other.estimated,
        tools.plus(other.tools),
        hourWrites + other.hourWrites);
  }

  /** The same, with {@code uses} in place of what is known of the provider's own tools. */
  public Usage with(ToolUses uses) {
    return uses.equals(tools)
        ? this
        : new Usage(input, cachedInput, cacheWrite, output, reasoning, estimated, uses, hourWrites);
  }

  /** The same, with at most all of the cache writes kept for an hour. */
  public Usage withHourWrites(long count) {
    return new Usage(
        input,
        cachedInput,
        cacheWrite,
        output,
        reasoning,
        estimated,
        tools,
        Math.min(count, cacheWrite));
  }

  long of(Unit unit) {
    return switch (unit) {
      case INPUT -> input;
      case CACHED_INPUT -> cachedInput;
      case CACHE_WRITE -> cacheWrite - hourWrites;
      case CACHE_WRITE_1H -> hourWrites;
      case OUTPUT -> output;
      case REASONING -> reasoning;
      case WEB_SEARCH -> tools.webSearches();
      case WEB_SEARCH_PREVIEW -> tools.previewSearches();
      case GROUNDED_ANSWER -> tools.groundedAnswers();
      case FILE_SEARCH -> tools.fileSearches();
      case CODE_SESSION -> tools.codeSessions();
      case IMAGE_GENERATION -> tools.images();
      // Requests that are paid by these have no tokens: MeteredUse.
      case CHARACTER, IMAGE, AUDIO_SECOND -> 0;
    };
  }
}
