package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Plays a call's owner in examples: a clock in milliseconds, and an outlook that can be set. */
final class Owner implements Outlook {
  private final Map<Integer, Availability> known = new HashMap<>();
  private final Route route;
  private final Policy policy;
  private Limits limits = Limits.NONE;
  private Recovery recovery;
  private Decision last;
  int otherKeys;
  boolean budget = true;
  long now;

  Owner(int targets, Policy policy) {
    route = PolicyTest.route(targets);
    this.policy = policy;
    recovery = make();
    last = new Decision.Proceed(0, 0, "");
  }

  private Recovery make() {
    return Recovery.start(policy, route, this, new SplittableRandom(7), now, limits);
  }

  /** The defaults without jitter. */
  static Policy plain() {
    return Policy.defaults().withRetry(Policy.defaults().retry().withJitter(false));
  }

  Owner limits(Limits own) {
    limits = own;
    return this;
  }

  Owner known(int target, Availability availability) {
    known.put(target, availability);
    return this;
  }

  Owner rests(int target, long untilMillis, Availability.By by) {
    return known(target, new Availability.Resting(untilMillis * 1_000_000, by, "told so"));
  }

  Owner first() {
    recovery = make();
    last = recovery.first(now);
    return this;
  }

  Owner after(Outcome outcome) {
    now += last.waitNanos();
    last = recovery.next(outcome, now);
    return this;
  }

  Owner fails(Verdict verdict) {
    return after(Outcome.failed(verdict));
  }

  Owner breaks(Verdict verdict, Stage stage) {
    return after(new Outcome.Failed(verdict, stage, true));
  }

  Owner repaired(Repair repair) {
    return after(Outcome.Repaired.changed(repair));
  }

  Recovery recovery() {
    return recovery;
  }

  Decision last() {
    return last;
  }

  /** The last decision without its reason: {@code retry 0 in 500}, {@code give up}. */
  String says() {
    return switch (last) {
      case Decision.Proceed d -> "proceed " + d.target() + in(d.waitNanos());
      case Decision.Retry d ->
          (d.otherKey() ? "other key " : "retry ") + d.target() + in(d.waitNanos());
      case Decision.Fallback d -> "fallback " + d.target() + in(d.waitNanos());
      case Decision.RetryRepaired d -> d.repair().wireName() + " " + d.target() + in(d.waitNanos());
      case Decision.Continue d ->
          (d.otherKey() ? "continue with other key " : "continue ")
              + d.target()
              + in(d.waitNanos());
      case Decision.GiveUp d ->
          d.retryAfter() == null ? "give up" : "give up, retry after " + d.retryAfter().toMillis();
    };
  }

  private static String in(long nanos) {
    return nanos == 0 ? "" : " in " + nanos / 1_000_000;
  }

  @Override
  public Availability of(TargetId target, long nowNanos) {
    return known.getOrDefault(route.targets().indexOf(target), Availability.READY);
  }

  @Override
  public boolean otherKey(TargetId target, long nowNanos) {
    return otherKeys-- > 0;
  }

  @Override
  public boolean takeRetry(TargetId target, long nowNanos) {
    return budget;
  }
}
