package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run. Each is asked before a model call, and keeps a reserve: while the next call
 * still fits and the one after it would not, the model is told to give its last answer. The last
 * call's use is the measure of the next one's, since a conversation only grows.
 */
final class LimitCheck {
  /** The share of the deadline that is kept for the last answer. */
  private static final double TIME_RESERVE = 0.1;

  /**
   * A limit.
   *
   * @param reason as docs/agents.md names it
   * @param used of {@code most}
   * @param next what the next model call will use at least
   */
  record Limit(String reason, String words, double used, double most, double next) {
    private boolean isReached() {
      return used >= most || used + next > most;
    }

    private boolean isNear() {
      return used + 2 * next > most || used + next >= most;
    }

    private int percent() {
      return (int) Math.min(100, Math.floor(100 * used / most));
    }
  }

  private LimitCheck() {}

  private static List<Limit> all(RunState state, long now) {
    var limits = state.limits();
    var usage = state.usage();
    var all = new ArrayList<Limit>();
    all.add(
        new Limit(
            "turn-limit",
            "The run has used %d of its %d turns.".formatted(state.turns(), limits.maxTurns()),
            state.turns(),
            limits.maxTurns(),
            1));
    all.add(
        new Limit(
            "token-budget",
            "The run has used %d of its %d tokens.".formatted(usage.tokens(), limits.tokens()),
            usage.tokens(),
            limits.tokens(),
            usage.lastTokens()));
    all.add(
        new Limit(
            "money-budget",
            "The run has spent %s of its %s USD."
                .formatted(usd(usage.costNanos()), usd(limits.costNanos())),
            usage.costNanos(),
            limits.costNanos(),
            usage.lastCostNanos()));
    all.add(
        new Limit(
            "deadline",
            "The run has worked %d of its %d ms."
                .formatted(usage.activeMs(now), limits.deadlineMs()),
            usage.activeMs(now),
            limits.deadlineMs(),
            0));
    return all;
  }

  private static Limit toolCalls(RunState state) {
    var most = state.limits().toolCalls();
    int used = state.usage().toolCalls();
    return new Limit(
        "tool-call-budget",
        "The run has made %d of its %s tool calls.".formatted(used, most),
        used,
        most == null ? Double.MAX_VALUE : most,
        0);
  }

  static String usd(long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
  }

  /** The limit that allows no further model call, or null. */
  static @Nullable Limit reached(RunState state, long now) {
    for (var limit : all(state, now)) {
      if (limit.isReached()) {
        return limit;
      }
    }
    return null;
  }

  /** The limit that allows one more model call, or null. */
  static @Nullable Limit near(RunState state, long now) {
    for (var limit : all(state, now)) {
      boolean near =
          limit.reason().equals("deadline")
              ? limit.used() >= limit.most() * (1 - TIME_RESERVE)
              : limit.isNear();
      if (near) {
        return limit;
      }
    }
    var calls = toolCalls(state);
    return calls.used() >= calls.most() ? calls : null;
  }

  /**
   * The limit that ended the run where its time is over, or the model gave no last answer; null
   * while it may call tools.
   */
  static @Nullable Limit last(RunState state, long now) {
    if (state.answers().isLast()) {
      var near = near(state, now);
      return near != null ? near : reached(state, now);
    }
    return deadline(state, now);
  }

  /** The deadline where it is over, or null. */
  static @Nullable Limit deadline(RunState state, long now) {
    for (var limit : all(state, now)) {
      if (limit.reason().equals("deadline") && limit.isReached()) {
        return limit;
      }
    }
    return null;
  }

  /** What is left of the run's time, at least 1 ms. */
  static long leftMs(RunState state, long now) {
    return Math.max(1, state.limits().deadlineMs() - state.usage().activeMs(now));
  }

  /** The warnings that are due and were not given. */
  static List<JournalEntry.Warned> warnings(RunState state, long now) {
    var due = new ArrayList<JournalEntry.Warned>();
    var all = all(state, now);
    if (state.limits().toolCalls() != null) {
      all.add(toolCalls(state));
    }
    for (var limit : all) {
      for (int percent : state.limits().warn()) {
        if (limit.percent() >= percent && !state.hasWarned(limit.reason(), percent)) {
          due.add(new JournalEntry.Warned(limit.reason(), percent, limit.words(), now));
        }
      }
    }
    return due;
  }
}
