package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.util.List;
import java.util.Locale;

/** Decisions in their form and in words. */
final class Reasons {
  /**
   * A successful call makes nothing new: its two decisions are these, for routes up to this long.
   */
  private static final int CACHED = 16;

  private static final Decision FIRST = new Decision.Proceed(0, 0, "the route's first target");
  private static final Decision.Proceed[] ANSWERED = new Decision.Proceed[CACHED];

  static {
    for (int i = 0; i < CACHED; i++) {
      ANSWERED[i] = new Decision.Proceed(i, 0, "the attempt ended well");
    }
  }

  private Reasons() {}

  static Decision first(Route route, int target, long wait, Outlook outlook, long now) {
    if (wait == 0) {
      return target == 0
          ? FIRST
          : new Decision.Proceed(
              target,
              0,
              "not available:" + whyNot(route.targets().subList(0, target), outlook, now));
    }
    return new Decision.Proceed(
        target, wait, "no key of " + route.target(target) + " may be used for " + Nanos.text(wait));
  }

  static Decision answered(int target) {
    return target < CACHED
        ? ANSWERED[target]
        : new Decision.Proceed(target, 0, "the attempt ended well");
  }

  static Decision repaired(Outcome.Failed failed, Repair repair, int target, long wait) {
    String reason = repair.wireName() + " is done, and the changed request is sent";
    return failed.stage().committed()
        ? new Decision.Continue(target, wait, false, reason)
        : new Decision.Proceed(target, wait, reason);
  }

  static String mend(Verdict verdict, Repair repair) {
    return verdict.label() + " can be repaired by " + repair.wireName();
  }

  /** The attempt upon {@code failed} in its proper form. */
  static Decision step(
      Outcome.Failed failed,
      Route route,
      int from,
      int to,
      long wait,
      boolean otherKey,
      int attempt,
      int maxAttempts) {
    var text = new StringBuilder(96);
    text.append(failed.verdict().label()).append(" from ").append(route.target(from));
    if (otherKey) {
      text.append(": another of its keys");
    } else if (to == from) {
      text.append(": the same target again");
    } else {
      text.append(": on to ").append(route.target(to));
    }
    if (wait == 0) {
      text.append(" at once");
    } else {
      text.append(" in ").append(Nanos.text(wait));
    }
    text.append(" (attempt ").append(attempt).append(" of ").append(maxAttempts).append(')');
    String reason = text.toString();
    if (failed.stage().committed()) {
      return new Decision.Continue(to, wait, otherKey, reason);
    }
    return to == from
        ? new Decision.Retry(to, wait, otherKey, reason)
        : new Decision.Fallback(to, wait, reason);
  }

  static String allUsed(Verdict verdict, int maxAttempts) {
    return verdict.label()
        + ", and all "
        + maxAttempts
        + (maxAttempts == 1 ? " attempt is" : " attempts are")
        + " used";
  }

  static String budget(TargetId target) {
    return "the retry budget of " + target.provider() + " is spent";
  }

  static String nothingLeft(Verdict verdict, boolean waitTooLong, boolean othersOut) {
    if (waitTooLong) {
      return verdict.label()
          + ", and the wait is longer than max-retry-after or the deadline allows";
    }
    String why =
        switch (verdict.failureClass()) {
          case TRANSIENT -> "no retry is allowed at any target";
          case LOGIC -> "the same request would fail again";
          case FATAL -> "no retry can help";
        };
    return verdict.label() + ": " + why + (othersOut ? ", and no other target is left" : "");
  }

  static String noneAvailable(Route route, Outlook outlook, long now) {
    return "no target is available:" + whyNot(route.targets(), outlook, now);
  }

  private static String whyNot(List<TargetId> targets, Outlook outlook, long now) {
    var text = new StringBuilder();
    for (var target : targets) {
      String why =
          switch (outlook.of(target, now)) {
            case Availability.Ready _ -> "refused the attempt";
            case Availability.Resting resting ->
                resting.by().name().toLowerCase(Locale.ROOT) + ", " + resting.reason();
            case Availability.Unavailable unavailable -> unavailable.reason();
          };
      text.append(' ').append(target).append(" (").append(why).append(')');
    }
    return text.toString();
  }
}
