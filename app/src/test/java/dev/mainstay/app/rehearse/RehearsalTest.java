package dev.mainstay.app.rehearse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
  @TempDir Path store;

  private static int status(int port, String page) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + page)).build();
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

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
      for (var page : Rehearsal.PAGES) {
        // Agents and the studio are not part of this gateway.
        if (page.startsWith("/api/") && !page.equals("/api/runs")) {
          assertThat(status(gateway.port(), page)).as(page).isEqualTo(200);
        }
      }
    }
  }
}
