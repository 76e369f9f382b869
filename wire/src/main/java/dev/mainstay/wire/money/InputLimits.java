package dev.mainstay.wire.money;

import java.util.List;

/**
 * The most tokens that a request's images and files can come to, where its bytes do not tell: what
 * a reservation of money has to reckon with. A model is named without its provider.
 */
public final class InputLimits {
  /** Of a model that is not in the table: the most that an image comes to at any model in it. */
  public static final long UNKNOWN_IMAGE = 48_169;

  /** Of a model that is not in the table: the longest context of the providers' newest models. */
  public static final long UNKNOWN_CONTEXT = 1_050_000;

  /**
   * What Anthropic puts before a request with tools: at most 530 tokens for tools at all, and 245,
   * 700 and 1,234 more for its own bash, editor and computer.
   * https://platform.claude.com/docs/en/about-claude/pricing#tool-use-pricing
   */
  private static final long ANTHROPIC_TOOLS = 2_709;

  private record Row(String prefix, long image, long context) {}

  /**
   * By the beginning of the name, the first that fits.
   *
   * <p>Images. OpenAI (https://platform.openai.com/docs/guides/images-vision#calculating-costs): at
   * most 8 tiles of 512 pixels, at gpt-4o-mini 2,833 + 5,667 each, elsewhere 85 + 170 each; or at
   * most 1,536 patches, times 2.46 at most; models from 5.4 on take up to 10,000 patches. Anthropic
   * (https://platform.claude.com/docs/en/build-with-claude/vision): 4,784 at the models that see
   * most. Gemini (https://ai.google.dev/gemini-api/docs/tokens and its media resolution): 258 for
   * each of at most 16 tiles, or 2,240. Mistral (https://docs.mistral.ai/capabilities/vision):
   * 4,096 patches and a mark for each of 64 rows.
   *
   * <p>Contexts: the model pages of the same providers.
   */
  private static final List<Row> ROWS =
      List.of(
          new Row("gpt-4o-mini", UNKNOWN_IMAGE, 128_000),
          new Row("gpt-4o", 3_779, 128_000),
          new Row("gpt-4.1", 3_779, 1_047_576),
          new Row("gpt-4-turbo", 3_779, 128_000),
          new Row("gpt-3.5-turbo", 3_779, 16_385),
          new Row("gpt-5.4", 24_600, UNKNOWN_CONTEXT),
          new Row("gpt-5.5", 24_600, UNKNOWN_CONTEXT),
          new Row("gpt-5", 3_779, 400_000),
          new Row("o1", 3_779, 200_000),
          new Row("o3", 3_779, 200_000),
          new Row("o4-mini", 3_779, 200_000),
          new Row("claude-3", 4_784, 200_000),
          new Row("claude-haiku-4-5", 4_784, 200_000),
          new Row("claude-opus-4-1", 4_784, 200_000),
          new Row("claude-opus-4-5", 4_784, 200_000),
          new Row("claude-", 4_784, 1_000_000),
          new Row("gemini-1.5", 4_128, 2_097_152),
          new Row("gemini-", 4_128, 1_048_576),
          new Row("mistral-", 4_160, 262_144),
          new Row("magistral-", 4_160, 262_144),
          new Row("ministral-", 4_160, 262_144),
          new Row("pixtral-", 4_160, 131_072));

  private static final Row UNKNOWN = new Row("", UNKNOWN_IMAGE, UNKNOWN_CONTEXT);

  private InputLimits() {}

  private static Row row(String model) {
    for (var row : ROWS) {
      if (model.startsWith(row.prefix())) {
        return row;
      }
    }
    return UNKNOWN;
  }

  /** The most tokens that one image comes to at {@code model}. */
  public static long image(String model) {
    return row(model).image();
  }

  /** The most tokens that {@code model} reads at once. */
  public static long context(String model) {
    return row(model).context();
  }

  /** What a provider adds to a request that offers tools. */
  public static long tools(String model) {
    return model.startsWith("claude-") ? ANTHROPIC_TOOLS : 0;
  }
}
