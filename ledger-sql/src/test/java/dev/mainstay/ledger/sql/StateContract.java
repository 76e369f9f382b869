package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.DurableState;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What all contracts of the state begin with: an empty store and a process on it. */
@Timeout(60)
abstract class StateContract {
  static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");

  TestStore store;
  DurableState state;

  /** An empty store. */
  protected abstract TestStore store() throws Exception;

  @BeforeEach
  void openStore() throws Exception {
    store = store();
    state = store.open(NOON, roomAtFirst());
  }

  long roomAtFirst() {
    return TestStore.ROOMY;
  }

  @AfterEach
  void closeStore() throws Exception {
    state.close();
    store.close();
  }

  void reopen(Instant now, long maxBytes) throws Exception {
    state.close();
    state = store.open(now, maxBytes);
  }

  static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
