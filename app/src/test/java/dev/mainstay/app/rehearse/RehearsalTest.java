package dev.mainstay.app.rehearse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
  @TempDir Path store;

  @Test
  void everyCallIsAnsweredWhateverGoesWrongInIt() throws Exception {
    try (var simulator = Simulator.start(0, Script.parse(RehearseCommand.resource("script.yaml")));
        var ledger = SqliteLedger.open(LedgerConfig.in(store), InstantSource.system());
        var gateway =
            Gateway.start(
                ConfigLoader.parse(
                        RehearseCommand.resource("rehearsal.yaml"),
                        "rehearsal.yaml",
                        Map.of(
                            "REHEARSAL_STORE", store.toString(),
                            "REHEARSAL_SIMULATOR", simulator.url()))
                    .withPort(0),
                ledger.recorder(),
                ledger.reader(),
                ledger.state())) {
      assertThat(Rehearsal.of(gateway.port(), 100)).isEqualTo(100);
      assertThat(simulator.log("failing")).isNotEmpty();
    }
  }
}
