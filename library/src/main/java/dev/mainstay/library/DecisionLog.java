package dev.mainstay.library;

import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Says each decision about one call in one line, through the {@code System.Logger} named {@value
 * #NAME}; the stack trace of the failure that led to it follows at DEBUG. Belongs to its call.
 */
final class DecisionLog {
  static final String NAME = "dev.mainstay.calls";

  private static final System.Logger LOG = System.getLogger(NAME);

  private final String call = "call_%016x".formatted(ThreadLocalRandom.current().nextLong());

  /**
   * @param next the name of the target of {@code line}'s decision, or null where it has none
   * @param made attempts made so far
   * @param of attempts that may be made
   */
  void say(HistoryEntry line, @Nullable String next, int made, int of) {
    var level = level(line.decision(), line.verdict());
    if (level == null || !LOG.isLoggable(level)) {
      return;
    }
    // The text is no pattern: braces in it stay.
    LOG.log(level, () -> text(line, next, made, of));
    if (line.failure() != null && LOG.isLoggable(System.Logger.Level.DEBUG)) {
      LOG.log(System.Logger.Level.DEBUG, call + " attempt " + made + " failed", line.failure());
    }
  }

  /** Null: a success, or what a repair came to, goes without saying. */
  private static System.Logger.@Nullable Level level(Decision decision, @Nullable Verdict verdict) {
    return switch (decision) {
      case Decision.Proceed _ -> null;
      case Decision.Retry _ ->
          isBrokenStream(verdict) ? System.Logger.Level.WARNING : System.Logger.Level.INFO;
      case Decision.RetryRepaired mend ->
          mend.repair() == Repair.REFRESH_CLIENT
              ? System.Logger.Level.WARNING
              : System.Logger.Level.INFO;
      case Decision.Fallback _, Decision.Continue _ -> System.Logger.Level.WARNING;
      case Decision.GiveUp _ ->
          verdict != null && verdict.blame() == Blame.CALLER
              ? System.Logger.Level.INFO
              : System.Logger.Level.WARNING;
    };
  }

  private static boolean isBrokenStream(@Nullable Verdict verdict) {
    return verdict != null
        && (verdict.kind() == Kind.STREAM_INTERRUPTED || verdict.kind() == Kind.STREAM_ERROR_EVENT);
  }

  private String text(HistoryEntry line, @Nullable String next, int made, int of) {
    var text = new StringBuilder(160).append(call);
    var verdict = line.verdict();
    if (verdict != null) {
      var because = verdict.because();
      text.append(' ').append(verdict.label()).append(" at ").append(line.target()).append(": ");
      text.append(because, 0, because.length() - (because.endsWith(".") ? 1 : 0)).append(';');
    }
    var decision = line.decision();
    text.append(' ').append(decision.wireName());
    if (next != null) {
      text.append(decision instanceof Decision.Retry ? " at " : " to ").append(next);
    }
    text.append(" after attempt ").append(made).append(" of ").append(of);
    if (decision.waitNanos() > 0) {
      text.append(", waiting ").append(seconds(Duration.ofNanos(decision.waitNanos())));
    }
    return text.append(": ").append(decision.reason()).toString();
  }

  private static String seconds(Duration time) {
    return time.toMillis() < 1000
        ? time.toMillis() + " ms"
        : String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }
}
