package dev.mainstay.core.recovery;

import static dev.mainstay.core.verdict.FailureClass.FATAL;
import static dev.mainstay.core.verdict.FailureClass.LOGIC;
import static dev.mainstay.core.verdict.FailureClass.TRANSIENT;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One random call: a policy, a route, providers with keys, breakers and budgets, and what happens
 * to each attempt. It plays the owner and, with books of its own, checks every decision against the
 * promises. It shares no code with what it checks.
 */
final class History implements Outlook {
  private static final long SECOND = 1_000_000_000L;

  /** {@code -Dmainstay.trace=true} with {@code -Dmainstay.seed=N} tells a history step by step. */
  private static final boolean TRACE = Boolean.getBoolean("mainstay.trace");

  private final RandomGenerator random;
  private final Policy policy;
  private final Route route;
  private final Limits limits;
  private final int maxAttempts;
  private final long deadline;
  private final Recovery recovery;
  private long now;

  // The world.
  private final Map<TargetId, Availability> world = new HashMap<>();
  private final int[] keys;
  private boolean budgetOpen;
  private int budgetTaken;
  private int budgetTakenBefore;

  // The books, by target.
  private int attempts;
  private final int[] made;
  private final int[] unchanged;
  private final int[] sinceTimeout;
  private final int[] refusals;
  private final int[] badKeys;
  private final boolean[] fatal;
  private final boolean[] asked;
  private final long[] askedUntil;
  private final int[] rejectedVersion;
  private final Map<Repair, Integer> mends = new EnumMap<>(Repair.class);
  private final Map<Repair, Long> sizes = new EnumMap<>(Repair.class);
  private int version;
  private int restarts;
  private int askedAgain;
  private int decisions;

  // What the last report was.
  private Outcome.@Nullable Failed lastFailed;
  private int lastTarget;
  private boolean mendedSince;
  private boolean freshClient;

  History(RandomGenerator random) {
    this.random = random;
    int size = 1 + random.nextInt(4);
    var targets = new TargetId[size];
    for (int i = 0; i < size; i++) {
      targets[i] = new TargetId("p" + random.nextInt(3), "m" + i);
    }
    route = Route.of(targets);
    policy = policy(random);
    limits =
        new Limits(
            random.nextInt(4) == 0 ? 1 + random.nextInt(8) : null,
            random.nextInt(4) == 0 ? Duration.ofMillis(1 + random.nextInt(60_000)) : null,
            random.nextInt(4) == 0 ? Duration.ofMillis(1 + random.nextInt(60_000)) : null);
    maxAttempts =
        limits.maxAttempts() == null
            ? policy.maxAttempts()
            : Math.min(limits.maxAttempts(), policy.maxAttempts());
    now = random.nextLong(-100 * SECOND, 100 * SECOND);
    long least = policy.deadline().toNanos();
    if (limits.deadline() != null) {
      least = Math.min(least, limits.deadline().toNanos());
    }
    if (limits.lastAttempt() != null) {
      least = Math.min(least, limits.lastAttempt().toNanos());
    }
    deadline = now + least;
    keys = new int[size];
    made = new int[size];
    unchanged = new int[size];
    sinceTimeout = new int[size];
    refusals = new int[size];
    badKeys = new int[size];
    fatal = new boolean[size];
    asked = new boolean[size];
    askedUntil = new long[size];
    rejectedVersion = new int[size];
    for (int i = 0; i < size; i++) {
      keys[i] = 1 + random.nextInt(3);
      sinceTimeout[i] = -1;
      rejectedVersion[i] = -1;
    }
    change();
    recovery = Recovery.start(policy, route, this, random, now, limits);
  }

