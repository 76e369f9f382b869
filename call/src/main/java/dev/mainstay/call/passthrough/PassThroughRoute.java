package dev.mainstay.call.passthrough;

import dev.mainstay.call.admission.AdmissionControl;
import dev.mainstay.call.admission.CallOutlook;
import dev.mainstay.call.admission.KeyChoice;
import dev.mainstay.call.admission.Preparation;
import dev.mainstay.call.admission.ProviderState;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.passthrough.PassThroughRouter.Destination;
import dev.mainstay.call.passthrough.PassThroughRouter.ProviderPath;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.GuardedLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a request that passes through has once it is known where it goes: one target, what is known
 * of it, and the recovery and the admission of its attempts. Belongs to the exchange's loop.
 */
final class PassThroughRoute {
  /** Stands for the model in the names of targets that requests pass through to. */
  private static final String AS_MODEL = "pass-through";

  final Destination.To to;
  final Recovery recovery;
  final AdmissionControl<ProviderPath> admission;
  private final CallOutlook outlook;

  /** The gateway's own queue was full. */
  private boolean noRoom;

  PassThroughRoute(
      Destination.To to,
      PassThroughRequest request,
      Services services,
      ProviderState providers,
      AdmissionControl.Owner<ProviderPath> owner,
      GuardedLoop loop) {
    this.to = to;
    var policy = request.settings().policy().withFallback(FallbackOn.OFF);
    var route = Route.of(new TargetId(to.way().provider(), AS_MODEL));
    outlook =
        new CallOutlook(
            route, new KeyChoice(0, true, to.objects().key()), providers, () -> noRoom = true);
    recovery =
        Recovery.start(
            policy, route, outlook, services.random(), services.nanos().getAsLong(), Limits.NONE);
    admission =
        new AdmissionControl<>(
            owner,
            outlook,
            (target, spec) -> new Preparation.Result.Ready<>(to.way(), null),
            services.nanos(),
            loop,
            policy.retry().patience(),
            recovery.attemptsUntilNanos());
  }

  /**
   * Why no attempt can be made now.
   *
   * @param reason in words, where the target itself has none
   * @param wait until there may be one, or null
   */
  Verdict unavailable(String reason, @Nullable Duration wait, long now) {
    var why =
        outlook.of(recovery.route().target(0), now) instanceof Availability.Resting rests
            ? rests.reason()
            : reason;
    return outlook.onlyKeysRest(now) && !noRoom
        ? KnownVerdicts.limitsUsed(why, wait == null ? Duration.ZERO : wait)
        : KnownVerdicts.unavailable(noRoom ? Blame.GATEWAY : Blame.PROVIDER, why);
  }
}
