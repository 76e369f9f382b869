package dev.mainstay.gateway.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.api.Json;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code GET /api/config} says is in force. */
final class ConfigViewTest {
  private static final String ALL =
      """
      server: { host: 127.0.0.2, port: 9, max-body: 1MiB, drain: 1s, keep-alive: 2s, compress-from: 0 }
      admin: { token: "***" }
      store: { url: ./elsewhere }
      providers:
        one: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: ["***"], headers: { x-team: "***" }, proxy: none }
        two: { dialect: gemini, base-url: "http://127.0.0.1:2" }
      models:
        m:
          targets: [{ target: one/a, weight: 3 }, two/b]
          balance: weighted
          recovery: { max-attempts: 7, timeouts: { headers: 9s }, repairs: [tool-name] }
      recovery:
        max-attempts: 4
        deadline: 1m30s
        retry: { on: capacity, max-per-target: 2, initial-delay: 1ms, factor: 1.5, max-delay: 2s, jitter: false, patience: 0, max-retry-after: 3s }
        fallback: { on: access }
        timeouts: { connect: 1s, first-token: 4s, idle: 5s }
        mid-stream: buffer
        tool-calls: stream
        tool-schemas: always
        translation-loss: refuse
        repairs: []
        content-filter-fallback: true
        breaker: { consecutive-failures: 2, failure-rate: 0.25, of-at-least: 3, within: 1s, open: 2s, max-open: 3s }
        retry-budget: 0.5
        in-flight: { per-target: 1, queue: 2, wait: 3s }
      idempotency: { window: 1h, finish-when-client-leaves: true }
      clients:
        - { name: a, key: "***", models: [m], limits: { rpm: 1, tpm: 2, parallel: 3 }, budget: { usd: 0.5, per: hour }, run-budget: { usd: 1 } }
      recording: { bodies: false, redact: ["$.user"], retention: 1d, max-bytes: 2MiB }
      prices:
        - { model: a, unit: input, price: 0.15, from: 2026-01-02, above: 5, source: there }
        - { model: a, unit: input, price: 0.1 }
        - { model: a, unit: output, price: 1 }
        - { model: b, unit: input, price: 1 }
        - { model: b, unit: output, price: 1 }
      alerts:
        webhook: { url: "https://hooks.example/***", secret: "***" }
        throttle: 1m
        cost-spike: { factor: 2, at-least-usd: 3, window: 2h }
      """;

  @Test
  void whatItSaysIsAConfigurationAgainAndTheSame() throws Exception {
    var config = ConfigLoader.parse(ALL, "all.yaml", Map.of());
    var view = ConfigView.of(config);
    assertThat(view.remove("notices")).asInstanceOf(LIST).isEmpty();
    assertThat(view.remove("sources")).isNotNull();
    assertThat(ConfigLoader.parse(Json.of(view), "view.json", Map.of()))
        .usingRecursiveComparison()
        .ignoringFields("findings")
        .isEqualTo(config);
  }

  @Test
  void itSaysOfEachValueWhereItComesFrom() throws Exception {
    var config =
        ConfigLoader.parse(
            """
            server: { port: 9 }
            providers: { one: { dialect: openai, base-url: "http://127.0.0.1:1/v1" } }
            recovery:
              preset: three-attempts
              deadline: 30s
              retry: { jitter: false }
            models: { m: { targets: [one/a], recovery: { max-attempts: 2 } } }
            """,
            "mainstay.yaml",
            Map.of("MAINSTAY_DEADLINE", "45s", "MAINSTAY_SERVER_HOST", "::1"));
    assertThat(config.findings().origins())
        .containsEntry("server.port", "mainstay.yaml:1")
        .containsEntry("server.host", "MAINSTAY_SERVER_HOST")
        .containsEntry("server.drain", "default")
        .containsEntry("recovery.max-attempts", "preset three-attempts")
        .containsEntry("recovery.retry.max-delay", "preset three-attempts")
        .containsEntry("recovery.retry.jitter", "mainstay.yaml:6")
        .containsEntry("recovery.deadline", "MAINSTAY_DEADLINE")
        .containsEntry("recovery.breaker.open", "default")
        .containsEntry("models.m.recovery.max-attempts", "mainstay.yaml:7")
        .containsEntry("models.m.recovery.deadline", "recovery");
    assertThat(config.calls().policy().deadline()).hasSeconds(45);
    assertThat(config.calls().policy().maxAttempts()).isEqualTo(3);
    assertThat(requireNonNull(config.models().get("m")).calls().policy().maxAttempts())
        .isEqualTo(2);
    assertThat(requireNonNull(config.models().get("m")).calls().policy().deadline()).hasSeconds(45);
  }

  @Test
  void itTellsNoSecret() throws Exception {
    var config =
        ConfigLoader.parse(
            """
            admin: { token: PLANTED-1 }
            providers:
              one:
                dialect: openai
                base-url: http://127.0.0.1:1/v1
                keys: [PLANTED-2]
                headers: { x-team: PLANTED-3 }
                proxy: http://user:PLANTED-4@127.0.0.1:3
            clients: [{ name: a, key: PLANTED-5 }]
            alerts: { webhook: { url: "https://hooks.example/PLANTED-6?t=PLANTED-7", secret: PLANTED-8 } }
            """,
            "secrets.yaml",
            Map.of());
    assertThat(Json.of(ConfigView.of(config))).doesNotContain("PLANTED").contains("hooks.example");
  }

  @Test
  void whoMayNotReadPromptsDoesNotReadInstructions() throws Exception {
    var config =
        ConfigLoader.parse(
            """
            providers: { one: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: ["k"] } }
            agents: { a: { model: one/m, instructions: "Say PLANTED." } }
            """,
            "agents.yaml",
            Map.of());
    assertThat(Json.of(ConfigView.of(config))).contains("Say PLANTED.");
    assertThat(ConfigView.withoutPrompts(config))
        .doesNotContain("PLANTED")
        .contains("\"instructions\":{\"text\":\"***\"");
  }
}
