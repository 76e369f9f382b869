package dev.mainstay.call.admission;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.request.Continuation;
import dev.mainstay.call.request.RequestBodies;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.http.UrlPath;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the requests of a model call and reserves the money for them. */
public final class AttemptPreparation implements Preparation<RequestBodies.Ready> {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptPreparation.class);

  private final Route route;
  private final RequestBodies bodies;
  private final BudgetReservation reservation;
  private final CallRecorder recorder;
  private final Supplier<@Nullable Continuation> continuation;

  /**
   * @param continuation the answer that is gone on with, or null
   */
  public AttemptPreparation(
      Route route,
      RequestBodies bodies,
      BudgetReservation reservation,
      CallRecorder recorder,
      Supplier<@Nullable Continuation> continuation) {
    this.route = route;
    this.bodies = bodies;
    this.reservation = reservation;
    this.recorder = recorder;
    this.continuation = continuation;
  }

  @Override
  public Result<RequestBodies.Ready> prepare(int target, ProviderSpec spec) {
    return switch (asked(target, spec)) {
      case RequestBodies.Unsayable no -> {
        recorder.unsayable(no.why());
        yield new Result.Impossible<>(no.why());
      }
      case RequestBodies.Ready sayable ->
          new Result.Ready<>(
              sayable,
              reservation.before(route.target(target), sayable.operation(), sayable.body()));
    };
  }

  @Override
  public void unaffordable(BudgetReservation.Answer.Refused why) {
    recorder.unaffordable(why);
  }

  @Override
  public void unused() {
    reservation.after(0L, true);
  }

  /** A request nobody foresaw costs its target, and not the call. */
  private RequestBodies.Prepared asked(int target, ProviderSpec spec) {
    try {
      var asked = bodies.of(target, spec, continuation.get());
      var model = route.target(target).model();
      return asked instanceof RequestBodies.Ready ready
              && ready.operation().modelInPath()
              && UrlPath.flaw("/" + RequestBodies.pathSegment(model)) != null
          ? new RequestBodies.Unsayable("the model's name does not fit into a URL's path")
          : asked;
    } catch (RuntimeException e) {
      LOG.error(
          "{}: Mainstay could not write the request for {}: {}",
          recorder.id(),
          spec.name(),
          UnexpectedError.where(e));
      return new RequestBodies.Unsayable("Mainstay could not write the request");
    }
  }
}