  static Policy policy(RandomGenerator random) {
    var initial = Duration.ofMillis(random.nextInt(3_000));
    var retry =
        new Policy.Retry(
            pick(random, RetryOn.values()),
            1 + random.nextInt(4),
            initial,
            1 + random.nextDouble() * 3,
            initial.plusMillis(random.nextInt(60_000)),
            random.nextBoolean(),
            Duration.ofMillis(random.nextInt(5_000)),
            Duration.ofMillis(random.nextInt(90_000)));
    var repairs = EnumSet.noneOf(RepairOption.class);
    for (var option : RepairOption.values()) {
      if (random.nextBoolean()) {
        repairs.add(option);
      }
    }
    return new Policy(
        1 + random.nextInt(9),
        initial.plusMillis(1 + random.nextInt(120_000)),
        retry,
        new Policy.Fallback(pick(random, FallbackOn.values())),
        pick(random, MidStream.values()),
        repairs,
        random.nextBoolean(),
        new Policy.Bounds(
            random.nextInt(4),
            random.nextInt(3),
            random.nextInt(4),
            random.nextInt(3),
            random.nextInt(2),
            1 + random.nextInt(3),
            random.nextInt(4)));
  }

  private static <T> T pick(RandomGenerator random, T[] of) {
    return of[random.nextInt(of.length)];
  }

  // ---- the world

  @Override
  public Availability of(TargetId target, long nowNanos) {
    check(nowNanos == now, "the outlook was asked about another time");
    return known(target);
  }

  private Availability known(TargetId target) {
    return java.util.Objects.requireNonNull(world.get(target));
  }

  @Override
  public boolean otherKey(TargetId target, long nowNanos) {
    int i = route.targets().indexOf(target);
    return badKeys[i] + 1 < keys[i];
  }

  @Override
  public boolean takeRetry(TargetId target, long nowNanos) {
    boolean granted = budgetOpen;
    if (granted) {
      budgetTaken++;
    }
    return granted;
  }

  /** Breakers open and close, pools rest, budgets fill and empty. */
  private void change() {
    budgetOpen = random.nextInt(8) > 0;
    for (var target : route.targets()) {
      world.put(
          target,
          switch (random.nextInt(12)) {
            case 0, 1 ->
                new Availability.Resting(
                    now + random.nextLong(20 * SECOND) - SECOND,
                    pick(random, Availability.By.values()),
                    "resting");
            case 2 ->
                random.nextInt(4) == 0
                    ? new Availability.Unavailable("no key")
                    : new Availability.Resting(Long.MAX_VALUE, Availability.By.BREAKER, "for ever");
            default -> Availability.READY;
          });
    }
  }

  // ---- the call

  void run() {
    Decision decision = recovery.first(now);
    checkDecision(decision, null);
    while (!recovery.ended()) {
      now += decision.waitNanos() + (random.nextInt(3) == 0 ? random.nextLong(10 * SECOND) : 1000);
      if (random.nextInt(3) == 0) {
        change();
      }
      budgetTakenBefore = budgetTaken;
      var outcome = outcome(decision);
      int about = note(outcome, decision);
      decision = recovery.next(outcome, now);
      trace(outcome, decision);
      checkDecision(decision, outcome);
      check(
          recovery.attempts() == attempts,
          "it counts " + recovery.attempts() + ", not " + attempts);
      check(about >= 0, "");
      int bound =
          2
              + maxAttempts
              + (maxAttempts + 1) * (2 + route.size() * policy.bounds().refusals())
              + 40;
      check(++decisions <= bound, "more than " + bound + " decisions");
    }
    check(attempts <= maxAttempts, "too many attempts");
  }

  private void trace(Outcome outcome, Decision decision) {
    if (TRACE) {
      System.out.println(now + " " + outcome + " -> " + decision);
    }
  }

