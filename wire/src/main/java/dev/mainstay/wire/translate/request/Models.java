package dev.mainstay.wire.translate.request;

import java.util.Locale;

/**
 * What is known of a model by its name, where dialects leave it to the model what a request may
 * say. A version is a hundred times the major number plus the minor one: Claude 4.5 is 405.
 */
public final class Models {
  /** Not of this family. */
  public static final int UNKNOWN = -1;

  /**
   * Of this family, with a name that tells no version: claude-mythos-preview, gemini-pro-latest.
   */
  public static final int LATEST = 99_00;

  /** GPT-5.6 is the first that takes {@code prompt_cache_breakpoint}. */
  public static final int FIRST_GPT_WITH_BREAKPOINTS = 506;

  private Models() {}

  /** The version of a Claude, in whichever order its name has family and number. */
  public static int claude(String model) {
    return newestIfUntold(model, "claude");
  }

  /** The version of a Gemini. */
  public static int gemini(String model) {
    return newestIfUntold(model, "gemini");
  }

  /** The version of a GPT; the o-series has none. */
  public static int gpt(String model) {
    return version(model, "gpt");
  }

  /**
   * Whether an OpenAI model is one that reasons: the o-series, and GPT from 5 on. Those take {@code
   * max_completion_tokens} alone.
   */
  public static boolean openAiReasons(String model) {
    var name = bare(model);
    return gpt(model) >= 500
        || (name.length() > 1 && name.charAt(0) == 'o' && Character.isDigit(name.charAt(1)));
  }

  /**
   * Whether an OpenAI model takes custom tools, which came with GPT-5
   * (github.com/Arize-ai/openinference/issues/2083). Not under the name that a relay gives it, with
   * a slash: others than OpenAI know functions alone
   * (github.com/microsoft/foundry-local/issues/1080).
   */
  public static boolean openAiTakesCustomTools(String model) {
    return gpt(model) >= 500 && model.indexOf('/') < 0;
  }

  /** Whether a model is known not to reason: asked to, it answers with an error. */
  public static boolean openAiNeverReasons(String model) {
    int gpt = gpt(model);
    return gpt != UNKNOWN && gpt < 500 && !bare(model).contains("oss");
  }

  /**
   * The most tokens that a Claude writes, as Anthropic's table of models has it, where the models
   * of one version differ the least: 4,096 before 3.5, 8,192 for 3.5, 32,000 for Opus 4 and 4.1,
   * 64,000 from 3.7 on (128,000 for most from 4.6 on, which nobody needs who sets no limit). For
   * another model in Anthropic's dialect 8,192, which every server takes that is known to us.
   */
  public static long claudeOutput(String model) {
    int version = claude(model);
    if (version == UNKNOWN) {
      return 8_192;
    }
    if (version < 305) {
      return 4_096;
    }
    if (version < 307) {
      return 8_192;
    }
    return version <= 401 && bare(model).contains("opus") ? 32_000 : 64_000;
  }

  private static String bare(String model) {
    return model.substring(model.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
  }

  private static int newestIfUntold(String model, String family) {
    int version = version(model, family);
    return version == UNKNOWN && bare(model).contains(family) ? LATEST : version;
  }

  /** The first one or two short numbers after the family's name. */
  private static int version(String model, String family) {
    var name = bare(model);
    int at = name.indexOf(family);
    if (at < 0) {
      return UNKNOWN;
    }
    int major = UNKNOWN;
    for (var word : name.substring(at + family.length()).split("[-.@:_]")) {
      int number = number(word);
      if (number < 0) {
        if (major != UNKNOWN) {
          return major * 100;
        }
      } else if (major == UNKNOWN) {
        major = number;
      } else {
        return major * 100 + number;
      }
    }
    return major == UNKNOWN ? UNKNOWN : major * 100;
  }

  private static int number(String word) {
    int digits = 0;
    while (digits < word.length() && Character.isDigit(word.charAt(digits))) {
      digits++;
    }
    // gpt-4o and gpt-4.1 have their number in front; 20250514 is a date.
    return digits == 0 || digits > 2 ? -1 : Integer.parseInt(word.substring(0, digits));
  }
}
