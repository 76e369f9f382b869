package dev.mainstay.gateway;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A gateway over a store that outlives it: closed and opened again, it is the next process. */
@SuppressWarnings("NullAway.Init")
abstract class StoreTest {
  static final String CHAT = "/v1/chat/completions";

  @TempDir Path directory;
  Ledger ledger;
  Harness h;

  @BeforeEach
  void open() {
    open("");
  }

  /**
   * @param more YAML lines added at the top level
   */
  void open(String more) {
    ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system());
    h = new Harness(more, "drain: 2s", ledger.state());
  }

  @AfterEach
  void close() {
    h.close();
    ledger.close();
  }
}
