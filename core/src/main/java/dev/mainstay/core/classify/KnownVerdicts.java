package dev.mainstay.core.classify;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;

/**
 * Verdicts on what the one who makes the calls knows and no rule can read from an answer: that the
 * client left, that a budget is spent, what was in the request that a provider refused. With the
 * rule tables these are all the verdicts there are.
 */
public final class KnownVerdicts {
  private static final String RULE = "gateway";

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
        failureClass,
        kind,
        blame,
        failureClass == FailureClass.TRANSIENT,
        null,
        false,
        null,
        false,
        RULE,
        because);
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
    return new Verdict(
        FailureClass.TRANSIENT,
        Kind.RATE_LIMIT,
        Blame.KEY,
        true,
        wait,
        false,
        null,
        false,
        RULE,
        because);
  }

  /**
   * No target can take the request now.
   *
   * @param blame the gateway's where its own queue is full, else the provider's
   */
  public static Verdict unavailable(Blame blame, String because) {
    return own(FailureClass.TRANSIENT, Kind.OVERLOADED, blame, because);
  }

  /** A provider's answer leads to an address that Mainstay neither follows nor passes on. */
  public static Verdict leadsElsewhere(String because) {
    return new Verdict(
        FailureClass.FATAL,
        Kind.BAD_GATEWAY,
        Blame.GATEWAY,
        false,
        null,
        true,
        null,
        true,
        "redirect",
        because);
  }

  /** The configured base URL leads to a place where the provider has nothing. */
  public static Verdict wrongBaseUrl(String because) {
    return new Verdict(
        FailureClass.FATAL,
        Kind.NOT_FOUND,
        Blame.GATEWAY,
        false,
        null,
        true,
        null,
        true,
        "base-url",
        because);
  }

  /**
   * {@code refused} where the request began the answer for the model: asked otherwise it may do.
   */
  public static Verdict prefillRefused(Verdict refused) {
    return new Verdict(
        FailureClass.LOGIC,
        Kind.UNSUPPORTED_PARAMETER,
        Blame.GATEWAY,
        false,
        null,
        true,
        Repair.DROP_PARAMETER,
        false,
        refused.rule(),
        "The target does not take an answer that is begun for it.");
  }

  /** {@code refused}, which does not say why, where the request has images: they are left out. */
  public static Verdict perhapsImages(Verdict refused) {
    return new Verdict(
        FailureClass.LOGIC,
        Kind.INVALID_REQUEST,
        Blame.CALLER,
        false,
        null,
        refused.fallback(),
        Repair.STRIP_IMAGES,
        refused.alert(),
        refused.rule(),
        "The provider does not say why; the request has images.");
  }

  /** {@code refused} where the tool's schema can do without the keywords that it names. */
  public static Verdict looserSchema(Verdict refused) {
    return new Verdict(
        refused.failureClass(),
        refused.kind(),
        refused.blame(),
        refused.retrySame(),
        refused.retryAfter(),
        refused.fallback(),
        Repair.DROP_PARAMETER,
        refused.alert(),
        refused.rule(),
        refused.because());
  }
}
