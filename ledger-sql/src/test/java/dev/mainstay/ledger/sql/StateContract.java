package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.DurableState;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What all contracts of the state begin with: an empty store and a process on it. */
@Timeout(180)
abstract class StateContract {
  static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");

  TestStore store;
  DurableState state;
  private TestStore.Opened opened;

  /** An empty store. */
  protected abstract TestStore store() throws Exception;

  @BeforeEach
  void openStore() throws Exception {
    store = store();
    opened = store.open(NOON, roomAtFirst());
    state = opened.state();
  }

  long roomAtFirst() {
    return TestStore.ROOMY;
  }

  @AfterEach
  void closeStore() throws Exception {
    opened.close().run();
    store.close();
  }

  void reopen(Instant now, long maxBytes) throws Exception {
    opened.close().run();
    opened = store.open(now, maxBytes);
    state = opened.state();
  }

  static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
