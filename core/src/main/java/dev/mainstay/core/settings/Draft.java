package dev.mainstay.core.settings;

import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.recovery.RetryOn;
import java.time.Duration;
import java.util.Set;

/** Settings while they are read; they are checked together once all are. */
final class Draft {
  int maxAttempts;
  Duration deadline;
  RetryOn retryOn;
  int maxPerTarget;
  Duration initialDelay;
  double factor;
  Duration maxDelay;
  boolean jitter;
  Duration patience;
  Duration maxRetryAfter;
  FallbackOn fallbackOn;
  MidStream midStream;
  Set<RepairOption> repairs;
  boolean contentFilterFallback;
  int streamRestarts;
  int repairsEach;
  int imageStrips;
  int compactions;
  int clientRefreshes;
  int refusals;

  int consecutiveFailures;
  double failureRate;
  int ofAtLeast;
  Duration within;
  Duration open;
  Duration maxOpen;

  double retryBudget;

  Draft(Policy policy, BreakerSettings breaker, double retryBudget) {
    maxAttempts = policy.maxAttempts();
    deadline = policy.deadline();
    retryOn = policy.retry().on();
    maxPerTarget = policy.retry().maxPerTarget();
    initialDelay = policy.retry().initialDelay();
    factor = policy.retry().factor();
    maxDelay = policy.retry().maxDelay();
    jitter = policy.retry().jitter();
    patience = policy.retry().patience();
    maxRetryAfter = policy.retry().maxRetryAfter();
    fallbackOn = policy.fallback().on();
    midStream = policy.midStream();
    repairs = policy.repairs();
    contentFilterFallback = policy.contentFilterFallback();
    streamRestarts = policy.bounds().streamRestarts();
    repairsEach = policy.bounds().repairsEach();
    imageStrips = policy.bounds().imageStrips();
    compactions = policy.bounds().compactions();
    clientRefreshes = policy.bounds().clientRefreshes();
    refusals = policy.bounds().refusals();
    consecutiveFailures = breaker.consecutiveFailures();
    failureRate = breaker.failureRate();
    ofAtLeast = breaker.ofAtLeast();
    within = breaker.within();
    open = breaker.open();
    maxOpen = breaker.maxOpen();
    this.retryBudget = retryBudget;
  }

  Policy policy() {
    return new Policy(
        maxAttempts,
        deadline,
        new Policy.Retry(
            retryOn, maxPerTarget, initialDelay, factor, maxDelay, jitter, patience, maxRetryAfter),
        new Policy.Fallback(fallbackOn),
        midStream,
        repairs,
        contentFilterFallback,
        new Policy.Bounds(
            streamRestarts, repairsEach, imageStrips, compactions, clientRefreshes, refusals));
  }

  BreakerSettings breaker() {
    return new BreakerSettings(consecutiveFailures, failureRate, ofAtLeast, within, open, maxOpen);
  }
}