  private Outcome outcome(Decision decision) {
    if (decision instanceof Decision.RetryRepaired mend) {
      return switch (random.nextInt(6)) {
        case 0 -> new Outcome.RepairImpossible(mend.repair(), "nothing to change");
        case 1 -> Outcome.cancelled();
        default -> new Outcome.Repaired(mend.repair(), 10, random.nextInt(12));
      };
    }
    return switch (random.nextInt(20)) {
      case 0 -> Outcome.answered();
      case 1 -> Outcome.cancelled();
      case 2, 3 ->
          new Outcome.Refused(
              switch (random.nextInt(3)) {
                case 0 -> new Availability.Unavailable("gone");
                case 1 ->
                    new Availability.Resting(
                        now + random.nextLong(10 * SECOND), Availability.By.BREAKER, "open");
                default ->
                    new Availability.Resting(
                        now - random.nextLong(SECOND), Availability.By.QUEUE, "full");
              });
      default -> {
        // What was delivered stays delivered.
        Stage least = lastFailed == null ? Stage.NOTHING : lastFailed.stage();
        Stage stage = least;
        if (random.nextInt(3) == 0) {
          stage = pick(random, Stage.values());
          if (stage.compareTo(least) < 0) {
            stage = least;
          }
        }
        yield new Outcome.Failed(Verdicts.any(random), stage, random.nextInt(4) > 0);
      }
    };
  }

  /** Books the outcome; answers whom it is about. */
  private int note(Outcome outcome, Decision of) {
    int target =
        switch (of) {
          case Decision.Proceed d -> d.target();
          case Decision.Retry d -> d.target();
          case Decision.Fallback d -> d.target();
          case Decision.Continue d -> d.target();
          case Decision.RetryRepaired d -> d.target();
          case Decision.GiveUp _ -> throw new AssertionError("it had given up");
        };
    switch (outcome) {
      case Outcome.Failed failed -> {
        Verdict verdict = failed.verdict();
        lastFailed = failed;
        lastTarget = target;
        mendedSince = false;
        asked[target] = false;
        Duration told = verdict.retryAfter();
        if (told != null) {
          asked[target] = true;
          askedUntil[target] =
              now + Math.min(told.toSeconds(), 1_000_000) * SECOND + told.toNanosPart();
        }
        if (verdict.failureClass() == FATAL) {
          if (ofTheKey(verdict)) {
            badKeys[target]++;
          } else {
            fatal[target] = true;
          }
          rejectedVersion[target] = version;
        }
        if (verdict.failureClass() == LOGIC) {
          rejectedVersion[target] = version;
        }
        if (verdict.kind() == Kind.TIMEOUT && sinceTimeout[target] < 0) {
          sinceTimeout[target] = 0;
        } else if (verdict.kind() != Kind.TIMEOUT && failed.stage().committed()) {
          sinceTimeout[target] = -1;
        }
      }
      case Outcome.Refused _ -> {
        attempts--;
        made[target]--;
        refusals[target]++;
        if (sinceTimeout[target] > 0) {
          sinceTimeout[target]--;
        }
        undo();
      }
      case Outcome.Repaired done -> {
        Long smallest = sizes.get(done.repair());
        boolean sized =
            done.repair() == Repair.TRIM_CONTEXT
                || done.repair() == Repair.STRIP_IMAGES
                || done.repair() == Repair.LOWER_MAX_TOKENS;
        boolean progress =
            sized
                ? done.after() < done.before() && (smallest == null || done.after() < smallest)
                : done.after() != done.before();
        sizes.merge(done.repair(), done.after(), Math::min);
        if (progress) {
          version++;
          mendedSince = true;
        }
      }
      case Outcome.Answered _, Outcome.Cancelled _, Outcome.RepairImpossible _ -> {}
    }
    return target;
  }

  private Runnable undo = () -> {};

  private void undo() {
    undo.run();
  }

  // ---- the promises

