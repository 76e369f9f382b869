package dev.mainstay.gateway;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;

/** A store in a folder that goes with it. */
public final class TemporaryState implements AutoCloseable {
  private final Path folder;
  private final Ledger ledger;

  /** Opens it. */
  public TemporaryState() {
    try {
      folder = Files.createTempDirectory("mainstay-state");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
  }

  /** What is in it. */
  public DurableState state() {
    return ledger.state();
  }

  @Override
  public void close() {
    ledger.close();
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
