package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.config.PasswordHash;
import dev.mainstay.gateway.admin.FailureGroups;
import dev.mainstay.gateway.admin.SignInLimit;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.wire.json.Tree;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what with the admin API of a gateway that has accounts and a token. */
@Timeout(180)
final class AccessTest {
  private static final String TOKEN = "admin-PLANTED-token";
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir private static Path folder;
  private static ScriptedProvider provider;
  private static Ledger ledger;
  private static Gateway gateway;
  private static Config config;
  private static String url;

  @BeforeAll
  static void start() throws Exception {
    provider = new ScriptedProvider();
    ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
    var accounts = new StringBuilder();
    for (var role : List.of("viewer", "operator", "admin")) {
      accounts.append(
          "    - { name: %s, role: %s, password-hash: \"%s\" }\n"
              .formatted(role, role, PasswordHash.of(("secret of " + role).toCharArray()).text()));
    }
    config =
        ConfigLoader.parse(
            """
            server: { port: 0 }
            admin:
              token: %s
              accounts:
            %sproviders:
              one: { dialect: openai, base-url: "%s/v1", keys: ["%s"] }
            """
                .formatted(TOKEN, accounts, provider.url(), ScriptedProvider.KEY),
            "test.yaml",
            Map.of());
    gateway = another();
    url = "http://127.0.0.1:" + gateway.port();
  }

  private static Gateway another() throws Exception {
    return Gateway.start(config, ledger.recorder(), ledger.reader(), ledger.state());
  }

  @AfterAll
  static void stop() {
    gateway.close();
    ledger.close();
    provider.close();
  }

  private record Signed(String cookie, String csrf) {}

  private static HttpResponse<String> send(
      String method, String path, String body, String... headers) throws Exception {
    return sendTo(url, method, path, body, headers);
  }

