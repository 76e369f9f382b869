package dev.mainstay.config.migrate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.config.Model;
import dev.mainstay.config.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What other gateways' files say, ours says after the import, and the rest is named. */
final class ConfigImportTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "OPENAI_API_KEY", "key-1",
          "OPENAI_API_KEY_2", "key-2",
          "ANTHROPIC_API_KEY", "key-3",
          "AZURE_API_KEY", "key-4",
          "LITELLM_MASTER_KEY", "sk-master",
          "SLACK_WEBHOOK_URL", "https://hooks.slack.com/services/T/B/x",
          "GROQ_API_KEY", "key-5");

  private static final String LITELLM =
      """
      model_list:
        - model_name: gpt-4o
          litellm_params:
            model: openai/gpt-4o
            api_key: os.environ/OPENAI_API_KEY
            rpm: 600
        - model_name: gpt-4o
          litellm_params:
            model: gpt-4o
            api_key: os.environ/OPENAI_API_KEY_2
            rpm: 400
        - model_name: gpt-4o
          litellm_params:
            model: azure/my-deployment
            api_base: https://mine.openai.azure.com/
            api_key: os.environ/AZURE_API_KEY
            api_version: "2024-06-01"
            weight: 3
        - model_name: claude
          litellm_params:
            model: anthropic/claude-sonnet-4-5
            api_base: https://api.anthropic.com/v1
            api_key: os.environ/ANTHROPIC_API_KEY
        - model_name: fast
          litellm_params: { model: groq/meta-llama/llama-4-scout, api_key: "literal$key" }
        - model_name: local
          litellm_params: { model: ollama/llama3, api_base: "http://127.0.0.1:11434/v1" }
        - model_name: bedrock-claude
          litellm_params: { model: bedrock/anthropic.claude-3 }
        - model_name: "openai/*"
          litellm_params: { model: "openai/*", api_key: os.environ/OPENAI_API_KEY }
      router_settings:
        routing_strategy: simple-shuffle
        num_retries: 2
        timeout: 120
        redis_host: localhost
        model_group_alias: { gpt-4: gpt-4o }
      litellm_settings:
        drop_params: true
        fallbacks: [ { gpt-4o: [claude, fast] } ]
        context_window_fallbacks: [ { claude: [gpt-4o] } ]
        success_callback: [langfuse]
      general_settings:
        master_key: os.environ/LITELLM_MASTER_KEY
        database_url: postgresql://…
        alerting: [slack]
      """;

  private static Config parsed(String yaml) {
    try {
      return ConfigLoader.parse(yaml, "mainstay.yaml", ENVIRONMENT);
    } catch (ConfigException e) {
      throw new AssertionError(yaml + e.getMessage(), e);
    }
  }

  private static List<String> targets(Config config, String model) {
    return requireNonNull(config.models().get(model)).targets().stream()
        .map(weighted -> weighted.target() + "*" + weighted.weight())
        .toList();
  }

  @Test
  void liteLlmsFileCanBeUsed() throws ConfigException {
    var yaml = ConfigImport.read(LITELLM, "litellm.yaml");
    var config = parsed(yaml);
    var openai = requireNonNull(config.providers().get("openai"));
    assertThat(openai.keys().stream().map(Secret::value)).containsExactly("key-1", "key-2");
    assertThat(openai.limits().rpm()).isEqualTo(1000);
    var azure = requireNonNull(config.providers().get("azure"));
    assertThat(azure.baseUrl()).hasToString("https://mine.openai.azure.com/openai/v1");
    assertThat(requireNonNull(config.providers().get("anthropic")).baseUrl())
        .as("as Anthropic's SDK takes it")
        .hasToString("https://api.anthropic.com");
    assertThat(requireNonNull(config.providers().get("groq")).keys().getFirst().value())
        .isEqualTo("literal$key");
    assertThat(targets(config, "gpt-4o"))
        .containsExactly(
            "openai/gpt-4o*2",
            "azure/my-deployment*3",
            "anthropic/claude-sonnet-4-5*0",
            "groq/meta-llama/llama-4-scout*0");
    assertThat(targets(config, "gpt-4")).isEqualTo(targets(config, "gpt-4o"));
    assertThat(targets(config, "claude"))
        .startsWith("anthropic/claude-sonnet-4-5*1", "openai/gpt-4o*1");
    assertThat(requireNonNull(config.models().get("claude")).balance())
        .as("one deployment and its fallbacks share nothing")
        .isEqualTo(Model.Balance.ORDER);
    assertThat(requireNonNull(config.models().get("gpt-4o")).balance())
        .isEqualTo(Model.Balance.WEIGHTED);
    var policy = requireNonNull(config.models().get("local")).calls().policy();
    assertThat(policy.retry().maxPerTarget()).isEqualTo(3);
    assertThat(policy.deadline()).isEqualTo(Duration.ofMinutes(2));
    assertThat(config.adminToken().value()).isEqualTo("sk-master");
    assertThat(config.clients())
        .singleElement()
        .extracting(c -> c.key().value())
        .isEqualTo("sk-master");
    assertThat(config.alerts().slack()).isNotNull();
  }

  @Test
  void whatHasNoCounterpartIsNamed() throws ConfigException {
    var notes =
        ConfigImport.read(LITELLM, "litellm.yaml").lines().filter(l -> l.startsWith("# ")).toList();
    assertThat(notes)
        .anyMatch(l -> l.contains("bedrock-claude") && l.contains("the API of bedrock"))
        .anyMatch(l -> l.contains("api_version"))
        .anyMatch(l -> l.contains("router_settings.redis_host") && l.contains("jdbc:postgresql"))
        .anyMatch(l -> l.contains("litellm_settings.drop_params") && l.contains("by default"))
        .anyMatch(l -> l.contains("litellm_settings.success_callback"))
        .anyMatch(l -> l.contains("general_settings.database_url"))
        .anyMatch(l -> l.contains("openai/*"));
  }

  @Test
  void portkeysConfigCanBeUsed() throws ConfigException {
    var yaml =
        ConfigImport.read(
            """
            { "strategy": { "mode": "loadbalance" },
              "retry": { "attempts": 3, "on_status_codes": [429] },
              "cache": { "mode": "simple" },
              "request_timeout": 30000,
              "targets": [
                { "provider": "openai", "api_key": "k", "weight": 0.7,
                  "override_params": { "model": "gpt-4o" } },
                { "virtual_key": "anthropic-prod", "weight": 0.3,
                  "override_params": { "model": "claude-sonnet-4-5", "max_tokens": 64 } } ] }
            """,
            "portkey.json");
    var config = parsed(yaml);
    assertThat(targets(config, "assistant"))
        .containsExactly("openai/gpt-4o*70", "anthropic-prod/claude-sonnet-4-5*30");
    var calls = requireNonNull(config.models().get("assistant")).calls();
    assertThat(calls.policy().retry().maxPerTarget()).isEqualTo(4);
    assertThat(calls.policy().deadline()).isEqualTo(Duration.ofSeconds(30));
    assertThat(yaml).contains("# config.cache: ", "# retry.on_status_codes: ");
  }

  @Test
  void fallbacksTakeNoShareOfTheLoad() throws ConfigException {
    var config =
        parsed(
            ConfigImport.read(
                """
                model_list:
                  - { model_name: busy, litellm_params: { model: openai/a, api_key: k } }
                  - { model_name: busy, litellm_params: { model: openai/b, api_key: k } }
                  - { model_name: spare, litellm_params: { model: openai/c, api_key: k } }
                router_settings:
                  routing_strategy: usage-based-routing-v2
                  fallbacks: [ { busy: [spare] }, { spare: [busy] } ]
                """,
                "litellm.yaml"));
    assertThat(targets(config, "busy")).containsExactly("openai/a*1", "openai/b*1", "openai/c*0");
    assertThat(requireNonNull(config.models().get("busy")).balance())
        .isEqualTo(Model.Balance.LEAST_BUSY);
    assertThat(requireNonNull(config.models().get("spare")).balance())
        .isEqualTo(Model.Balance.ORDER);

    var portkey =
        ConfigImport.read(
            """
            { "strategy": { "mode": "fallback" }, "targets": [
                { "provider": "openai", "override_params": { "model": "a" } },
                { "strategy": { "mode": "loadbalance" }, "targets": [
                    { "provider": "openai", "weight": 0.7, "override_params": { "model": "b" } },
                    { "provider": "openai", "weight": 0.3, "override_params": { "model": "c" } }
                ] } ] }
            """,
            "portkey.json");
    var model = requireNonNull(parsed(portkey).models().get("assistant"));
    assertThat(model.balance()).isEqualTo(Model.Balance.ORDER);
    assertThat(targets(parsed(portkey), "assistant"))
        .containsExactly("openai/a*1", "openai/b*1", "openai/c*1");
    assertThat(portkey).contains("# targets[1].strategy: ");
  }

  @Test
  void oneProviderOfPortkeysIsEnough() throws ConfigException {
    var yaml =
        ConfigImport.read(
            "{ \"provider\": \"openai\", \"api_key\": \"k\", \"retry\": { \"attempts\": 2 } }",
            "portkey.json");
    var config = parsed(yaml);
    assertThat(config.providers()).containsOnlyKeys("openai");
    assertThat(config.models()).isEmpty();
    assertThat(yaml).contains("name the model: openai/MODEL");
  }

  @Test
  void aForeignAddressDoesNotGetAVendorsName() throws ConfigException {
    var config =
        parsed(
            ConfigImport.read(
                """
                model_list:
                  - model_name: routed
                    litellm_params: { model: openai/x, api_base: "https://openrouter.ai/api/v1", api_key: k }
                  - model_name: own
                    litellm_params: { model: openai/y, api_base: "http://10.0.0.7:8000/v1", api_key: k }
                  - model_name: real
                    litellm_params: { model: openai/gpt-4o, api_key: k }
                  - model_name: local
                    litellm_params: { model: ollama/llama3, api_base: "http://127.0.0.1:11434/v1" }
                finetune_settings: []
                """,
                "litellm.yaml"));
    assertThat(config.providers())
        .containsOnlyKeys("openrouter", "openai-compatible", "openai", "ollama");
  }

  @Test
  void anotherFileIsRefused() {
    assertThatThrownBy(() -> ConfigImport.read("providers: {}", "x.yaml"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("neither model_list nor targets");
    assertThatThrownBy(() -> ConfigImport.read("a: [", "x.yaml"))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> ConfigImport.read("", "x.yaml")).isInstanceOf(ConfigException.class);
  }

  @Test
  void aFileWithWrongShapesIsReadAsFarAsItGoes() throws ConfigException {
    var yaml =
        ConfigImport.read(
            """
            model_list:
              - 7
              - { model_name: x }
              - { model_name: m, litellm_params: { model: openai/m, rpm: many, api_key: [k] } }
            router_settings: { fallbacks: [ { m: [nowhere] }, 3 ], num_retries: none }
            """,
            "litellm.yaml");
    assertThat(targets(parsed(yaml), "m")).containsExactly("openai/m*1");
    assertThat(yaml).contains("there is no model nowhere", "model_list[1]: it has no");
  }
}
