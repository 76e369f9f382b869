package dev.mainstay.app.calls;

import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Which ledger to read; it may be one that a gateway is writing at the moment. */
final class StoreOption {
  @Option(
      names = "--store",
      paramLabel = "DIR",
      defaultValue = "${env:MAINSTAY_STORE:-./mainstay-data}",
      description = "The ledger's directory. Default: ${DEFAULT-VALUE}")
  private Path store = Path.of("mainstay-data");

  LedgerReader open() {
    return SqliteLedger.read(store);
  }
}
