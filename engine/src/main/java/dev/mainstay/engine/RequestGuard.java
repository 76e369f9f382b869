package dev.mainstay.engine;

import dev.mainstay.call.api.Recipient;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries a request from its reading to its call, over all that is waited for in between: what
 * throws or fails on the way is logged, and the request is refused and gives back what it holds.
 * Belongs to the recipient's loop.
 *
 * @param undo gives back what the request holds; called at most once
 */
record RequestGuard(InboundRequest request, Recipient to, Runnable undo, Refusals refusals) {
  private static final Logger LOG = LoggerFactory.getLogger(RequestGuard.class);

  /** Runs {@code step} now. */
  void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error thrown) {
      failed(thrown);
    }
  }

  /** Gives what {@code stage} comes to, or its failure, to {@code then} on the recipient's loop. */
  <T> void then(
      CompletionStage<T> stage, BiConsumer<? super @Nullable T, @Nullable Throwable> then) {
    stage.whenComplete(
        (result, failed) -> to.loop().execute(() -> run(() -> then.accept(result, failed))));
  }

  private void failed(Throwable thrown) {
    // Not its message, which may quote the request.
    LOG.error(
        "{}: refused for a fault of this gateway's own: {}", request.id(), CallRefusal.at(thrown));
    try {
      refusals.refuse(CallRefusal.fault(), request, to);
    } finally {
      undo.run();
    }
  }
}