  private static HttpResponse<String> sendTo(
      String to, String method, String path, String body, String... headers) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(to + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static Signed signIn(String name) throws Exception {
    var answer =
        send(
            "POST",
            "/api/session",
            "{\"name\":\"%s\",\"password\":\"secret of %s\"}".formatted(name, name));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    var cookie = answer.headers().firstValue("set-cookie").orElseThrow();
    assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200");
    return new Signed(
        cookie.substring(0, cookie.indexOf(';')),
        Tree.read(answer.body()).get("csrf_token").asString());
  }

  @Test
  void everyRouteRefusesLessThanTheRoleThatItIsDescribedWith() throws Exception {
    var described =
        Tree.read(send("GET", "/api/openapi.json", "", "authorization", "Bearer " + TOKEN).body());
    var found = new TreeSet<String>();
    var viewer = signIn("viewer");
    var operator = signIn("operator");
    for (var path : described.get("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        var role = operation.getValue().get("x-mainstay-role").asString();
        var method = operation.getKey().toUpperCase(java.util.Locale.ROOT);
        found.add(role + " " + method + " " + path.getKey());
        if (role.equals("none")) {
          continue;
        }
        var concrete = path.getKey().replaceAll("\\{[a-z]+}", "x");
        assertThat(send(method, concrete, "{}").statusCode())
            .as("%s %s by anyone", method, concrete)
            .isEqualTo(401);
        if (!role.equals("viewer")) {
          assertThat(as(viewer, method, concrete)).as("%s by a viewer", concrete).isEqualTo(403);
        }
        if (role.equals("operator")) {
          assertThat(as(operator, method, concrete))
              .as("%s by an operator", concrete)
              .isNotEqualTo(403);
        }
        if (role.equals("admin")) {
          assertThat(as(operator, method, concrete))
              .as("%s by an operator", concrete)
              .isEqualTo(403);
        }
      }
    }
    assertThat(found).hasSizeGreaterThan(30);
  }

  private static int as(Signed who, String method, String path) throws Exception {
    return send(method, path, "{}", "cookie", who.cookie(), "x-csrf-token", who.csrf())
        .statusCode();
  }

  @Test
  void aSessionChangesNothingWithoutItsTokenOrForAnotherSite() throws Exception {
    var admin = signIn("admin");
    var reset = "/api/breakers/one%2Fx/reset";
    assertThat(send("POST", reset, "", "cookie", admin.cookie()).statusCode()).isEqualTo(403);
    assertThat(
            send("POST", reset, "", "cookie", admin.cookie(), "x-csrf-token", "guess").statusCode())
        .isEqualTo(403);
    assertThat(
            send(
                    "POST",
                    reset,
                    "",
                    "cookie",
                    admin.cookie(),
                    "x-csrf-token",
                    admin.csrf(),
                    "origin",
                    "https://evil.example")
                .statusCode())
        .isEqualTo(403);
    // It is let in: there is no such breaker.
    assertThat(as(admin, "POST", reset)).isEqualTo(404);
    assertThat(
            send(
                    "POST",
                    "/api/session",
                    "{\"token\":\"" + TOKEN + "\"}",
                    "origin",
                    "https://evil.example")
                .statusCode())
        .isEqualTo(403);
  }

  @Test
  void whoSignsOutIsOutAndAllOfItIsInTheAuditLog() throws Exception {
    var admin = signIn("admin");
    assertThat(as(admin, "POST", "/api/breakers/one%2Fy/reset")).isEqualTo(404);
    var who = Tree.read(send("GET", "/api/session", "", "cookie", admin.cookie()).body());
    assertThat(who.get("name").asString()).isEqualTo("admin");
    assertThat(who.get("sees_bodies").asBoolean()).isTrue();
    var audit = send("GET", "/api/audit", "", "cookie", admin.cookie()).body();
    assertThat(audit).contains("signed in", "POST /api/breakers/one%2Fy/reset");
    assertThat(
            send(
                    "DELETE",
                    "/api/session",
                    "",
                    "cookie",
                    admin.cookie(),
                    "x-csrf-token",
                    admin.csrf())
                .statusCode())
        .isEqualTo(200);
    var out = send("GET", "/api/session", "", "cookie", admin.cookie());
    assertThat(out.statusCode()).isEqualTo(401);
    assertThat(out.body()).contains("sign in again");
  }

  /** A page that is told of its sign-out must be out. */
  @Test
  void aSignOutWithoutItsTokenIsRefusedAndTheSessionGoesOn() throws Exception {
    var admin = signIn("admin");
    for (var token : List.of("", "guess")) {
      var refused =
          send("DELETE", "/api/session", "", "cookie", admin.cookie(), "x-csrf-token", token);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("\"code\":\"forbidden\"", "x-csrf-token");
      assertThat(refused.headers().firstValue("set-cookie")).isEmpty();
    }
    assertThat(send("GET", "/api/session", "", "cookie", admin.cookie()).statusCode())
        .isEqualTo(200);
    assertThat(as(admin, "DELETE", "/api/session")).isEqualTo(200);
    // Whoever is out already has nothing to prove: the cookie is cleared.
    var again = send("DELETE", "/api/session", "", "cookie", admin.cookie());
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.headers().firstValue("set-cookie").orElseThrow()).contains("Max-Age=0");
  }

  /** Sessions are in the store: a second gateway on it, or this one after a restart, knows them. */
  @Test
  void aSessionHoldsOnEveryGatewayOfTheStoreAndEndsOnAll() throws Exception {
    var admin = signIn("admin");
    try (var other = another()) {
      var there = "http://127.0.0.1:" + other.port();
      var who = sendTo(there, "GET", "/api/session", "", "cookie", admin.cookie());
      assertThat(Tree.read(who.body()).path("csrf_token").asString()).isEqualTo(admin.csrf());
      var out =
          sendTo(
              there,
              "DELETE",
              "/api/session",
              "",
              "cookie",
              admin.cookie(),
              "x-csrf-token",
              admin.csrf());
      assertThat(out.statusCode()).as(out.body()).isEqualTo(200);
      for (var each : List.of(there, url)) {
        assertThat(sendTo(each, "GET", "/api/calls", "", "cookie", admin.cookie()).statusCode())
            .isEqualTo(401);
      }
    }
  }

