package dev.mainstay.wire.seam;

import dev.mainstay.wire.Dialect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which targets take up a begun answer: rows known beforehand, corrected by what targets answer.
 * Thread-safe; what was learnt is kept for {@value #MEMORY} targets, the least lately asked leave
 * first, and is forgotten with the process.
 */
public final class PrefillTable {
  static final int MEMORY = 1024;

  /**
   * By instruction, a delivered text shorter than this (in characters) is asked for again from the
   * start: its end is too little for a model to go on from and for a repetition to be told by.
   */
  static final int SHORT = 24;

  /**
   * A row; the first that fits counts.
   *
   * @param host part of the base URL, or null for any
   * @param model what of the model's name must be found, in lower case, or null for any
   */
  private record Row(
      Dialect dialect, @Nullable String host, @Nullable Pattern model, Prefill prefill) {
    boolean fits(Destination to) {
      return dialect == to.dialect()
          && (host == null || to.baseUrl().contains(host))
          && (model == null || model.matcher(to.model().toLowerCase(Locale.ROOT)).find());
    }
  }

  private static final List<Row> ROWS =
      List.of(
          // Models up to Claude 4.5 take it; 4.6 and all after refuse it with a 400:
          // platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#prefill-removal,
          // measured per model in github.com/QwenLM/qwen-code/issues/8039.
          new Row(
              Dialect.ANTHROPIC,
              null,
              Pattern.compile(
                  "claude-(instant|[123])|claude-(opus|sonnet|haiku)-4(-[015])?(-20\\d{6}|-latest|[@:]|$)"),
              Prefill.LAST_MESSAGE),
          // github.com/LibreChat-AI/agents/pull/323 and github.com/pipecat-ai/pipecat/pull/5821:
          // up to 3.1, and 3.5 Flash; 3.5 Flash-Lite, 3.6 and later refuse it with a 400.
          new Row(Dialect.GEMINI, null, Pattern.compile("gemini-3\\.5-flash-lite"), Prefill.NONE),
          new Row(
              Dialect.GEMINI,
              null,
              Pattern.compile("gemini-(1\\.|2\\.|3-|3\\.1-|3\\.5-flash)"),
              Prefill.LAST_MESSAGE),
          // docs.mistral.ai/guides/prefix. The answer repeats the prefix
          // (github.com/SillyTavern/SillyTavern/issues/2557).
          new Row(Dialect.MISTRAL, null, null, Prefill.PREFIX_FLAG),
          // api-docs.deepseek.com/guides/chat_prefix_completion: under /beta only.
          new Row(Dialect.OPENAI_CHAT, "api.deepseek.com/beta", null, Prefill.PREFIX_FLAG),
          // console.groq.com/docs/prefilling; models that reason begin with that instead.
          new Row(
              Dialect.OPENAI_CHAT,
              "api.groq.com",
              Pattern.compile("llama|gemma|mixtral|kimi"),
              Prefill.LAST_MESSAGE));

  private final Map<Destination, Boolean> refusing =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Destination, Boolean> eldest) {
          return size() > MEMORY;
        }
      };

  /** How {@code to} takes up a begun answer. */
  public Prefill of(Destination to) {
    synchronized (refusing) {
      if (refusing.get(to) != null) {
        return Prefill.NONE;
      }
    }
    for (var row : ROWS) {
      if (row.fits(to)) {
        return row.prefill();
      }
    }
    return Prefill.NONE;
  }

  /**
   * How {@code to} is asked for the rest of an answer of which {@code delivered} is known.
   *
   * @param tried what was tried at this target for this call and came to nothing, other than by the
   *     connection or the provider failing
   * @return null where every way was tried
   */
  public @Nullable Mode mode(Destination to, Delivered delivered, Set<Mode> tried) {
    if (delivered.text().isBlank()) {
      return tried.contains(Mode.RESTART) ? null : Mode.RESTART;
    }
    boolean brief = delivered.text().length() < SHORT;
    var order =
        of(to) != Prefill.NONE
            ? List.of(
                Mode.PREFILL,
                brief ? Mode.RESTART : Mode.INSTRUCTION,
                brief ? Mode.INSTRUCTION : Mode.RESTART)
            : brief
                ? List.of(Mode.RESTART, Mode.INSTRUCTION)
                : List.of(Mode.INSTRUCTION, Mode.RESTART);
    for (var mode : order) {
      if (!tried.contains(mode)) {
        return mode;
      }
    }
    return null;
  }

  /**
   * Notes what {@code to} answered to a request with a prefill. Any 400 is a reason to ask by
   * instruction; it is remembered only where it says that prefills are the reason.
   *
   * @param message the provider's own words, or null
   * @return whether it is remembered
   */
  public boolean refused(Destination to, int status, @Nullable String message) {
    if (status != 400 && status != 422 || message == null || !namesPrefill(message)) {
      return false;
    }
    synchronized (refusing) {
      refusing.put(to, true);
    }
    return true;
  }

  /** Whether an error message says that an answer cannot be begun for the model. */
  public static boolean namesPrefill(String message) {
    String words = message.toLowerCase(Locale.ROOT);
    for (String sign : SIGNS) {
      if (words.contains(sign)) {
        return true;
      }
    }
    return false;
  }

  /**
   * As Anthropic, Bedrock, Gemini, Mistral and llama.cpp put it; sources as above, and
   * portkey.ai/error-library/response-role-error-10573.
   */
  private static final List<String> SIGNS =
      List.of(
          "prefill",
          "pre-fill",
          "must end with a user message",
          "ending with a model turn",
          "ends with a user role",
          "expected last role",
          "last message must",
          "final message must",
          "last message role",
          "cannot end with an assistant",
          "prefix");
}