  private void checkDecision(Decision decision, @Nullable Outcome outcome) {
    check(!decision.reason().isBlank(), "no reason");
    long wait = decision.waitNanos();
    check(wait >= 0, "a negative wait");
    boolean finished = outcome instanceof Outcome.Answered || outcome instanceof Outcome.Cancelled;
    switch (decision) {
      case Decision.GiveUp giveUp -> {
        check(!(outcome instanceof Outcome.Answered), "an answer was thrown away");
        if (!finished) {
          checkGivingUp(giveUp);
        }
      }
      case Decision.Proceed d -> {
        if (outcome instanceof Outcome.Answered) {
          check(recovery.ended(), "answered, and not ended");
          return;
        }
        check(!finished, "went on after the end");
        boolean afterRepair = outcome instanceof Outcome.Repaired;
        check(afterRepair == (lastFailed != null), "only a first attempt or a mended one proceeds");
        freshClient =
            outcome instanceof Outcome.Repaired done && done.repair() == Repair.REFRESH_CLIENT;
        attempt(d.target(), wait, !afterRepair, false, false);
        freshClient = false;
      }
      case Decision.Retry d -> {
        check(d.target() == lastTarget, "a retry elsewhere");
        attempt(d.target(), wait, !mendedSince, d.otherKey(), false);
      }
      case Decision.Fallback d -> {
        check(d.target() != lastTarget, "a fallback to where it failed");
        attempt(d.target(), wait, true, false, false);
      }
      case Decision.Continue d -> {
        freshClient =
            outcome instanceof Outcome.Repaired done && done.repair() == Repair.REFRESH_CLIENT;
        attempt(d.target(), wait, d.target() != lastTarget || d.otherKey(), d.otherKey(), true);
        freshClient = false;
      }
      case Decision.RetryRepaired d -> {
        Verdict verdict = failure().verdict();
        check(d.target() == lastTarget, "a repair elsewhere");
        check(
            !failure().stage().committed()
                || (policy.midStream() == MidStream.CONTINUE
                    && failure().continuable()
                    && failure().stage() != Stage.DELIVERED_TOOL_CALL
                    && d.repair() != Repair.SELF_CORRECT),
            "a repair after the commit point");
        check(policy.allows(d.repair()), d.repair() + " is not allowed");
        int tried = mends.merge(d.repair(), 1, Integer::sum);
        int bound = policy.bounds().of(d.repair());
        check(
            tried + (d.repair() == Repair.SELF_CORRECT ? askedAgain : 0) <= bound,
            "repaired too often");
        check(
            verdict.failureClass() != FATAL
                || (d.repair() == Repair.REFRESH_CREDENTIALS && verdict.blame() == Blame.KEY),
            "FATAL repaired by " + d.repair());
        checkWait(d.target(), wait, false);
      }
    }
  }

  private Outcome.Failed failure() {
    if (lastFailed == null) {
      throw new AssertionError("nothing has failed");
    }
    return lastFailed;
  }

