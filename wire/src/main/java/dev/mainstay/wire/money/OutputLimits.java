package dev.mainstay.wire.money;

import java.util.List;

/**
 * The most tokens a model writes in one answer where the request sets no bound of its own: what a
 * reservation of money has to reckon with.
 */
public final class OutputLimits {
  /** Of a model that is not in the table: the most that any model in it writes. */
  public static final long UNKNOWN = 128_000;

  private record Row(String prefix, long tokens) {}

  /**
   * By the beginning of the name. From the model pages at https://platform.openai.com/docs/models
   * and https://ai.google.dev/gemini-api/docs/models; Anthropic's requests always set a bound.
   */
  private static final List<Row> ROWS =
      List.of(
          new Row("gpt-4o", 16_384),
          new Row("gpt-4.1", 32_768),
          new Row("gpt-4-turbo", 4_096),
          new Row("gpt-3.5-turbo", 4_096),
          new Row("gpt-5", 128_000),
          new Row("o1", 100_000),
          new Row("o3", 100_000),
          new Row("o4-mini", 100_000),
          new Row("gemini-2.5", 65_536),
          new Row("gemini-2.0", 8_192),
          new Row("gemini-1.5", 8_192));

  private OutputLimits() {}

  /** The bound of {@code model}, which is named without its provider. */
  public static long of(String model) {
    for (var row : ROWS) {
      if (model.startsWith(row.prefix())) {
        return row.tokens();
      }
    }
    return UNKNOWN;
  }
}
