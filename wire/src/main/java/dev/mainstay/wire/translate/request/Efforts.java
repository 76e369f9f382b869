package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which efforts a model takes, by its name. Another one is refused by the provider ("Unsupported
 * value: 'minimal' is not supported with the 'gpt-5.1' model"), so the nearest that the model takes
 * is sent in its place; of two that are as near, the lower.
 *
 * <p>Sources: OpenAI's {@code reasoning_effort} (none from GPT-5.1 on, xhigh from GPT-5.1-Codex-Max
 * and GPT-5.2 on, max from GPT-5.6 on, minimal for GPT-5 alone, GPT-5-pro high alone); Anthropic's
 * {@code output_config.effort} (xhigh from 4.7 on; of 4.6 Opus alone takes max); Google's {@code
 * thinkingLevel} (3 Pro low and high, 3.1 Pro no minimal); Mistral's {@code reasoning_effort} (none
 * and high; Magistral always reasons).
 */
public final class Efforts {
  private static final Set<Effort> NONE_TAKEN = EnumSet.noneOf(Effort.class);

  /** Mistral's families that reason always, or never. */
  private static final List<String> FIXED_AT_MISTRAL =
      List.of(
          "magistral", "mistral-large", "codestral", "ministral", "pixtral", "devstral", "open-mi");

  private static final Pattern BEFORE_26 = Pattern.compile("-2[345]\\d\\d$");

  private Efforts() {}

  /**
   * The effort to send for {@code thinking}, or null where none is to be sent. An effort that the
   * model takes none of is lost, and so is {@code none} where the model cannot but reason.
   */
  public static @Nullable Effort fit(TranslationContext context, Thinking thinking) {
    var taken = of(context.to(), context.model());
    var asked = thinking.asEffort();
    if (asked == null) {
      return thinking.isLeftToModel() ? unasked(context.to(), context.model(), taken) : null;
    }
    if (asked == Effort.NONE) {
      if (taken.isEmpty() || taken.contains(Effort.NONE)) {
        return taken.isEmpty() ? null : asked;
      }
      context.lose(Feature.REASONING_EFFORT, thinking);
      return least(taken);
    }
    if (taken.isEmpty()) {
      context.lose(Feature.REASONING_EFFORT, thinking);
      return null;
    }
    return nearest(asked, taken);
  }

  /** The effort for "as the model sees fit", where a model that is told nothing does not reason. */
  private static @Nullable Effort unasked(Dialect to, String model, Set<Effort> taken) {
    boolean silent =
        switch (to) {
          case OPENAI_CHAT, OPENAI_RESPONSES -> Models.gpt(model) >= 501;
          case MISTRAL -> true;
          case ANTHROPIC, GEMINI -> false;
        };
    return silent && !taken.isEmpty() ? nearest(Effort.MEDIUM, taken) : null;
  }

  /** Those that {@code model} takes; empty where it does not reason, or always does. */
  static Set<Effort> of(Dialect dialect, String model) {
    var name = model.toLowerCase(Locale.ROOT);
    return switch (dialect) {
      case OPENAI_CHAT, OPENAI_RESPONSES -> openAi(name);
      case MISTRAL -> mistral(name);
      case ANTHROPIC -> anthropic(name);
      case GEMINI -> gemini(name);
    };
  }

  private static Set<Effort> openAi(String model) {
    if (Models.openAiNeverReasons(model)) {
      return NONE_TAKEN;
    }
    int gpt = Models.gpt(model);
    if (gpt < 500) {
      // The o-series, gpt-oss, and what other servers have in common.
      var common = EnumSet.of(Effort.LOW, Effort.MEDIUM, Effort.HIGH);
      if (!Models.openAiReasons(model) && !model.contains("gpt-oss")) {
        common.add(Effort.NONE);
      }
      return common;
    }
    boolean codex = model.contains("codex");
    if (model.contains("-pro")) {
      return gpt == 500
          ? EnumSet.of(Effort.HIGH)
          : EnumSet.of(Effort.MEDIUM, Effort.HIGH, Effort.XHIGH);
    }
    var taken = EnumSet.of(Effort.LOW, Effort.MEDIUM, Effort.HIGH);
    if (!codex) {
      taken.add(gpt == 500 ? Effort.MINIMAL : Effort.NONE);
    }
    if (gpt >= 502 || model.contains("codex-max")) {
      taken.add(Effort.XHIGH);
    }
    if (gpt >= 506) {
      taken.add(Effort.MAX);
    }
    return taken;
  }

  /** Small from 2603 and Medium from 3.5 on; a name without a date is the latest. */
  private static Set<Effort> mistral(String model) {
    boolean plain =
        FIXED_AT_MISTRAL.stream().anyMatch(model::contains) || BEFORE_26.matcher(model).find();
    return plain ? NONE_TAKEN : EnumSet.of(Effort.NONE, Effort.HIGH);
  }

  private static Set<Effort> anthropic(String model) {
    int version = Models.claude(model);
    var taken = EnumSet.of(Effort.NONE, Effort.LOW, Effort.MEDIUM, Effort.HIGH);
    if (version >= 407) {
      taken.add(Effort.XHIGH);
    }
    if (version >= 407 || model.contains("opus")) {
      taken.add(Effort.MAX);
    }
    return taken;
  }

  private static Set<Effort> gemini(String model) {
    if (!model.contains("pro")) {
      return EnumSet.of(Effort.MINIMAL, Effort.LOW, Effort.MEDIUM, Effort.HIGH);
    }
    return Models.gemini(model) == 300
        ? EnumSet.of(Effort.LOW, Effort.HIGH)
        : EnumSet.of(Effort.LOW, Effort.MEDIUM, Effort.HIGH);
  }

  private static Effort least(Set<Effort> taken) {
    return taken.iterator().next();
  }

  private static Effort nearest(Effort asked, Set<Effort> taken) {
    var best = least(taken);
    for (var each : taken) {
      // Only "none" is no reasoning at all, which is not near to any.
      boolean counts = each != Effort.NONE;
      if (counts && (best == Effort.NONE || distance(each, asked) < distance(best, asked))) {
        best = each;
      }
    }
    return best;
  }

  private static int distance(Effort one, Effort other) {
    return Math.abs(one.ordinal() - other.ordinal());
  }
}
