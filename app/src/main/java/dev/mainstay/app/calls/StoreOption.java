package dev.mainstay.app.calls;

import dev.mainstay.app.admin.GatewayOption;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Which ledger to read: that of a gateway that was named, else a directory, which may be one that a
 * gateway is writing at the moment.
 */
final class StoreOption {
  @Option(
      names = "--store",
      paramLabel = "DIR",
      defaultValue = "${env:MAINSTAY_STORE:-./mainstay-data}",
      description =
          "The ledger's directory. Default: what MAINSTAY_STORE says, else ./mainstay-data; now"
              + " ${DEFAULT-VALUE}.")
  private Path store = Path.of("mainstay-data");

  @Mixin private GatewayOption gateway = new GatewayOption();

  LedgerReader open() {
    var named = gateway.named();
    return named == null ? SqliteLedger.read(store) : new RemoteReader(named);
  }
}
