package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;

/**
 * Signs of life of a run under way: entries of its journal, and what arrives of a model's answer. A
 * step may be silent for as long as its own limit allows. Thread-safe; times are milliseconds.
 */
final class RunActivity {
  private long last;
  private long allowedUntil;
  private long stallMs = Long.MAX_VALUE;
  private long deadlineAt = Long.MAX_VALUE;

  /** The run showed life. */
  synchronized void beat(long now) {
    last = Math.max(last, now);
  }

  /** {@code entry} is on disk. */
  synchronized void written(JournalEntry entry, RunState state, long now) {
    beat(now);
    stallMs = state.limits().stallMs();
    deadlineAt = Long.MAX_VALUE;
    switch (entry) {
      case JournalEntry.TurnStarted _ -> {
        long left = Math.max(1, state.limits().deadlineMs() - state.usage().activeMs(now));
        deadlineAt = now + left;
        allow(now, Math.min(left, state.definition().recovery().policy().deadline().toMillis()));
      }
      case JournalEntry.StepStarted start -> allow(now, timeout(start.step(), state));
      default -> {}
    }
  }

  private static long timeout(int step, RunState state) {
    for (var each : state.steps().unfinished()) {
      if (each.planned().step() == step) {
        var tool = state.definition().tool(each.planned().tool());
        // The call, and the question whether it happened.
        return tool == null ? 0 : 2 * tool.calls().timeoutMs();
      }
    }
    return 0;
  }

  private void allow(long now, long ms) {
    allowedUntil = Math.max(allowedUntil, now + ms);
  }

  /** Whether it is silent for longer than its stall, beyond what its steps may take. */
  synchronized boolean isSilent(long now) {
    long from = Math.max(last, allowedUntil);
    return stallMs != Long.MAX_VALUE && now - from > stallMs;
  }

  /** Whether a model call is under way although the run's time is over. */
  synchronized boolean outlastsDeadline(long now) {
    boolean over = now > deadlineAt;
    if (over) {
      deadlineAt = Long.MAX_VALUE;
    }
    return over;
  }
}
