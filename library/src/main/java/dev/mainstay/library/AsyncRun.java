package dev.mainstay.library;

import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Stage;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous call under way. Its attempts follow each other, so that only a cancel comes from
 * aside: {@link #course} and the fields below are touched under the lock, the program's own code is
 * run outside it.
 */
final class AsyncRun<T> {
  static final String NO_STAGE = "the wrapped call gave no stage";

  private final Wrapped<CompletionStage<T>> wrapped;
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final CallExecution course;
  private final Object lock = new Object();
  private boolean ended;
  private @Nullable CompletionStage<T> inFlight;
  private Timer.@Nullable Cancellation waiting;

  AsyncRun(Wrapped<CompletionStage<T>> wrapped) {
    this.wrapped = wrapped;
    course =
        new CallExecution(
            wrapped.mainstay(),
            wrapped.targets(),
            wrapped.menders(),
            wrapped.steps(),
            wrapped.mainstay().timer().nanoTime(),
            null);
  }

  CompletableFuture<T> result() {
    return result;
  }

  void begin() {
    var unused =
        result.whenComplete(
            (_, _) -> {
              if (result.isCancelled()) {
                cancel();
              }
            });
    Decision decision;
    synchronized (lock) {
      decision = course.first();
    }
    carryOut(decision);
  }

  private void cancel() {
    CompletionStage<T> attempt;
    synchronized (lock) {
      if (ended) {
        return;
      }
      ended = true;
      course.cancelled();
      attempt = inFlight;
      if (waiting != null) {
        waiting.cancel();
      }
    }
    cancelAttempt(attempt);
  }

  static void cancelAttempt(@Nullable CompletionStage<?> attempt) {
    if (attempt == null) {
      return;
    }
    try {
      attempt.toCompletableFuture().cancel(true);
    } catch (UnsupportedOperationException e) {
      // A stage that gives no future cannot be told; its result is ignored.
      return;
    }
  }

  private void carryOut(Decision decision) {
    if (decision instanceof Decision.GiveUp giveUp) {
      Throwable end;
      synchronized (lock) {
        if (ended) {
          return;
        }
        ended = true;
        end = course.end(giveUp);
      }
      result.completeExceptionally(end);
      return;
    }
    if (decision.waitNanos() == 0) {
      attempt(decision);
      return;
    }
    synchronized (lock) {
      if (!ended) {
        waiting = wrapped.mainstay().timer().after(decision.waitNanos(), () -> attempt(decision));
      }
    }
  }

  private void attempt(Decision decision) {
    int target = CallExecution.targetOf(decision);
    Decision otherwise = null;
    synchronized (lock) {
      if (ended) {
        return;
      }
      waiting = null;
      if (decision instanceof Decision.RetryRepaired mend) {
        otherwise = course.mend(mend);
      } else {
        var refused = course.admit(target);
        if (refused != null) {
          otherwise = course.refused(refused);
        }
      }
    }
    if (otherwise != null) {
      carryOut(otherwise);
      return;
    }
    CompletionStage<T> stage;
    try {
      stage = Objects.requireNonNull(wrapped.steps()[target].run(), NO_STAGE);
    } catch (Throwable failure) {
      failed(failure);
      return;
    }
    boolean late;
    synchronized (lock) {
      late = ended;
      inFlight = stage;
    }
    if (late) {
      cancelAttempt(stage); // the cancel came while the attempt was being made
    }
    var unused =
        stage.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                failed(failure);
              } else {
                answered(answer);
              }
            });
  }

  private void answered(T answer) {
    synchronized (lock) {
      if (ended) {
        return;
      }
      ended = true;
      course.answered();
    }
    result.complete(answer);
  }

  private void failed(Throwable failure) {
    var cause = CallExecution.unwrap(failure);
    Decision decision;
    synchronized (lock) {
      if (ended) {
        return;
      }
      inFlight = null;
      boolean stopped =
          cause instanceof Error
              || cause instanceof CancellationException
              || cause instanceof InterruptedException;
      if (stopped) {
        ended = true;
        course.cancelled();
        decision = null;
      } else {
        decision = course.failed(failure, Stage.NOTHING);
      }
    }
    if (decision == null) {
      result.completeExceptionally(cause);
    } else {
      carryOut(decision);
    }
  }
}