  /** Every rule for a decision that leads to an attempt. */
  private void attempt(
      int i, long wait, boolean countsPerTarget, boolean otherKey, boolean goingOn) {
    checkWait(i, wait, otherKey);
    boolean first = made[i] == 0;
    int spareNeeded = untriedAndReady(i);
    attempts++;
    check(attempts <= maxAttempts, "more than " + maxAttempts + " attempts");
    made[i]++;
    boolean counted = countsPerTarget;
    if (counted) {
      unchanged[i]++;
      check(
          unchanged[i] <= policy.retry().maxPerTarget() || (goingOn && i == lastTarget),
          "more than max-per-target");
    }
    if (sinceTimeout[i] >= 0) {
      sinceTimeout[i]++;
      check(
          sinceTimeout[i] <= policy.bounds().afterTimeout(),
          "asked more often after a timeout than bounds.after-timeout");
    }
    check(!fatal[i], "FATAL was retried on its target");
    check(refusals[i] < policy.bounds().refusals(), "asked a target that had refused too often");
    undo =
        () -> {
          if (counted) {
            unchanged[i]--;
          }
        };
    if (lastFailed == null) {
      check(first, "a first attempt is a first attempt");
      return;
    }
    Outcome.Failed failed = lastFailed;
    Verdict verdict = failed.verdict();
    boolean same = i == lastTarget;
    check(failed.stage() != Stage.DELIVERED_TOOL_CALL, "went on after a tool call was delivered");
    check(goingOn == failed.stage().committed(), "Continue is for after the commit point alone");
    if (goingOn) {
      check(policy.midStream() == MidStream.CONTINUE && failed.continuable(), "continued");
    }
    if (goingOn
        || verdict.kind() == Kind.STREAM_INTERRUPTED
        || verdict.kind() == Kind.STREAM_ERROR_EVENT) {
      if (!mendedSince || goingOn) {
        restarts++;
        check(restarts <= policy.bounds().streamRestarts(), "too many stream restarts");
        var before = undo;
        undo =
            () -> {
              before.run();
              restarts--;
            };
      }
    }
    if (same && !mendedSince) {
      checkAgain(verdict, i, otherKey);
    }
    if (!same) {
      check(verdict.fallback(), "fell back where the verdict says no");
      check(laddered(verdict.kind(), policy), "fell back beyond the ladder");
      check(
          rejectedVersion[i] != version || made[i] == 1,
          "fell back to a target that had refused for good");
    }
    boolean needsSpare =
        (same || !first)
            && !(mendedSince && same && !(verdict.fallback() && laddered(verdict.kind(), policy)));
    if (needsSpare && policy.fallback().on() != FallbackOn.OFF) {
      check(
          maxAttempts - (attempts - 1) > spareNeeded, "took the last attempt of an untried target");
    }
    if (triedAtProvider(i) && freshClient) {
      // What a closed client was asked never reached the provider: free where it is asked at once,
      // charged like any retry where the brain had to choose again.
      check(budgetTaken <= budgetTakenBefore + 1, "one retry was charged twice");
    } else if (triedAtProvider(i)) {
      check(budgetTaken == budgetTakenBefore + 1, "a retry outside the retry budget");
    } else {
      check(budgetTaken == budgetTakenBefore, "a first attempt was charged as a retry");
    }
    // What the provider asked for is spread by up to a tenth; patience is about what it asked for.
    long told = asked[i] ? askedUntil[i] - now : 0;
    boolean within = wait - told <= told / 10 && told <= policy.retry().patience().toNanos();
    boolean waited = same && !otherKey && !within && wait > policy.retry().patience().toNanos();
    if (waited && verdict.fallback() && laddered(verdict.kind(), policy) && budgetOpen) {
      check(spareNeeded == 0 || attempts > maxAttempts, "waited though another was ready");
    }
    if (same
        && !mendedSince
        && !otherKey
        && verdict.kind() == Kind.TIMEOUT
        && verdict.fallback()
        && laddered(verdict.kind(), policy)
        && budgetOpen) {
      check(spareNeeded == 0, "after a timeout the next target comes first");
    }
  }

  /** Whether another key may do better: which models there are is a matter of the key too. */
  private static boolean ofTheKey(Verdict verdict) {
    return verdict.blame() == Blame.KEY || verdict.kind() == Kind.NOT_FOUND_MODEL;
  }

  private void checkAgain(Verdict verdict, int i, boolean otherKey) {
    if (verdict.failureClass() == FATAL) {
      check(otherKey && ofTheKey(verdict), "FATAL was retried on its target");
      check(badKeys[i] < keys[i], "a key that is refused was used again");
      rejectedVersion[i] = -1;
    }
    if (verdict.failureClass() == LOGIC) {
      check(verdict.retrySame(), "LOGIC was sent again unchanged");
      rejectedVersion[i] = -1;
      askedAgain++;
      var before = undo;
      undo =
          () -> {
            before.run();
            askedAgain--;
          };
      check(
          askedAgain + mends.getOrDefault(Repair.SELF_CORRECT, 0) <= policy.bounds().repairs(),
          "the model was asked again too often");
      check(
          policy.repairs().contains(RepairOption.SELF_CORRECT)
              || policy.retry().on() == RetryOn.ANY,
          "the model was asked again though that is off");
    }
    if (verdict.failureClass() == TRANSIENT && !otherKey) {
      check(verdict.retrySame(), "retried where the verdict says no");
      check(policy.retry().on() != RetryOn.OFF, "retried though that is off");
    }
  }