  @Test
  void noSecretOfASessionIsInTheStore() throws Exception {
    var admin = signIn("admin");
    var cookie = admin.cookie().substring(admin.cookie().indexOf('=') + 1);
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var text = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(text.contains(cookie)).as(file + " holds the cookie").isFalse();
        assertThat(text.contains(admin.csrf())).as(file + " holds the token").isFalse();
      }
    }
  }

  @Test
  void guessesAreCountedForAllGatewaysTogether() throws Exception {
    var state = ledger.state();
    var here = new SignInLimit(state, InstantSource.system(), () -> 0);
    var there = new SignInLimit(state, InstantSource.system(), () -> 0);
    for (int i = 0; i < 5; i++) {
      assertThat((i % 2 == 0 ? here : there).beginEverywhere("name eve")).isZero();
    }
    assertThat(there.beginEverywhere("name eve")).isPositive();
    here.succeeded("name eve");
    assertThat(there.beginEverywhere("name eve")).isZero();
  }

  @Test
  void whoGuessesIsMadeToWait() throws Exception {
    var limit = new SignInLimit(null, InstantSource.system(), () -> 0);
    for (int i = 0; i < 5; i++) {
      assertThat(limit.begin("name ann")).isZero();
    }
    assertThat(limit.begin("name ann")).isEqualTo(61);
    assertThat(limit.begin("name bob")).isZero();
    var wrong = send("POST", "/api/session", "{\"name\":\"viewer\",\"password\":\"no\"}");
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.headers().firstValue("set-cookie")).isEmpty();
    assertThat(
            send("POST", "/api/session", "{\"name\":\"nobody\",\"password\":\"x\"}").statusCode())
        .isEqualTo(401);
    for (var none : List.of("no json", "null", "[]", "{}", "7", "{\"name\":\"viewer\"}")) {
      assertThat(send("POST", "/api/session", none).statusCode()).as(none).isEqualTo(400);
    }
    // None of these was a try: there are five in a minute.
    signIn("viewer");
  }

  private static HttpResponse<String> evaluate(Signed who, String body) throws Exception {
    return send(
        "POST", "/api/evaluations", body, "cookie", who.cookie(), "x-csrf-token", who.csrf());
  }

  /** A call that has just ended may be on its way to the store: it is known all the same. */
  @Test
  void evaluationsAreKeptOfWhatThereIs() throws Exception {
    var operator = signIn("operator");
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(
                    "call_a", "job", null, null, Instant.now(), "openai", "/v1/x", "m", false),
                new CallRecord.Outcome(null, 200, null, List.of(), 0, null, Duration.ofMillis(1)),
                new CallRecord.Cost(null, null, null)),
            List.of(),
            List.of());
    for (var of : List.of("\"call\":\"call_a\"", "\"run\":\"job\"")) {
      var kept = evaluate(operator, "{" + of + ",\"metrics\":{\"correct\":0.5}}");
      assertThat(kept.statusCode()).as(kept.body()).isEqualTo(201);
      assertThat(kept.body()).contains("\"by\":\"operator\"", "\"correct\":0.5");
    }
    assertThat(send("GET", "/api/evaluations?call=call_a", "", "cookie", operator.cookie()).body())
        .contains("\"correct\":0.5");
    for (var unknown : List.of("\"call\":\"call_b\"", "\"run\":\"nobody's\"")) {
      var refused = evaluate(operator, "{" + unknown + ",\"metrics\":{\"correct\":1}}");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(404);
      assertThat(refused.body()).contains("\"code\":\"not_found\"");
    }
    assertThat(evaluate(operator, "{\"call\":\"call_a\",\"colour\":\"blue\"}").body())
        .contains("there is no field colour", "metrics");
    for (var wrong :
        List.of(
            "{}",
            "[]",
            "{\"call\":\"a\",\"run\":\"b\",\"note\":\"x\"}",
            "{\"call\":\"call_a\",\"metrics\":{\"correct\":1e999}}",
            "{\"call\":\"a\",\"metrics\":{\"correct\":\"yes\"}}")) {
      assertThat(evaluate(operator, wrong).statusCode()).as(wrong).isEqualTo(400);
    }
  }

  @Test
  void theShapeOfAMessageLeavesOutWhatDiffers() {
    assertThat(FailureGroups.shape("No key sk-12ab for  \"ann\" at 10:42, see https://x.y/z9"))
        .isEqualTo("No key # for # at #, see #");
  }
}
