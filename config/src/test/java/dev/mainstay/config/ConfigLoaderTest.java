package dev.mainstay.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.wire.Api;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigLoaderTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("KEY_A", "sk-a", "EMPTY", "", "PORT", "9000");

  private static final String PROVIDERS =
      """
      providers:
        openai: { dialect: openai, base-url: "https://api.openai.com/v1", keys: ["${KEY_A}"] }
        claude: { dialect: anthropic, base-url: "https://api.anthropic.com", keys: ["k"] }
      """;

  private static Config read(String yaml) throws ConfigException {
    return ConfigLoader.parse(yaml, "mainstay.yaml", ENVIRONMENT);
  }

  private static List<String> problems(String yaml) {
    return catchThrowableOfType(ConfigException.class, () -> read(yaml)).problems().stream()
        .map(Problem::toString)
        .toList();
  }

  /** A buffer that ends inside a character of two halves made the parser fail. */
  @Test
  void charactersOfTwoHalvesMayStandAnywhere() throws ConfigException {
    for (int i = 0; i < 2; i++) {
      var config = read("# " + "x".repeat(i) + "🌍".repeat(3000) + "\nserver: { port: 1 }\n");
      assertThat(config.server().port()).isEqualTo(1);
    }
  }

  /** Each of which {@code defaults.txt} pins. */
  @Test
  void aMergeKeyAddsWhatAMappingDoesNotHave() throws ConfigException {
    var config =
        read(
            """
            providers:
              a: &a { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [first-key] }
              b: { <<: *a, keys: [second-key] }
              c: { <<: [ { vendor: ollama }, *a ] }
            agents:
              r: { model: a/m, output: { schema: { <<: &s { type: object }, title: T } } }
            """);
    var b = requireNonNull(config.providers().get("b"));
    assertThat(b.keys()).extracting(Secret::value).containsExactly("second-key");
    assertThat(config.providers()).hasSize(3);
    assertThat(requireNonNull(config.agents().get("r")).output())
        .hasToString("Output[schema={title=T, type=object}, retries=2]");
  }

  @Test
  void anEmptyFileMeansTheDefaults() throws ConfigException {
    var config = read("{}");
    assertThat(config)
        .isEqualTo(
            Declaration.with(
                Declaration.defaults(Config.class), Map.of("findings", config.findings())));
  }

  @Test
  void readsWhatIsWritten() throws ConfigException {
    var config =
        read(
            PROVIDERS
                + """
                server: { port: "${PORT}", max-body: 1MiB, drain: 1m30s }
                recovery: { max-attempts: 7, retry: { patience: 500ms } }
                models:
                  assistant:
                    targets: [openai/gpt-4o, { target: openai/gpt-4.1/x, weight: 3 }]
                    balance: weighted
                    recovery: { mid-stream: error }
                clients:
                  - { name: a, key: "${KEY_A}", models: [assistant], limits: { rpm: 60 } }
                """);
    assertThat(config.server().port()).isEqualTo(9000);
    assertThat(config.server().maxBody()).isEqualTo(1 << 20);
    assertThat(config.server().drain()).isEqualTo(Duration.ofSeconds(90));
    var openai = requireNonNull(config.providers().get("openai"));
    assertThat(openai.api()).isEqualTo(Api.OPENAI);
    assertThat(openai.keys()).containsExactly(new Secret("sk-a"));
    var model = requireNonNull(config.models().get("assistant"));
    assertThat(model.balance()).isEqualTo(Model.Balance.WEIGHTED);
    assertThat(model.targets())
        .extracting(t -> t.target().model())
        .containsExactly("gpt-4o", "gpt-4.1/x");
    assertThat(model.targets()).extracting(Model.WeightedTarget::weight).containsExactly(1, 3);
    assertThat(model.calls().policy().midStream()).isEqualTo(MidStream.ERROR);
    assertThat(model.calls().policy().maxAttempts()).isEqualTo(7);
    assertThat(config.clients().getFirst().rpm()).isEqualTo(60);
    assertThat(config.toString()).doesNotContain("sk-a");
  }

  /** Every setting that is documented, with its documented value. */
  private static final String DOCUMENTED =
      """
      server: { host: 127.0.0.1, port: 8484, max-body: 64MiB, drain: 30s, keep-alive: 30s, compress-from: 16KiB }
      admin: { token: "${MAINSTAY_ADMIN_TOKEN:-}" }
      store: { url: ./mainstay-data }
      providers:
        openai: { dialect: openai, base-url: "https://api.openai.com/v1", keys: ["${KEY_A}"] }
        local: { dialect: openai, base-url: "http://127.0.0.1:11434/v1", headers: { x-team: blue }, proxy: none, tls: { ca: ./our-ca.pem } }
      models:
        assistant:
          targets: [openai/gpt-4o, { target: local/llama, weight: 3 }]
          recovery: { mid-stream: continue }
          balance: order
      recovery:
        max-attempts: 5
        deadline: 9m30s
        retry: { on: transient, max-per-target: 3, initial-delay: 500ms, factor: 2.0, max-delay: 30s, jitter: true, patience: 2s, max-retry-after: 60s }
        fallback: { on: context }
        timeouts: { connect: 3s, headers: 60s, first-token: 3m, idle: 60s }
        mid-stream: continue
        tool-calls: hold
        repairs: [tool-name, tool-arguments, tool-history, drop-parameter, lower-max-tokens, strip-images, self-correct]
        content-filter-fallback: false
        breaker: { consecutive-failures: 5, failure-rate: 0.5, of-at-least: 20, within: 10s, open: 5s, max-open: 10s }
        retry-budget: 0.2
        in-flight: { per-target: 10000, queue: 1000, wait: 5s }
      idempotency: { window: 24h, finish-when-client-leaves: false }
      clients:
        - { name: team-a, key: "${KEY_A}", models: [assistant], budget: { usd: 50, per: day }, run-budget: { usd: 0.5 }, limits: { rpm: 600, tpm: 1000000, parallel: 64 } }
      recording: { bodies: true, redact: [], retention: 30d, max-bytes: 20GiB }
      prices:
        - { model: local/llama, unit: input, price: 0, from: 2026-01-01, source: ours, above: 0 }
        - { model: local/llama, unit: output, price: 0.25, from: 2026-01-01, source: ours }
      alerts:
        webhook: { url: "https://example.com", secret: "${KEY_A}" }
        throttle: 10m
        cost-spike: { factor: 3, at-least-usd: 1, window: 1h }
      agents: {}
      """;

  @Test
  void everythingThatIsDocumentedIsTaken() throws ConfigException {
    var config = read(DOCUMENTED);
    assertThat(config.calls().policy()).isEqualTo(CallSettings.defaults().policy());
    assertThat(requireNonNull(config.providers().get("local")).direct()).isTrue();
  }

  @Test
  void theSchemaNamesEverythingThatIsDocumented() {
    var schema = ConfigLoader.schema();
    for (var word : DOCUMENTED.split("[^a-z-]+")) {
      // What has a colon after it is a key; those of parts that are not read yet are left open.
      boolean key = DOCUMENTED.contains(word + ":") && word.length() > 2;
      boolean open =
          List.of("openai", "local", "assistant", "x-team", "https", "http").contains(word);
      if (key && !open) {
        assertThat(schema).contains("\"" + word + "\" :");
      }
    }
  }

  @Test
  void moneyIsReadToTheNano() throws ConfigException {
    var config = read(DOCUMENTED);
    assertThat(config.clients().getFirst().budget())
        .isEqualTo(new Budget(50_000_000_000L, Budget.Per.DAY, null));
    assertThat(config.clients().getFirst().runNanos()).isEqualTo(500_000_000L);
    assertThat(config.prices()).hasSize(2);
    assertThat(config.alerts().spike()).isEqualTo(Alerts.DEFAULTS.spike());
    assertThat(config.alerts().throttle()).isEqualTo(Alerts.DEFAULTS.throttle());
    assertThat(requireNonNull(config.alerts().webhook()).url())
        .isEqualTo(URI.create("https://example.com"));
  }

  @Test
  void mistakesAboutMoneyAreTold() {
    assertThat(
            problems(
                """
                providers:
                  openai: { dialect: openai, base-url: "http://x/v1", keys: ["k"] }
                models:
                  m: { targets: [openai/gpt-4o, openai/unheard-of] }
                prices:
                  - { model: a/x, unit: outputs, price: -1, from: soon }
                clients:
                  - { name: one, key: k1, budget: { usd: 5 } }
                  - { name: two, key: k2, budget: { usd: nothing, per: week } }
                  - { name: three, key: k3, models: [openai/unheard-of], run-budget: { usd: 1 } }
                alerts: { webhook: { url: "ftp://x" } }
                """))
        .containsExactly(
            "mainstay.yaml:6: prices[0].unit: found \"outputs\"; allowed: input | cached-input |"
                + " cache-write | cache-write-1h | output | reasoning | web-search |"
                + " web-search-preview | grounded-answer | file-search | code-session |"
                + " image-generation | character | image | audio-second",
            "mainstay.yaml:6: prices[0].price: found \"-1\"; allowed: dollars per million tokens or"
                + " uses, 0 or more, with at most six decimals",
            "mainstay.yaml:6: prices[0].from: found \"soon\"; allowed: a day such as 2026-01-31",
            "mainstay.yaml:8: clients[0].budget: found a budget in money, while the price of"
                + " openai/unheard-of is unknown; allowed: models with a price; add rows to prices",
            "mainstay.yaml:9: clients[1].budget.usd: found \"nothing\"; allowed: dollars, above 0"
                + " and up to 1000000000, such as 50 or 0.25",
            "mainstay.yaml:9: clients[1].budget.per: found \"week\"; allowed: hour | day | month",
            "mainstay.yaml:10: clients[2].run-budget: found a budget in money, while the price of"
                + " openai/unheard-of is unknown; allowed: models with a price; add rows to prices",
            "mainstay.yaml:11: alerts.webhook.url: found a value that is not such a URL; allowed:"
                + " an http or https URL",
            "mainstay.yaml:11: alerts.webhook.secret: found nothing; allowed: a secret that is not"
                + " empty");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      value = {
        "from: not an address, to: [a@x.org] ! from: found \"not an address\"",
        "from: a@x.org, to: [] ! to: found nothing",
        "from: a@x.org ! to: found nothing",
        "from: a@x.org, to: ['b b@x.org'] ! to[0]: found \"b b@x.org\"",
        "from: a@x.org, to: ['Ann <a@@x.org>'] ! to[0]: found \"Ann <a@@x.org>\"",
        "from: a@x.org, to: ['a@x..org'] ! to[0]: found \"a@x..org\"",
        "from: a@x.org, to: ['a@x.org, b@x.org'] ! to[0]: found \"a@x.org, b@x.org\"",
      })
  void mailNeedsAddresses(String given, String problem) {
    assertThat(problems("alerts: { email: { smtp: \"smtp://mail\", " + given + " } }"))
        .containsExactly(
            "mainstay.yaml:1: alerts.email."
                + problem
                + "; allowed: an address such as ann@example.com or Ann <ann@example.com>");
  }

  @Test
  void namesOfPeopleMayStandBeforeTheirAddresses() throws Exception {
    var given =
        "alerts: { email: { smtp: 'smtp://mail', from: a@localhost,"
            + " to: ['\"Roe, Bo\" <b.roe+x@x.org>', '<c@x.org>'] } }";
    var email = requireNonNull(ConfigLoader.parse(given, "m.yaml", Map.of()).alerts().email());
    assertThat(email.from()).isEqualTo(new MailAddress(null, "a@localhost"));
    assertThat(email.to())
        .containsExactly(
            new MailAddress("Roe, Bo", "b.roe+x@x.org"), new MailAddress(null, "c@x.org"));
  }

  @Test
  void aPeriodBeginsAndEndsInUtc() {
    var at = java.time.Instant.parse("2026-12-31T23:59:59Z");
    assertThat(Budget.Per.HOUR.start(at)).isEqualTo("2026-12-31T23:00:00Z");
    assertThat(Budget.Per.DAY.end(at)).isEqualTo("2027-01-01T00:00:00Z");
    assertThat(Budget.Per.MONTH.start(at)).isEqualTo("2026-12-01T00:00:00Z");
    assertThat(Budget.Per.MONTH.end(at)).isEqualTo("2027-01-01T00:00:00Z");
  }

  @Test
  void everyMistakeIsToldWithItsLineAndPath() {
    assertThat(
            problems(
                """
                server:
                  prot: 8484
                  drain: soon
                providers:
                  x: { dialect: opnai, base-url: "ftp://x", keys: [a] }
                recovery:
                  retry: { max-delay: 1ms }
                models:
                  m:
                    targets: [nobody/gpt]
                """))
        .satisfiesExactly(
            p ->
                assertThat(p)
                    .startsWith("mainstay.yaml:2: server.prot: found an unknown key; allowed: ")
                    .endsWith("; did you mean port?"),
            p ->
                assertThat(p)
                    .startsWith(
                        "mainstay.yaml:3: server.drain: found \"soon\"; allowed: a duration"),
            p ->
                assertThat(p)
                    .startsWith(
                        "mainstay.yaml:5: providers.x.dialect: found \"opnai\"; allowed: openai |"
                            + " anthropic"),
            p -> assertThat(p).startsWith("mainstay.yaml:5: providers.x.base-url: found"),
            p -> assertThat(p).startsWith("mainstay.yaml:7: recovery.retry.max-delay: found"),
            p ->
                assertThat(p)
                    .startsWith(
                        "mainstay.yaml:10: models.m.targets[0]: found the provider \"nobody\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "server: [1] ! server: found a list; allowed: a mapping of keys to values",
        "server: {host: 0.0.0.0} ! mainstay.yaml:1: admin.token: found no token, while server.host"
            + " is 0.0.0.0",
        "clients: [{name: a, key: \"${EMPTY}\"}] ! clients[0].key: found nothing",
        "clients: [{name: a, key: k}, {name: b, key: k}] ! clients[1].key: found the key of"
            + " another",
        "recovery: {max-attempts: 0} ! recovery.max-attempts: found \"0\"; allowed: a whole number"
            + " from 1",
        "recovery: {repairs: [trim-context]} ! recovery.repairs[0]: found \"trim-context\"",
        "server: {port: 1, port: 2} ! server.port: found the same key twice",
        "a: b: c ! (syntax): found"
      })
  void oneMistake(String yaml, String told) {
    assertThat(problems(yaml)).anyMatch(problem -> problem.contains(told));
  }

  @Test
  void fewerAttemptsThanTargetsAreRefusedByName() {
    assertThat(
            problems(
                PROVIDERS
                    + """
                    recovery: { max-attempts: 1 }
                    models:
                      few: { targets: [openai/a, openai/b] }
                      mixed: { targets: [openai/a, claude/b] }
                    """))
        .anyMatch(p -> p.contains("models.few.targets: found 2 targets with max-attempts 1"))
        .anyMatch(p -> p.contains("models.mixed.targets: found 2 targets with max-attempts 1"));
  }

  @Test
  void anEmptyKeyIsLeftOutAndSaid() throws ConfigException {
    var config =
        read(
            """
            providers:
              a: { dialect: openai, base-url: "http://x/v1", keys: ["${EMPTY}", "k"] }
              b: { dialect: openai, base-url: "http://x/v1", keys: ["${EMPTY}"] }
            models:
              m: { targets: [a/x, b/x] }
            """);
    assertThat(config.providers()).containsOnlyKeys("a");
    assertThat(requireNonNull(config.models().get("m")).targets()).hasSize(1);
    assertThat(config.notices())
        .startsWith(
            "provider a: key 1 is empty; Mainstay leaves it out",
            "provider b: key 1 is empty; Mainstay leaves it out",
            "provider b has no key left; Mainstay disables it",
            "model m: b/x has no provider, because Mainstay disabled it");
  }

  @Test
  void withoutAFileTheUsualVariablesCount() throws ConfigException {
    var config =
        ConfigLoader.fromEnvironment(
            Map.of(
                "OPENAI_API_KEY",
                "k",
                "OPENAI_BASE_URL",
                "http://127.0.0.1:9/v1",
                "GOOGLE_API_KEY",
                "g"));
    assertThat(config.providers()).containsOnlyKeys("openai", "gemini");
    assertThat(requireNonNull(config.providers().get("openai")).baseUrl())
        .isEqualTo(URI.create("http://127.0.0.1:9/v1"));
    assertThat(
            catchThrowableOfType(
                ConfigException.class, () -> ConfigLoader.fromEnvironment(Map.of())))
        .hasMessageContaining("OPENAI_API_KEY");
  }
}
