package dev.mainstay.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mainstay.call.upstream.BaseUrls;
import dev.mainstay.core.recovery.Preset;
import dev.mainstay.wire.Api;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code config check --strict} refuses, and what a newcomer's file gets wrong. */
final class StrictChecksTest {
  private static final Map<String, String> NONE = Map.of();

  private static List<String> doubts(String yaml) throws ConfigException {
    return ConfigLoader.parse(yaml, "c.yaml", NONE).findings().doubts().stream()
        .map(Problem::toString)
        .toList();
  }

  private static List<String> problems(String yaml, Map<String, String> environment) {
    return catchThrowableOfType(
            ConfigException.class, () -> ConfigLoader.parse(yaml, "c.yaml", environment))
        .problems()
        .stream()
        .map(Problem::toString)
        .toList();
  }

  @Test
  void aVariableThatIsNotSetIsNamed() throws ConfigException {
    assertThat(
            doubts(
                """
                providers:
                  a: { dialect: openai, base-url: "https://a/v1", keys: ["${A_KEY}", "${B_KEY:-}"] }
                """))
        .containsExactly(
            "c.yaml:2: providers.a.keys[0]: found A_KEY, which is not set; allowed: a variable that"
                + " is set, or ${VAR:-default}");
  }

  @Test
  void aNameThatLeadsNowhereIsNamed() throws ConfigException {
    assertThat(
            doubts(
                """
                providers:
                  a: { dialect: openai, base-url: "https://a/v1", keys: [k] }
                models: { assistant: { targets: [a/x] } }
                clients:
                  - { name: one, key: k1, models: [asistant, a/y, assistant] }
                """))
        .containsExactly(
            "c.yaml:5: clients[0].models[0]: found \"asistant\", which is not a name of models or"
                + " of a provider; allowed: provider/model, or assistant");
  }

  @ParameterizedTest
  @CsvSource({
    "OPENAI, https://api.openai.com, https://api.openai.com/v1",
    "OPENAI, https://api.openai.com/v1/v1, https://api.openai.com/v1",
    "OPENAI, https://h/v1/chat/completions, https://h/v1",
    "OPENAI, https://api.openai.com/v1/,",
    "OPENAI, https://api.groq.com/openai/v1,",
    "OPENAI, https://api.deepseek.com,",
    "ANTHROPIC, https://api.anthropic.com/v1, https://api.anthropic.com",
    "ANTHROPIC, https://api.anthropic.com,",
    "MISTRAL, https://api.mistral.ai/v1, https://api.mistral.ai",
    "GEMINI, https://g/v1beta, https://g",
    "GEMINI, https://g,",
  })
  void aBaseUrlThatLooksWrong(Api api, String url, @Nullable String meant) {
    var wrong = BaseUrls.wrong(api, URI.create(url));
    assertThat(wrong == null ? null : wrong.allowed()).isEqualTo(meant);
  }

  @ParameterizedTest
  @CsvSource({"''", "'# nothing yet'", "'---'"})
  void anEmptyFileIsAMistake(String yaml) {
    assertThat(problems(yaml, NONE)).singleElement().asString().contains("found nothing");
  }

  @Test
  void liteLlmsConfigurationIsMetWithAdvice() {
    assertThat(
            problems(
                """
                model_list:
                  - model_name: gpt-4o
                    litellm_params: { model: openai/gpt-4o }
                general_settings: { master_key: sk-1 }
                """,
                NONE))
        .singleElement()
        .asString()
        .startsWith("c.yaml:1: model_list: found a LiteLLM configuration")
        .contains("./mainstay config import c.yaml", "docs/migrating.md");
  }

  @Test
  void withAKeySetNothingIsMissing() throws ConfigException {
    assertThat(ConfigLoader.fromEnvironment(Map.of("OPENAI_API_KEY", "k")).warnings()).isEmpty();
  }

  @Test
  void aVendorIsSaidOrOwnsTheBaseUrl() throws ConfigException {
    var config =
        ConfigLoader.parse(
            """
            providers:
              openai-eu: { dialect: openai, base-url: "https://eu.api.openai.com/v1", keys: [k] }
              relay: { dialect: openai, base-url: "https://relay.example/v1", vendor: OpenAI }
              ollama: { dialect: openai, base-url: "http://127.0.0.1:11434/v1" }
              mine: { dialect: openai, base-url: "https://mine.example/v1" }
              azure-eu: { dialect: openai, base-url: "https://x.openai.azure.com/openai/v1" }
            models: { m: { targets: [openai-eu/gpt-4o, mine/gpt-4o-mine, ollama/llama] } }
            """,
            "c.yaml",
            NONE);
    assertThat(config.providers().values())
        .extracting(Provider::vendorName)
        .containsExactly("openai", "openai", "ollama", "mine", "azure");
    assertThat(config.providers().values())
        .extracting(Provider::rulesName)
        .containsExactly("openai", "openai", "ollama", "openai", "azure");
    var day = LocalDate.of(2026, 11, 22);
    assertThat(config.priceTable().known("openai-eu", "gpt-4o", day)).isTrue();
    assertThat(config.priceTable().known("relay", "gpt-4o", day)).isTrue();
    assertThat(config.priceTable().known("mine", "gpt-4o", day)).isFalse();
    assertThat(config.notices())
        .singleElement()
        .asString()
        .startsWith("Mainstay knows no price of mine/gpt-4o-mine and");
  }

