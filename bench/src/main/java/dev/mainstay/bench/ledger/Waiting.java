package dev.mainstay.bench.ledger;

import java.util.concurrent.CompletionStage;

/** For a store's answers. */
final class Waiting {
  private Waiting() {}

  static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
