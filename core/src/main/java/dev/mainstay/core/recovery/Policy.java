package dev.mainstay.core.recovery;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.core.verdict.Repair;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * How much Mainstay does for one call, and for what. Immutable; a policy that contradicts itself is
 * refused with an {@link InvalidPolicyException}. Timeouts, breakers and the retry budget are the
 * owner's.
 */
public record Policy(
    @Setting(
            value =
                "The most upstream requests for one call: retries, fallbacks, repairs and"
                    + " continuations together. At least the number of targets, unless"
                    + " `fallback.on` is off.",
            byDefault = "5",
            least = "1",
            most = "100")
        int maxAttempts,
    @Setting(
            value =
                "The time from the call's start within which all attempts and waits must reach the"
                    + " first byte and every later attempt must begin. A stream that still sends"
                    + " may continue after it.",
            byDefault = "9m30s",
            least = "1ms")
        Duration deadline,
    @Setting("Retries at the same target.") Retry retry,
    @Setting("Fallback to the next target.") Fallback fallback,
    @Setting(
            value = "What Mainstay does with a stream that breaks after the commit point.",
            byDefault = "continue")
        MidStream midStream,
    @Setting(
            value =
                "The repairs that Mainstay may make. A repair that is not listed is off, and so is"
                    + " its check. trim-context and refresh-credentials apply only to agents and"
                    + " Java programs.",
            byDefault =
                "tool-name,tool-arguments,tool-history,drop-parameter,lower-max-tokens,"
                    + "strip-images,self-correct")
        Set<RepairOption> repairs,
    @Setting(
            value =
                "Whether Mainstay falls back when a target refuses the request for its content.",
            byDefault = "false")
        boolean contentFilterFallback,
    @Setting("The bound of each kind of recovery in one call, within `max-attempts`.")
        Bounds bounds) {

  private static final Policy DEFAULTS = Declaration.defaults(Policy.class);

  public Policy {
    Declaration.check(
        "",
        Policy.class,
        maxAttempts,
        deadline,
        retry,
        fallback,
        midStream,
        repairs,
        contentFilterFallback,
        bounds);
    var copy = EnumSet.noneOf(RepairOption.class);
    copy.addAll(repairs);
    repairs = Collections.unmodifiableSet(copy);
    if (retry.initialDelay().compareTo(deadline) >= 0) {
      throw new InvalidPolicyException(
          "retry.initial-delay",
          "%s is not within the deadline of %s"
              .formatted(
                  InvalidPolicyException.text(retry.initialDelay()),
                  InvalidPolicyException.text(deadline)));
    }
  }

  public static Policy defaults() {
    return DEFAULTS;
  }

  /**
   * This policy, if it can serve {@code route}.
   *
   * @throws InvalidPolicyException where it has fewer attempts than the route has targets
   */
  public Policy checkedFor(Route route) {
    if (fallback.on() != FallbackOn.OFF && maxAttempts < route.size()) {
      throw new InvalidPolicyException(
          "max-attempts",
          maxAttempts
              + " is fewer than the "
              + route.size()
              + " targets, so the last could never be asked");
    }
    return this;
  }

  /** Whether the policy lets the request, the client or the answer be changed like this. */
  public boolean allows(Repair repair) {
    if (repair == Repair.REFRESH_CLIENT) {
      return true;
    }
    for (var option : repairs) {
      if (option.repair() == repair) {
        return true;
      }
    }
    return false;
  }

  public Policy withMaxAttempts(int value) {
    return Declaration.with(this, Map.of("maxAttempts", value));
  }

  public Policy withDeadline(Duration value) {
    return Declaration.with(this, Map.of("deadline", value));
  }

  public Policy withRetry(Retry value) {
    return Declaration.with(this, Map.of("retry", value));
  }

  public Policy withFallback(FallbackOn on) {
    return Declaration.with(this, Map.of("fallback", new Fallback(on)));
  }

  public Policy withMidStream(MidStream value) {
    return Declaration.with(this, Map.of("midStream", value));
  }

  public Policy withRepairs(Set<RepairOption> value) {
    return Declaration.with(this, Map.of("repairs", value));
  }

  public Policy withContentFilterFallback(boolean value) {
    return Declaration.with(this, Map.of("contentFilterFallback", value));
  }

  public Policy withBounds(Bounds value) {
    return Declaration.with(this, Map.of("bounds", value));
  }

  /** When Mainstay asks the same target again. */
  public record Retry(
      @Setting(
              value =
                  "The failures after which Mainstay retries. Each value includes those before it.",
              byDefault = "transient")
          RetryOn on,
      @Setting(
              value = "The most attempts at one target, the first included.",
              byDefault = "3",
              least = "1",
              most = "100")
          int maxPerTarget,
      @Setting(
              value = "The longest wait before the second attempt at a target.",
              byDefault = "500ms")
          Duration initialDelay,
      @Setting(
              value = "The factor by which the longest wait grows with each attempt.",
              byDefault = "2.0",
              least = "1",
              most = "100")
          double factor,
      @Setting(value = "The upper bound of the wait; at least `initial-delay`.", byDefault = "30s")
          Duration maxDelay,
      // Full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
      @Setting(
              value = "Whether Mainstay draws each wait evenly between 0 and the longest wait.",
              byDefault = "true")
          boolean jitter,
      @Setting(
              value =
                  "If the provider asks for a longer wait, Mainstay falls back to the next"
                      + " available target at once.",
              byDefault = "2s")
          Duration patience,
      @Setting(value = "The longest wait that Mainstay accepts from a provider.", byDefault = "1m")
          Duration maxRetryAfter) {

    private static final Retry DEFAULTS = Declaration.defaults(Retry.class);

    public Retry {
      Declaration.check(
          "retry",
          Retry.class,
          on,
          maxPerTarget,
          initialDelay,
          factor,
          maxDelay,
          jitter,
          patience,
          maxRetryAfter);
      if (maxDelay.compareTo(initialDelay) < 0) {
        throw new InvalidPolicyException(
            "retry.max-delay",
            "%s is shorter than the initial-delay of %s"
                .formatted(
                    InvalidPolicyException.text(maxDelay),
                    InvalidPolicyException.text(initialDelay)));
      }
    }

    public static Retry defaults() {
      return DEFAULTS;
    }

    public Retry withOn(RetryOn value) {
      return Declaration.with(this, Map.of("on", value));
    }

    public Retry withMaxPerTarget(int value) {
      return Declaration.with(this, Map.of("maxPerTarget", value));
    }

    /** The waits: from {@code initial}, growing by {@code by}, up to {@code max}. */
    public Retry withDelays(Duration initial, double by, Duration max) {
      return Declaration.with(this, Map.of("initialDelay", initial, "factor", by, "maxDelay", max));
    }

    public Retry withJitter(boolean value) {
      return Declaration.with(this, Map.of("jitter", value));
    }

    public Retry withPatience(Duration value) {
      return Declaration.with(this, Map.of("patience", value));
    }

    public Retry withMaxRetryAfter(Duration value) {
      return Declaration.with(this, Map.of("maxRetryAfter", value));
    }
  }

  /** When Mainstay asks the next target. */
  public record Fallback(
      @Setting(
              value =
                  "The failures after which Mainstay falls back. Each value includes those before"
                      + " it.",
              byDefault = "context")
          FallbackOn on) {
    public Fallback {
      Declaration.check("fallback", Fallback.class, on);
    }

    public static Fallback defaults() {
      return Declaration.defaults(Fallback.class);
    }
  }

  /** How often each kind of recovery may happen in one call; no other path resets them. */
  public record Bounds(
      @Setting(
              value = "New attempts after a stream broke, whether they restart or continue it.",
              byDefault = "3",
              least = "0")
          int streamRestarts,
      @Setting(
              value = "The bound of each repair that has no bound of its own.",
              byDefault = "2",
              least = "0")
          int repairs,
      @Setting(value = "Repairs that remove images.", byDefault = "3", least = "0") int imageStrips,
      @Setting(value = "Repairs that shorten the conversation.", byDefault = "2", least = "0")
          int compactions,
      @Setting(value = "Fresh clients in place of closed clients.", byDefault = "1", least = "0")
          int clientRefreshes,
      @Setting(
              value = "The number of refusals after which a call leaves a target.",
              byDefault = "3",
              least = "1")
          int refusals,
      @Setting(
              value = "Attempts at a target after an attempt timed out there.",
              byDefault = "1",
              least = "0")
          int afterTimeout) {

    private static final Bounds DEFAULTS = Declaration.defaults(Bounds.class);

    public Bounds {
      Declaration.check(
          "bounds",
          Bounds.class,
          streamRestarts,
          repairs,
          imageStrips,
          compactions,
          clientRefreshes,
          refusals,
          afterTimeout);
    }

    public static Bounds defaults() {
      return DEFAULTS;
    }

    public Bounds withStreamRestarts(int value) {
      return Declaration.with(this, Map.of("streamRestarts", value));
    }

    public Bounds withAfterTimeout(int value) {
      return Declaration.with(this, Map.of("afterTimeout", value));
    }

    /** How often {@code repair} may be tried in one call. */
    public int of(Repair repair) {
      return switch (repair.bound()) {
        case IMAGE_STRIPS -> imageStrips;
        case COMPACTIONS -> compactions;
        case CLIENT_REFRESHES -> clientRefreshes;
        case REPAIRS -> repairs;
      };
    }
  }
}
