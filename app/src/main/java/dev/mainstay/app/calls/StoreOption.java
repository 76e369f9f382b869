package dev.mainstay.app.calls;

import dev.mainstay.app.admin.GatewayOption;
import dev.mainstay.app.serve.Ledgers;
import dev.mainstay.ledger.CallReader;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Which ledger to read: that of a gateway that was named, else a directory or a database, which a
 * gateway may be writing at the moment.
 */
final class StoreOption {
  @Option(
      names = "--store",
      paramLabel = "STORE",
      defaultValue = "${env:MAINSTAY_STORE:-./mainstay-data}",
      description =
          "The ledger's directory, or jdbc:postgresql://… Default: MAINSTAY_STORE, or else"
              + " ./mainstay-data.")
  private String store = "mainstay-data";

  @Mixin private GatewayOption gateway = new GatewayOption();

  CallReader open() {
    var named = gateway.named();
    return named == null ? Ledgers.read(store) : new RemoteReader(named);
  }
}