  @Test
  void ownRulesAreRead(@TempDir Path folder) throws IOException, ConfigException {
    Files.writeString(folder.resolve("bad.rules"), "this is no rule\n");
    var file = folder.resolve("c.yaml");
    Files.writeString(file, "rules: [bad.rules, gone.rules]\n");
    assertThat(
            catchThrowableOfType(ConfigException.class, () -> ConfigLoader.load(file, NONE))
                .problems())
        .hasSize(2)
        .allMatch(problem -> problem.path().startsWith("rules["))
        .anyMatch(problem -> problem.found().contains("bad.rules:1: "))
        .anyMatch(problem -> problem.found().contains("no file "));
  }

  @Test
  void theEnvironmentBeatsTheTopOfTheFileButNotAModel() throws ConfigException {
    var config =
        ConfigLoader.parse(
            """
            providers: { a: { dialect: openai, base-url: "https://a/v1" } }
            recovery: { preset: three-retries, max-attempts: 7 }
            models:
              own: { targets: [a/x], recovery: { preset: off } }
              plain: { targets: [a/x] }
            """,
            "c.yaml",
            Map.of("MAINSTAY_PRESET", "patient", "MAINSTAY_RETRY_PATIENCE", "5s"));
    var policy = config.calls().policy();
    assertThat(policy.maxAttempts()).isEqualTo(10);
    assertThat(policy.deadline()).hasMinutes(30);
    assertThat(policy.retry().patience()).hasSeconds(5);
    var own = Objects.requireNonNull(config.models().get("own")).calls().policy();
    assertThat(own.maxAttempts()).isEqualTo(Preset.OFF.policy().maxAttempts());
    assertThat(own.retry().patience()).hasSeconds(5);
    assertThat(Objects.requireNonNull(config.models().get("plain")).calls().policy())
        .isEqualTo(policy);
  }

  @Test
  void aBadVariableIsNamed() {
    assertThat(problems("{}", Map.of("MAINSTAY_MAX_ATTEMPTS", "many", "MAINSTAY_PRESET", "best")))
        .containsExactlyInAnyOrder(
            "environment: MAINSTAY_MAX_ATTEMPTS: found \"many\"; allowed: a whole number from 1 to"
                + " 100",
            "environment: MAINSTAY_PRESET: found \"best\"; allowed: standard | three-attempts |"
                + " three-retries | three-restarts | five-retries | patient | off");
    assertThat(problems("{}", Map.of("MAINSTAY_TIMEOUTS_FIRST", "1s")))
        .singleElement()
        .asString()
        .contains("MAINSTAY_TIMEOUTS_FIRST: found a name of no setting");
  }

  @Test
  void variablesThatHaveNoEffectAreDoubtful() throws ConfigException {
    var environment =
        Map.of(
            "MAINSTAY_MAX_ATEMPTS", "3",
            "MAINSTAY_MAX_ATTEMPTS", "4",
            "MAINSTAY_OF_OUR_OWN", "x",
            "https_proxy", "socks5://proxy:1");
    var yaml = "providers: { p: { dialect: openai, base-url: \"http://x/v1\" } }";
    assertThat(ConfigLoader.parse(yaml, "c.yaml", environment).warnings())
        .contains(
            "environment: MAINSTAY_MAX_ATEMPTS: found a name of no setting; allowed: did you mean"
                + " MAINSTAY_MAX_ATTEMPTS?",
            "environment: https_proxy: found a proxy that Mainstay cannot use; allowed:"
                + " http://HOST:PORT")
        .noneMatch(line -> line.contains("MAINSTAY_MAX_ATTEMPTS:") || line.contains("OF_OUR_OWN"));
  }

  @Test
  void whatIsNoYamlIsNamedOnce() {
    assertThatThrownBy(() -> ConfigLoader.parse("a: 1\n---\nb: 2\n", "c.yaml", NONE))
        .hasMessageContaining("found another document;");
    assertThatThrownBy(() -> ConfigLoader.parse("a: { b: 1", "c.yaml", NONE))
        .hasMessageContaining("found <stream end>;");
  }
}
