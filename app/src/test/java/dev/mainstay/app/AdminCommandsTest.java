package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Faults;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands show of a gateway that runs elsewhere. */
class AdminCommandsTest {
  @TempDir Path folder;
  private Simulator simulator;
  private Ledger ledger;
  private Gateway gateway;
  private String url;

  @BeforeEach
  void start() throws Exception {
    simulator = Simulator.start();
    simulator.script(Script.of("gpt-4o", Faults.step("openai-server-error")));
    ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
    gateway =
        Gateway.start(
            ConfigLoader.parse(
                """
                server: { port: 0 }
                admin: { token: the-token }
                providers:
                  openai: { dialect: openai, base-url: "%s", keys: [k] }
                """
                    .formatted(simulator.openAiUrl()),
                "test.yaml",
                Map.of()),
            ledger.recorder(),
            ledger.reader(),
            ledger.state());
    url = "http://127.0.0.1:" + gateway.port();
    try (var http = HttpClient.newHttpClient()) {
      http.send(
          HttpRequest.newBuilder(URI.create(url + "/v1/chat/completions"))
              .POST(
                  BodyPublishers.ofString(
                      "{\"model\":\"openai/gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"))
              .build(),
          BodyHandlers.discarding());
    }
    while (ledger.reader().calls(CallQuery.newest(1)).calls().isEmpty()) {
      ledger.recorder().flush(Duration.ofSeconds(60));
    }
  }

  @AfterEach
  void stop() {
    gateway.close();
    ledger.close();
    simulator.close();
  }

  @Test
  void callsAreReadThroughTheGatewayAsTheyAreFromItsDirectory() {
    var id = ledger.reader().calls(CallQuery.newest(1)).calls().getFirst().id();
    var here = Run.of("calls", "ls", "--store", folder.toString());
    var there = Run.of("calls", "ls", "--url", url, "--token", "the-token");
    assertThat(there.code()).as(there.err()).isZero();
    assertThat(there.out()).contains(id, "openai/gpt-4o", "retry");
    assertThat(there.out().lines().count()).isEqualTo(here.out().lines().count());
    var shown = Run.of("calls", "show", id, "--bodies", "--url", url, "--token", "the-token");
    assertThat(shown.code()).as(shown.err()).isZero();
    assertThat(shown.out()).contains("attempt 1", "attempt 2", "\"content\":\"hi\"");
    var missing = Run.of("calls", "show", "call_none", "--url", url, "--token", "the-token");
    assertThat(missing.code()).isEqualTo(1);
  }

  @Test
  void programsReadTheSameCallFromTheApiFromTheDirectoryAndThroughTheGateway() throws Exception {
    var id = ledger.reader().calls(CallQuery.newest(1)).calls().getFirst().id();
    String api;
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(url + "/api/calls/" + id))
              .header("authorization", "Bearer the-token");
      api = http.send(request.build(), BodyHandlers.ofString()).body();
    }
    assertThat(Run.of("calls", "show", id, "--json", "--store", folder.toString()).out().strip())
        .isEqualTo(api);
    var there = Run.of("calls", "show", id, "--json", "--url", url, "--token", "the-token");
    assertThat(there.out().strip()).isEqualTo(api);
    assertThat(Run.of("calls", "ls", "--json", "--store", folder.toString()).out())
        .isEqualTo(Run.of("calls", "ls", "--json", "--url", url, "--token", "the-token").out());
  }

  @Test
  void breakersAreListedAndReset() {
    var listed = Run.of("breakers", "ls", "--url", url, "--token", "the-token");
    assertThat(listed.code()).as(listed.err()).isZero();
    assertThat(listed.out()).contains("openai/gpt-4o", "closed");
    var reset = Run.of("breakers", "reset", "openai/gpt-4o", "--url", url, "--token", "the-token");
    assertThat(reset.out()).contains("openai/gpt-4o is closed");
    assertThat(Run.of("breakers", "ls", "--json", "--url", url, "--token", "the-token").out())
        .contains("\"state\":\"closed\"");
    var unknown = Run.of("breakers", "reset", "openai/none", "--url", url, "--token", "the-token");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("breakers ls");
  }

  @Test
  void aWrongTokenAndAWrongAddressAreSaidInWords() {
    var refused = Run.of("breakers", "ls", "--url", url, "--token", "wrong");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("MAINSTAY_ADMIN_TOKEN").doesNotContain("wrong");
    assertThat(Run.of("breakers", "ls", "--url", "nowhere").code()).isEqualTo(2);
  }
}
