package dev.mainstay.wire.money;

/**
 * How often a provider's own tools were used for an answer, as far as they have a price of their
 * own. Every count is 0 or more.
 *
 * @param groundedAnswers answers for which the provider searched, however often
 * @param codeSessions containers in which it ran code
 */
public record ToolUses(
    long webSearches,
    long previewSearches,
    long groundedAnswers,
    long fileSearches,
    long codeSessions,
    long images) {
  public static final ToolUses NONE = new ToolUses(0, 0, 0, 0, 0, 0);

  public ToolUses {
    if (webSearches < 0
        || previewSearches < 0
        || groundedAnswers < 0
        || fileSearches < 0
        || codeSessions < 0
        || images < 0) {
      throw new IllegalArgumentException("negative count of uses");
    }
    webSearches = Math.min(webSearches, Usage.MOST);
    previewSearches = Math.min(previewSearches, Usage.MOST);
    groundedAnswers = Math.min(groundedAnswers, Usage.MOST);
    fileSearches = Math.min(fileSearches, Usage.MOST);
    codeSessions = Math.min(codeSessions, Usage.MOST);
    images = Math.min(images, Usage.MOST);
  }

  /** {@code count} uses of what {@code fee} is for. */
  public static ToolUses of(Unit fee, long count) {
    return switch (fee) {
      case WEB_SEARCH -> new ToolUses(count, 0, 0, 0, 0, 0);
      case WEB_SEARCH_PREVIEW -> new ToolUses(0, count, 0, 0, 0, 0);
      case GROUNDED_ANSWER -> new ToolUses(0, 0, count, 0, 0, 0);
      case FILE_SEARCH -> new ToolUses(0, 0, 0, count, 0, 0);
      case CODE_SESSION -> new ToolUses(0, 0, 0, 0, count, 0);
      case IMAGE_GENERATION -> new ToolUses(0, 0, 0, 0, 0, count);
      case INPUT, CACHED_INPUT, CACHE_WRITE, CACHE_WRITE_1H, OUTPUT, REASONING ->
          throw new IllegalArgumentException(fee + " counts tokens");
      case CHARACTER, IMAGE, AUDIO_SECOND ->
          throw new IllegalArgumentException(fee + " counts no use of a tool");
    };
  }

  boolean believable() {
    return Math.max(Math.max(webSearches, previewSearches), Math.max(groundedAnswers, fileSearches))
            < Usage.MOST
        && Math.max(codeSessions, images) < Usage.MOST;
  }

  /** Both together. */
  public ToolUses plus(ToolUses other) {
    return equals(NONE)
        ? other
        : new ToolUses(
            webSearches + other.webSearches,
            previewSearches + other.previewSearches,
            groundedAnswers + other.groundedAnswers,
            fileSearches + other.fileSearches,
            codeSessions + other.codeSessions,
            images + other.images);
  }
}