  private void checkWait(int i, long wait, boolean otherKey) {
    check(now < deadline, "an attempt was begun after the deadline");
    check(now + wait < deadline, "a wait was begun that ends past the deadline");
    if (asked[i] && !otherKey) {
      check(now + wait >= askedUntil[i], "waited less than the provider asked");
      check(
          askedUntil[i] - now <= policy.retry().maxRetryAfter().toNanos(),
          "waited longer than max-retry-after");
    }
    if (otherKey) {
      check(wait == 0, "another key is taken at once");
    }
    switch (known(route.target(i))) {
      case Availability.Ready _ -> {}
      case Availability.Resting resting ->
          check(resting.untilNanos() - now - wait <= 0, "asked a target while it rests");
      case Availability.Unavailable _ -> throw new AssertionError("asked one that is unavailable");
    }
  }

  /** A call ends in an error only where nothing could have rescued it. */
  private void checkGivingUp(Decision.GiveUp giveUp) {
    check(giveUp.retryAfter() == null || !giveUp.retryAfter().isNegative(), "negative retry-after");
    if (lastFailed == null || attempts >= maxAttempts || now >= deadline || !budgetOpen) {
      return;
    }
    var failed = lastFailed;
    boolean cannotGoOn =
        failed.stage() == Stage.DELIVERED_TOOL_CALL
            || (failed.stage().committed()
                && (policy.midStream() != MidStream.CONTINUE || !failed.continuable()))
            || ((failed.stage().committed()
                    || failed.verdict().kind() == Kind.STREAM_INTERRUPTED
                    || failed.verdict().kind() == Kind.STREAM_ERROR_EVENT)
                && restarts >= policy.bounds().streamRestarts());
    if (cannotGoOn) {
      return;
    }
    if (failed.verdict().fallback() && laddered(failed.verdict().kind(), policy)) {
      check(untriedAndReady(lastTarget) == 0, "gave up though an untried target was ready");
    }
  }

  /** Targets other than {@code besides} that were never asked and are ready this instant. */
  private int untriedAndReady(int besides) {
    int count = 0;
    for (int i = 0; i < route.size(); i++) {
      if (i != besides
          && made[i] == 0
          && refusals[i] == 0
          && known(route.target(i)) instanceof Availability.Ready) {
        count++;
      }
    }
    return count;
  }

  private boolean triedAtProvider(int i) {
    for (int k = 0; k < route.size(); k++) {
      int before = k == i ? made[k] - 1 : made[k];
      if (before > 0 && route.target(k).provider().equals(route.target(i).provider())) {
        return true;
      }
    }
    return false;
  }

  /** The fallback ladder, written down once more. */
  static boolean laddered(Kind kind, Policy policy) {
    String rung =
        switch (kind) {
          case RATE_LIMIT, OVERLOADED -> "CAPACITY";
          case AUTH,
              PERMISSION,
              BILLING,
              QUOTA_EXHAUSTED,
              BUDGET_EXCEEDED,
              NOT_FOUND_MODEL,
              NOT_FOUND,
              REGION,
              PRECONDITION ->
              "ACCESS";
          case CONTEXT_LENGTH,
              MAX_TOKENS_PARAM,
              PAYLOAD_TOO_LARGE,
              IMAGE_TOO_LARGE,
              UNSUPPORTED_MODALITY_IMAGE,
              UNSUPPORTED_PARAMETER,
              NOT_IMPLEMENTED ->
              "CONTEXT";
          case INVALID_REQUEST,
              INVALID_TOOL_SCHEMA,
              INVALID_TOOL_CALL,
              TOOL_HISTORY_MISMATCH,
              MODEL_BEHAVIOR,
              OUTPUT_PARSE,
              OTHER ->
              "ANY";
          case CONTENT_FILTER, SAFETY_REFUSAL ->
              policy.contentFilterFallback() ? "AVAILABILITY" : "NEVER";
          default -> "AVAILABILITY";
        };
    if (rung.equals("NEVER")) {
      return false;
    }
    return policy.fallback().on().ordinal() >= FallbackOn.valueOf(rung).ordinal();
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
