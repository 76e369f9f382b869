package dev.mainstay.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.sql.SqlState;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database that answers, and too late. */
@Timeout(180)
class SlowStoreTest {
  private final String url;

  SlowStoreTest() throws Exception {
    url = Servers.newDatabase();
  }

  @Test
  void healthSaysSoWhileAnswersComeTooLate() throws Exception {
    var state =
        new SqlState(
            new PostgresDatabase(url, Duration.ZERO),
            "slow",
            Duration.ofMinutes(10),
            InstantSource.system(),
            1 << 20);
    state.start();
    try {
      assertThat(state.trouble()).isNull();
      while (state.failed() == 0) {
        state.keptCalls().find("any");
        state.expire();
      }
      assertThat(state.trouble()).contains("The store is slow");
      // No answer at all is no answer in time.
      while (state.keptCalls().find("any").handle((found, e) -> e).toCompletableFuture().join()
          != null) {
        Thread.onSpinWait();
      }
      while (state.trouble() != null) {
        state.expire();
        Thread.onSpinWait();
      }
    } finally {
      state.close();
    }
  }
}
