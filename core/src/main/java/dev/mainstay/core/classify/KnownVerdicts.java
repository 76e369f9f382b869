package dev.mainstay.core.classify;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.core.verdict.Verdict.Advice;
import dev.mainstay.core.verdict.Verdict.Finding;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Verdicts on what the maker of a call knows and no rule can read from an answer: that the client
 * left, that a budget is spent, what was in the request that a provider refused. With the rule
 * tables these are all the verdicts there are.
 */
public final class KnownVerdicts {
  private static final String RULE = "gateway";
  private static final String REDIRECT = "redirect";

  /** What a refusal says that does not say why. */
  private static final Set<String> NO_REASON =
      Set.of("", "bad request", "invalid request", "400 bad request", "error", "unknown error");

  private static final Verdict CLIENT_LEFT =
      own(FailureClass.FATAL, Kind.CANCELLED, Blame.CALLER, "the client left");

  private static final Verdict FAULT =
      own(
          FailureClass.FATAL,
          Kind.SERVER_ERROR,
          Blame.GATEWAY,
          "a fault of this gateway's own ended the call");

  private KnownVerdicts() {}

  private static Verdict own(FailureClass failureClass, Kind kind, Blame blame, String because) {
    return new Verdict(
        new Finding(failureClass, kind, blame, RULE, because),
        new Advice(failureClass == FailureClass.TRANSIENT, null, false, null, false));
  }

  /** The configuration leads to the wrong place; another target may answer. */
  private static Verdict misconfigured(Kind kind, String rule, String because) {
    return new Verdict(
        new Finding(FailureClass.FATAL, kind, Blame.GATEWAY, rule, because),
        new Advice(false, null, true, null, true));
  }

  /**
   * What {@code failure} means to the maker of the request that it is about. Every failure of an
   * attempt is judged here, once.
   *
   * @param classify what a failure means by itself
   */
  public static Verdict judge(
      Failure failure, Function<Failure, Verdict> classify, Circumstances known) {
    if (failure instanceof Failure.Reply reply && reply.status() != null) {
      return judge(reply, reply.status(), classify, known);
    }
    return loosened(classify.apply(failure), known);
  }

  private static Verdict judge(
      Failure.Reply reply, int status, Function<Failure, Verdict> classify, Circumstances known) {
    if (isRedirect(status)) {
      return redirect(status);
    }
    if (status == 404 || status == 405) {
      var wrong = known.wrongBaseUrl();
      if (wrong != null) {
        return misconfigured(Kind.NOT_FOUND, "base-url", wrong);
      }
    }
    var verdict = loosened(classify.apply(reply), known);
    if (status != 400 && status != 422) {
      return verdict;
    }
    if (known.beganTheAnswer()) {
      return prefillRefused(verdict);
    }
    return verdict.repair() == null
            && (verdict.kind() == Kind.INVALID_REQUEST || verdict.kind() == Kind.OTHER)
            && saysNothing(known.words())
            && known.triesWithoutImages()
        ? perhapsImages(verdict)
        : verdict;
  }

  private static Verdict loosened(Verdict verdict, Circumstances known) {
    return verdict.repair() == null
            && verdict.failureClass() == FailureClass.LOGIC
            && verdict.kind() == Kind.INVALID_TOOL_SCHEMA
            && known.hasLooserSchema()
        ? verdict.with(verdict.advice().with(Repair.DROP_PARAMETER))
        : verdict;
  }

  private static boolean saysNothing(@Nullable String words) {
    return words == null
        || NO_REASON.contains(words.strip().replaceAll("[.!]$", "").toLowerCase(Locale.ROOT));
  }

  /** The client left before it had its answer. */
  public static Verdict clientLeft() {
    return CLIENT_LEFT;
  }

  /** This gateway has a bug. */
  public static Verdict fault() {
    return FAULT;
  }

  /**
   * An attempt would cost more than may be spent.
   *
   * @param forGood whether waiting for other calls does not help
   */
  public static Verdict budgetExceeded(boolean forGood, String because) {
    return own(
        forGood ? FailureClass.FATAL : FailureClass.TRANSIENT,
        Kind.BUDGET_EXCEEDED,
        Blame.CALLER,
        because);
  }

  /** No target's dialect can say what the request says. */
  public static Verdict untranslatable(String because) {
    return own(FailureClass.LOGIC, Kind.INVALID_REQUEST, Blame.CALLER, because);
  }

  /** Every key that could be used rests. */
  public static Verdict keysRest(String because) {
    return own(FailureClass.TRANSIENT, Kind.RATE_LIMIT, Blame.KEY, because);
  }

  /**
   * The limits of the provider's account, as the configuration has them, are used up.
   *
   * @param wait until there may be room
   */
  public static Verdict limitsUsed(String because, Duration wait) {
    var verdict = own(FailureClass.TRANSIENT, Kind.RATE_LIMIT, Blame.KEY, because);
    return verdict.with(verdict.advice().after(wait));
  }

  /**
   * No target can take the request now.
   *
   * @param blame the gateway's where its own queue is full, else the provider's
   */
  public static Verdict unavailable(Blame blame, String because) {
    return own(FailureClass.TRANSIENT, Kind.OVERLOADED, blame, because);
  }

  /** Whether {@code status} is a redirect: every 3xx but 304 (Not Modified). */
  public static boolean isRedirect(int status) {
    return status >= 300 && status < 400 && status != 304;
  }

  /** A provider's redirect, which Mainstay neither follows nor passes on. */
  public static Verdict redirect(int status) {
    return misconfigured(
        Kind.BAD_GATEWAY,
        REDIRECT,
        "The provider answered with a redirect ("
            + status
            + "), which Mainstay neither follows nor passes on: check the provider's base-url.");
  }

  /** A header of a provider's answer sends the client, with its key, to another address. */
  public static Verdict leadsElsewhere(String header) {
    return misconfigured(
        Kind.BAD_GATEWAY,
        REDIRECT,
        "The provider's "
            + header
            + " leads away from its base-url, so Mainstay does not pass it on: check the"
            + " base-url.");
  }

  /**
   * {@code given} where a Mainstay below has given the call up: its attempts and those of the
   * caller must not multiply.
   */
  public static Verdict givenUpBelow(Verdict given) {
    return given.with(given.advice().once().with(null));
  }

  /** The request began the answer for the model: asked otherwise it may do. */
  private static Verdict prefillRefused(Verdict refused) {
    return new Verdict(
        new Finding(
            FailureClass.LOGIC,
            Kind.UNSUPPORTED_PARAMETER,
            Blame.GATEWAY,
            refused.rule(),
            "The target does not take an answer that is begun for it."),
        new Advice(false, null, true, Repair.DROP_PARAMETER, false));
  }

  /** Images are what most refusals without a reason turn out to be about: they are left out. */
  private static Verdict perhapsImages(Verdict refused) {
    return new Verdict(
        new Finding(
            FailureClass.LOGIC,
            Kind.INVALID_REQUEST,
            Blame.CALLER,
            refused.rule(),
            "The provider does not say why; the request has images."),
        new Advice(false, null, refused.fallback(), Repair.STRIP_IMAGES, refused.alert()));
  }
}
