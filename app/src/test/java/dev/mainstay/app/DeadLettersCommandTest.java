package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Beside a running gateway, whose provider refuses every connection. */
@Timeout(300)
class DeadLettersCommandTest {
  @TempDir Path directory;
  private Ledger ledger;
  private Gateway gateway;

  @BeforeEach
  void start() throws Exception {
    var config =
        ConfigLoader.parse(
            """
            server: { port: 0 }
            providers: { none: { dialect: openai, base-url: "http://127.0.0.1:1/v1", proxy: none } }
            recovery: { max-attempts: 1 }
            """,
            "test.yaml",
            Map.of());
    ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system());
    gateway = Gateway.start(config, ledger.recorder(), ledger.reader(), ledger.state());
  }

  @AfterEach
  void stop() {
    gateway.close();
    ledger.close();
  }

  private Run run(String... arguments) {
    var all = new String[arguments.length + 3];
    all[0] = "dead-letters";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[arguments.length + 1] = "--url";
    all[arguments.length + 2] = "http://127.0.0.1:" + gateway.port();
    return Run.of(all);
  }

  /** Submits a call and waits until it is a dead letter; its id. */
  private String letter() throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + gateway.port() + "/v1/chat/completions"))
              .header("prefer", "respond-async")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "{\"model\":\"none/m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"))
              .build();
      var id =
          client
              .send(request, HttpResponse.BodyHandlers.ofString())
              .headers()
              .firstValue("x-mainstay-call")
              .orElseThrow();
      while (!run("ls").out().contains(id)) {
        Thread.onSpinWait();
      }
      return id;
    }
  }

  @Test
  void aLetterIsListedShownAndRedrivenOnce() throws Exception {
    assertThat(run("ls").out().strip()).isEqualTo("No dead letters.");
    var id = letter();
    assertThat(run("ls").out()).contains(id, "dead", "connection_refused", "/v1/chat/completions");
    assertThat(run("ls", "--json").out()).startsWith("{\"dead_letters\":[{\"id\":\"" + id + "\"");
    assertThat(run("show", id).out())
        .contains("request", "\"content\":\"Hi\"", "answer, status", "connection_refused");
    var first = run("redrive", id);
    assertThat(first.code()).isZero();
    assertThat(first.out()).startsWith("Redriven as call_");
    var second = run("redrive", id);
    assertThat(second.code()).isEqualTo(1);
    assertThat(second.err()).contains("this dead letter was redriven already");
  }

  @Test
  void aLetterIsDiscardedOnce() throws Exception {
    var id = letter();
    assertThat(run("discard", id).out().strip()).isEqualTo("Discarded " + id + ".");
    assertThat(run("discard", id).code()).isEqualTo(1);
    assertThat(run("show", "call_none").err())
        .contains("no dead letter has the id call_none", "dead-letters ls");
  }

  @Test
  void aGatewayThatIsNotThereIsToldInWords() {
    var run = Run.of("dead-letters", "ls", "--gateway", "http://127.0.0.1:1");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("no gateway answers at http://127.0.0.1:1");
    var nowhere = Run.of("dead-letters", "ls", "--gateway", "nowhere");
    assertThat(nowhere.code()).isEqualTo(2);
    assertThat(nowhere.err()).contains("no http or https URL");
    assertThat(Run.of("dead-letters").code()).isEqualTo(2);
  }
}
