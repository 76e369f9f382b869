package dev.mainstay.bench.outage;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.guard.RetryBudget;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Outlook;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Mainstay's own brain with its default policy and one target, so that nothing is saved by falling
 * back: four gateways, each with its breaker and its retry budget, that know nothing of each other.
 */
final class MainstayStrategy implements Strategy {
  private static final int GATEWAYS = 4;
  private static final TargetId TARGET = new TargetId("openai", "gpt");
  private static final Route ROUTE = Route.of(TARGET);

  private final Verdict unavailable;
  private final Verdict timeout;
  private final SplittableRandom random;
  private final Gateway[] gateways;

  MainstayStrategy(SplittableRandom random) {
    this.random = random;
    var classifier = Classifier.standard();
    unavailable =
        classifier.classify(
            new Failure.Reply(
                "openai",
                503,
                Headers.none(),
                """
                {"error":{"message":"The server is overloaded or not ready yet.",\
                "type":"server_error","param":null,"code":null}}\
                """));
    timeout =
        classifier.classify(
            new Failure.Stream(
                "openai", Failure.Arrived.NOTHING, Failure.StreamEnding.SILENT, null));
    gateways = IntStream.range(0, GATEWAYS).mapToObj(_ -> new Gateway()).toArray(Gateway[]::new);
  }

  @Override
  public String name() {
    return "Mainstay (default policy)";
  }

  @Override
  public Attempts ask(int client, double now) {
    return new Question(gateways[client % GATEWAYS], now);
  }

  private static long nanos(double seconds) {
    return (long) (seconds * 1e9);
  }

  /** What a gateway keeps beyond one call. */
  private static final class Gateway implements Outlook {
    final Breaker breaker = new Breaker(BreakerSettings.defaults());
    final RetryBudget budget = RetryBudget.defaults();

    @Override
    public Availability of(TargetId target, long nowNanos) {
      return breaker.availability(nowNanos);
    }

    @Override
    public boolean takeRetry(TargetId target, long nowNanos) {
      return budget.tryRetry(nowNanos);
    }
  }

  private final class Question implements Attempts {
    private final Gateway gateway;
    private final Recovery recovery;
    private Admission.@Nullable Admitted admitted;
    private boolean counted;

    Question(Gateway gateway, double now) {
      this.gateway = gateway;
      recovery = Recovery.start(Policy.defaults(), ROUTE, gateway, random, nanos(now));
    }

    @Override
    public double first(double now) {
      return when(recovery.first(nanos(now)), now);
    }

    @Override
    public boolean maySend(double now) {
      return switch (gateway.breaker.admit(nanos(now))) {
        case Admission.Admitted yes -> {
          admitted = yes;
          if (!counted) {
            counted = true;
            gateway.budget.request(nanos(now));
          }
          yield true;
        }
        case Admission.Refused _ -> false;
      };
    }

    @Override
    public double afterRefusal(double now) {
      var why = gateway.breaker.availability(nanos(now));
      return when(
          recovery.next(
              new Outcome.Refused(
                  why instanceof Availability.Ready
                      ? new Availability.Resting(
                          nanos(now), Availability.By.BREAKER, "its probe is out")
                      : why),
              nanos(now)),
          now);
    }

    @Override
    public double afterFailure(boolean timedOut, double now) {
      var verdict = timedOut ? timeout : unavailable;
      if (admitted != null) {
        gateway.breaker.failed(admitted, verdict, nanos(now));
      }
      return when(recovery.next(Outcome.failed(verdict), nanos(now)), now);
    }

    @Override
    public void answered(double now) {
      if (admitted != null) {
        gateway.breaker.succeeded(admitted, nanos(now));
      }
      recovery.next(Outcome.answered(), nanos(now));
    }

    private double when(Decision decision, double now) {
      return switch (decision) {
        case Decision.Proceed next -> now + next.waitNanos() / 1e9;
        case Decision.Retry next -> now + next.waitNanos() / 1e9;
        case Decision.Fallback next -> now + next.waitNanos() / 1e9;
        case Decision.Continue next -> now + next.waitNanos() / 1e9;
        case Decision.RetryRepaired _, Decision.GiveUp _ -> NEVER;
      };
    }
  }
}
