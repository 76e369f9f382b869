package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Verdicts for tests. */
public final class Verdicts {
  private static final Kind[] KINDS = Kind.values();
  private static final Blame[] BLAMES = Blame.values();
  private static final Repair[] REPAIRS = Repair.values();

  private Verdicts() {}

  public static Verdict transientFailure(Kind kind) {
    return of(FailureClass.TRANSIENT, kind, Blame.PROVIDER, true, null, true, null);
  }

  public static Verdict transientFailure(Kind kind, Duration retryAfter) {
    return of(FailureClass.TRANSIENT, kind, Blame.PROVIDER, true, retryAfter, true, null);
  }

  public static Verdict fatal(Kind kind, Blame blame) {
    return of(FailureClass.FATAL, kind, blame, false, null, true, null);
  }

  public static Verdict logic(Kind kind, @Nullable Repair repair) {
    return of(FailureClass.LOGIC, kind, Blame.CALLER, false, null, true, repair);
  }

  /** The model's own bad answer. */
  public static Verdict badAnswer(Kind kind) {
    return of(FailureClass.LOGIC, kind, Blame.MODEL, true, null, true, Repair.SELF_CORRECT);
  }

  public static Verdict of(
      FailureClass failureClass,
      Kind kind,
      Blame blame,
      boolean retrySame,
      @Nullable Duration retryAfter,
      boolean fallback,
      @Nullable Repair repair) {
    return new Verdict(
        new Verdict.Finding(failureClass, kind, blame, "test", "of a test"),
        new Verdict.Advice(retrySame, retryAfter, fallback, repair, false));
  }

  /** Any verdict, also such as no rule would give. */
  public static Verdict any(RandomGenerator random) {
    int dice = random.nextInt(10);
    var failureClass =
        dice < 6 ? FailureClass.TRANSIENT : dice < 8 ? FailureClass.LOGIC : FailureClass.FATAL;
    Duration after =
        switch (random.nextInt(6)) {
          case 0 -> Duration.ofMillis(random.nextInt(2_000));
          case 1 -> Duration.ofMillis(random.nextInt(90_000));
          case 2 -> random.nextInt(10) == 0 ? Duration.ofDays(400_000) : null;
          default -> null;
        };
    return of(
        failureClass,
        random.nextInt(5) == 0 ? Kind.TIMEOUT : KINDS[random.nextInt(KINDS.length)],
        random.nextInt(3) == 0 ? Blame.KEY : BLAMES[random.nextInt(BLAMES.length)],
        failureClass != FailureClass.FATAL && random.nextInt(4) > 0,
        after,
        random.nextInt(5) > 0,
        random.nextInt(2) == 0 ? REPAIRS[random.nextInt(REPAIRS.length)] : null);
  }
}
