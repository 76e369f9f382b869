package dev.mainstay.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.recording.SearchableText;
import dev.mainstay.call.redact.Redaction;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.ledger.state.FailureCases;
import dev.mainstay.wire.json.Tree;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Calls are found by what was said in them, by those who may read it. */
@Timeout(180)
final class TextSearchTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Of {@code secret}, in few rounds: a test is no place to wait. */
  private static final String HASH =
      "pbkdf2-sha256:1000:AAECAwQFBgcICQoLDA0ODw:Tvsru20utY6o3q7VRBeuL9h_1QqKhWhwk2PaYNRWBgY";

  private static final String ASKED =
      "{\"model\":\"one/gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\"Please refund order"
          + " 4711 of ann@example.org\"}]}";

  @TempDir private Path folder;
  private ScriptedProvider provider;
  private Ledger ledger;

  @BeforeEach
  void open() throws Exception {
    provider = new ScriptedProvider();
    ledger =
        SqliteLedger.open(
            LedgerConfig.in(folder)
                .redacting(Redaction.of(List.of("/[a-z]+@example.org/")))
                .searching(SearchableText.INSTANCE),
            InstantSource.system());
  }

  @AfterEach
  void close() {
    ledger.close();
    provider.close();
  }

  private Gateway gateway(String recording) throws Exception {
    var accounts = new StringBuilder();
    for (var role : List.of("viewer", "operator")) {
      accounts.append(
          "    - { name: %s, role: %s, password-hash: \"%s\" }\n".formatted(role, role, HASH));
    }
    return Gateway.start(
        ConfigLoader.parse(
            """
            server: { port: 0 }
            recording: { %s }
            admin:
              accounts:
            %sproviders:
              one: { dialect: openai, base-url: "%s/v1", keys: ["%s"] }
            """
                .formatted(recording, accounts, provider.url(), ScriptedProvider.KEY),
            "test.yaml",
            Map.of()),
        ledger.recorder(),
        ledger.reader(),
        ledger.state());
  }

  private String ask(Gateway gateway) throws Exception {
    var answer =
        CLIENT.send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + gateway.port() + "/v1/chat/completions"))
                .POST(HttpRequest.BodyPublishers.ofString(ASKED))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    var id = answer.headers().firstValue("x-mainstay-call").orElseThrow();
    while (ledger.reader().call(id) == null) {
      ledger.recorder().flush(Duration.ofSeconds(60));
    }
    return id;
  }

  private static JsonNode get(Gateway gateway, String as, String path, String q) throws Exception {
    var question = (path.endsWith("&") ? "q=" : "?q=") + URLEncoder.encode(q, UTF_8);
    return get(gateway, as, path + question);
  }

  private static JsonNode get(Gateway gateway, String as, String path) throws Exception {
    var url = "http://127.0.0.1:" + gateway.port();
    var signedIn =
        CLIENT.send(
            HttpRequest.newBuilder(URI.create(url + "/api/session"))
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"name\":\"%s\",\"password\":\"secret\"}".formatted(as)))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    var cookie = signedIn.headers().firstValue("set-cookie").orElseThrow();
    var answer =
        CLIENT.send(
            HttpRequest.newBuilder(URI.create(url + path))
                .header("cookie", cookie.substring(0, cookie.indexOf(';')))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
    return Tree.read(answer.body());
  }

  @Test
  void anOperatorFindsACallByItsWordsAndAViewerDoesNot() throws Exception {
    try (var gateway = gateway("")) {
      var id = ask(gateway);
      for (var words : List.of("refund", "REFUND 4711", "\"order 4711\"", "refu")) {
        var found = get(gateway, "operator", "/api/search", words);
        assertThat(found.at("/hits/0/name").asString()).as(words).isEqualTo(id);
        assertThat(found.at("/hits/0/text").asString()).contains("Please refund order 4711");
        assertThat(found.get("bodies").asString()).isEqualTo("searched");
      }
      assertThat(get(gateway, "operator", "/api/calls", "refund").at("/calls/0/id").asString())
          .isEqualTo(id);
      assertThat(get(gateway, "operator", "/api/calls", "refunds").get("calls")).isEmpty();

      var hidden = get(gateway, "viewer", "/api/search", "refund");
      assertThat(hidden.get("hits")).isEmpty();
      assertThat(hidden.get("bodies").asString()).isEqualTo("forbidden");
      assertThat(get(gateway, "viewer", "/api/calls", "refund").get("calls")).isEmpty();
      assertThat(get(gateway, "viewer", "/api/calls", id).get("calls")).hasSize(1);
    }
  }

  @Test
  void aViewerSeesNoProvidersWordsOfAFailure() throws Exception {
    var failure =
        new FailureCases.Failure("a.rule", "LOGIC/bad_request", "one/m", "refund is wrong", "");
    var seen = FailureCases.Occurrences.once(Instant.EPOCH, "call_1");
    ledger
        .state()
        .failureCases()
        .seen(List.of(new FailureCases.Case("case_1", failure, seen, null)))
        .toCompletableFuture()
        .join();
    try (var gateway = gateway("")) {
      assertThat(get(gateway, "operator", "/api/failures/case_1").toString())
          .contains("refund is wrong");
      assertThat(get(gateway, "viewer", "/api/failures/case_1").toString())
          .contains("case_1")
          .doesNotContain("refund");
    }
  }

  @Test
  void moreCallsThanAPageHoldsComeWithTheCursor() throws Exception {
    try (var gateway = gateway("")) {
      for (int i = 0; i < 12; i++) {
        ask(gateway);
      }
      var names = new HashSet<String>();
      var found = get(gateway, "operator", "/api/search", "refund");
      while (true) {
        found.get("hits").forEach(hit -> names.add(hit.get("name").asString()));
        assertThat(found.get("hits").size()).isLessThanOrEqualTo(10);
        if (found.get("next").isNull()) {
          break;
        }
        var path = "/api/search?cursor=" + found.get("next").asString() + "&";
        found = get(gateway, "operator", path, "refund");
      }
      assertThat(names).hasSize(12);
    }
  }

  @Test
  void whatIsRedactedIsNotFound() throws Exception {
    try (var gateway = gateway("")) {
      ask(gateway);
      assertThat(get(gateway, "operator", "/api/calls", "ann").get("calls")).isEmpty();
      assertThat(get(gateway, "operator", "/api/calls", "example.org").get("calls")).isEmpty();
      assertThat(get(gateway, "operator", "/api/calls", "redacted").get("calls")).hasSize(1);
    }
  }

  @Test
  void theConfigurationTurnsItOff() throws Exception {
    try (var gateway = gateway("search: false")) {
      ask(gateway);
      var off = get(gateway, "operator", "/api/search", "refund");
      assertThat(off.get("hits")).isEmpty();
      assertThat(off.get("bodies").asString()).isEqualTo("off");
      assertThat(get(gateway, "operator", "/api/calls", "refund").get("calls")).isEmpty();
    }
  }
}
