package dev.mainstay.wire.continuation;

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
 * Thread-safe; what was learned is kept for {@value #MEMORY} targets, the least lately asked leave
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
          // alibabacloud.com/help/en/model-studio/partial-mode: where the model does not think.
          new Row(
              Dialect.OPENAI_CHAT,
              "aliyuncs.com/compatible-mode",
              Pattern.compile("^qwen(?!.*(thinking|omni|mt))"),
              Prefill.PARTIAL_FLAG),
          // platform.kimi.ai/docs/guide/use-partial-mode-feature-of-kimi-api
          new Row(
              Dialect.OPENAI_CHAT,
              "api.moonshot.",
              Pattern.compile("^(kimi|moonshot)(?!.*thinking)"),
              Prefill.PARTIAL_FLAG),
          // console.groq.com/docs/prefilling; models that reason begin with that instead.
          new Row(
              Dialect.OPENAI_CHAT,
              "api.groq.com",
              Pattern.compile("llama|gemma|mixtral|kimi"),
              Prefill.LAST_MESSAGE),
          // openrouter.ai/docs/api/reference/overview#assistant-prefill: an assistant message at
          // the
          // end is passed on, so that the model behind decides; of the others there nobody says
          // which provider serves them.
          new Row(
              Dialect.OPENAI_CHAT,
              "openrouter.ai/api",
              Pattern.compile(
                  "^anthropic/claude-([123]|(opus|sonnet|haiku)-4(\\.[015])?(:(?!thinking)|$))"),
              Prefill.LAST_MESSAGE));

  /** What targets answered: {@link Prefill#NONE} where one refused. */
  private final Map<Destination, Prefill> learned =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Destination, Prefill> eldest) {
          return size() > MEMORY;
        }
      };

  /** How {@code to} takes up a begun answer. */
  public Prefill of(Destination to) {
    synchronized (learned) {
      if (learned.get(to) instanceof Prefill known) {
        return known;
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
        takes(to, delivered)
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
   * Whether {@code to} takes up what was delivered. Servers of any model have a reader of their own
   * for each model's reasoning, which takes what goes on after it for reasoning
   * (github.com/vllm-project/vllm/pull/38749), and models that may think refuse it or think anew.
   */
  private boolean takes(Destination to, Delivered delivered) {
    return switch (of(to)) {
      case NONE -> false;
      case LAST_MESSAGE, PREFIX_FLAG -> true;
      case PARTIAL_FLAG, CONTINUE_FLAG -> !delivered.has(Delivered.Content.REASONING);
    };
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
    synchronized (learned) {
      learned.put(to, Prefill.NONE);
    }
    return true;
  }

  /**
   * Notes what the server behind {@code to} shows of itself in a stream: whose it is stands in no
   * base URL. What a target has refused stays refused.
   *
   * @param stream as it came, or its beginning
   */
  public void answered(Destination to, byte[] stream) {
    if (to.dialect() == Dialect.OPENAI_CHAT
        && of(to) == Prefill.NONE
        && ServerMark.of(stream) instanceof Prefill shown) {
      synchronized (learned) {
        learned.putIfAbsent(to, shown);
      }
    }
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
          "continue_final_message",
          "add_generation_prompt",
          "partial",
          "prefix");
}
