package dev.mainstay.agent.journal;

import dev.mainstay.agent.journal.JournalEntry.Used;

/** What a run has used so far. Times are milliseconds, money nano-dollars. */
public final class RunUsage {
  private RunSummary summary = RunSummary.NONE;
  private long lastTokens;
  private long lastCostNanos;
  private int toolCalls;
  private long activeMs;
  private long since = -1;
  private long last;

  RunUsage() {}

  /** What has been used in all. */
  void all(RunSummary now) {
    summary = now;
  }

  void model(Used used) {
    lastTokens = used.tokens();
    var cost = used.costNanos();
    lastCostNanos = cost == null ? 0 : cost;
  }

  void toolCall() {
    toolCalls++;
  }

  /** A worker begins: the time since the last entry was nobody's. */
  void began(long at) {
    activeMs += since < 0 ? 0 : Math.max(0, last - since);
    since = at;
    last = at;
  }

  void wrote(long at) {
    last = Math.max(last, at);
  }

  /** Upstream requests of all model calls. */
  public int modelAttempts() {
    return summary.used().attempts();
  }

  public long tokens() {
    return summary.used().tokens();
  }

  /** What is known to have been spent. */
  public long costNanos() {
    return summary.used().costNanos();
  }

  /** Whether something cost an unknown amount. */
  public boolean costUnknown() {
    return summary.used().costUnknown();
  }

  /** Tokens of the last model call: the next one reads at least as many. */
  public long lastTokens() {
    return lastTokens;
  }

  /** What is known of the price of the last model call. */
  public long lastCostNanos() {
    return lastCostNanos;
  }

  /** Tool calls that began. */
  public int toolCalls() {
    return toolCalls;
  }

  /** Time a worker has spent on the run; queue, persons and time without a worker do not count. */
  public long activeMs(long now) {
    return activeMs + (since < 0 ? 0 : Math.max(0, Math.max(now, last) - since));
  }
}
