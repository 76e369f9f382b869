package dev.mainstay.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Definitions of agents that are refused when the configuration is loaded, each with its path. */
final class AgentChecksTest {
  private static final String HTTP = "http: { url: \"http://h/x\" }, parameters: { type: object }";

  private static void load(String agents) throws ConfigException {
    ConfigLoader.parse(
        """
        providers:
          a: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] }
        agents:
        """
            + agents.indent(2),
        "c.yaml",
        Map.of());
  }

  private static String problem(String agents) {
    var problems = catchThrowableOfType(ConfigException.class, () -> load(agents)).problems();
    assertThat(problems).hasSize(1);
    return problems.getFirst().toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP, colour: red | tools[0].colour: ",
        "HTTP, agent: b | tools[0]: found both http and agent",
        "parameters: { type: object } | tools[0]: found neither http nor agent",
        "http: { url: 'http://h/x' } | tools[0].parameters: found nothing; allowed: a JSON Schema",
        "http: { url: 'http://h/x' }, parameters: { type: objekt } | tools[0].parameters: found an"
            + " invalid JSON Schema: /type",
        "http: { url: 'h/x' }, parameters: { type: object } | tools[0].http.url: found a value that"
            + " is not a server's URL",
        "HTTP, retry: { attempts: 2 } | tools[0].retry: found retry, with effect: unsafe",
        "HTTP, effect: queryable | tools[0].reconcile: found nothing, with effect: queryable",
        "HTTP, effect: queryable, reconcile: { url: 'http://h/q' } | tools[0].reconcile.url: found"
            + " a URL without {key}",
        "HTTP, effect: read, reconcile: { url: 'http://h/q?k={key}' } | tools[0].reconcile: found a"
            + " reconcile request without effect: queryable",
        "HTTP, approval: { when: /amount } | tools[0].approval: found when without above",
        "HTTP, approval: { when: amount, above: 5 } | tools[0].approval.when: found \"amount\"",
        "agent: nobody | tools[0].agent: found \"nobody\", which is not a name of agents",
        "agent: b, effect: unsafe | tools[0].effect: found an effect of its own",
        "agent: b, price: 1 | tools[0].price: found a setting of http tools",
        "http: { method: POST }, parameters: { type: object } | tools[0].http.url: found nothing",
        "http: { url: 'http://h:99999/x' }, parameters: { type: object } | tools[0].http.url: found"
            + " a value that is not a server's URL",
        "http: { url: 'http://u:p@h/x' }, parameters: { type: object } | tools[0].http.url: found"
            + " a value that is not a server's URL",
        "http: { url: 'http://h/x', headers: { A B: c } }, parameters: { type: object } |"
            + " tools[0].http.headers.A B: found a header that no request can carry",
        "http: { url: 'http://h/x', headers: { Host: c } }, parameters: { type: object } |"
            + " tools[0].http.headers.Host: found a header that no request can carry",
        "http: { url: 'http://h/x' }, parameters: { type: array } | tools[0].parameters.type: found"
            + " \"array\"",
        "HTTP, effect: queryable, reconcile: { method: POST, url: 'http://h/q?k={key}' } |"
            + " tools[0].reconcile.method: found \"POST\"",
        "HTTP, approval: { when: /a~2, above: 5 } | tools[0].approval.when: found \"/a~2\"",
        "HTTP, approval: { always: true, when: /a, above: 5 } | tools[0].approval: found always and"
            + " when",
      })
  void aToolThatCannotWorkIsRefused(String tool, String found) {
    assertThat(
            problem(
                """
                r: { model: a/m, tools: [ { name: t, %s } ] }
                b: { model: a/m }
                """
                    .formatted(tool.replace("HTTP", HTTP))))
        .contains("agents.r." + found);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model: b/m | r.model: found the provider \"b\"; allowed: a",
        "model: a/m, output: { retries: 1 } | r.output.schema: found nothing",
        "model: a/m, output: { schema: '{}' } | r.output.schema: found a text; allowed: a mapping",
        "model: a/m, output: { schema: [a] } | r.output.schema: found a list; allowed: a mapping",
        "model: a/m, mcp: [ { name: x, command: y z } ] | r.mcp[0].command: found a text",
        "model: a/m, mcp: [ { name: x, url: y } ] | r.mcp[0].url: found a value",
        "model: nothing | r.model: found \"nothing\", which is not a name of models",
        "model: a/m, budget: { usd: 0 } | r.budget.usd: found \"0\"",
        "model: a/m, budget: { usd: 1 } | r.budget.usd: found a budget in money, while the price of"
            + " a/m is unknown",
        "model: a/m, instructions: { text: x, file: y.md } | r.instructions: found a text and a"
            + " file",
        "model: a/m, output: { schema: { required: name } } | r.output.schema: found an invalid"
            + " JSON Schema: /required",
        "model: a/m, tools: [ { name: x y, HTTP } ] | r.tools[0].name: found \"x y\"",
        "model: a/m, tools: [ { name: read_result, HTTP } ] | r.tools[0].name: found a name of"
            + " Mainstay's own",
        "model: a/m, tools: [ { name: x, HTTP }, { name: x, HTTP } ] | r.tools[1].name: found a"
            + " name twice",
        "model: a/m, mcp: [ { name: x } ] | r.mcp[0]: found neither command nor url",
        "model: a/m, mcp: [ { name: x, command: [y], url: 'http://h/x' } ] | r.mcp[0]: found both"
            + " command and url",
        "model: a/m, mcp: [ { name: x, command: [y] }, { name: x, command: [y] } ] | r.mcp[1].name:"
            + " found a name twice",
        "model: a/m, mcp: [ { name: x, command: [y], effects: { z: queryable } } ] |"
            + " r.mcp[0].effects.z: found queryable",
        "model: a/m, mcp: [ { name: x, command: [y], tools: [a], effects: { z: read } } ] |"
            + " r.mcp[0].effects.z: found a tool",
        "model: a/m, mcp: [ { name: x, command: [y], tools: [a], tool-settings: { z: { timeout: 1s"
            + " } } } ] | r.mcp[0].tool-settings.z: found a tool",
        "model: a/m, mcp: [ { name: x, command: [y], tool-settings: { z: { retry: { attempts: 2 } }"
            + " } } ] | r.mcp[0].tool-settings.z.retry: found retry, with effect: unsafe",
        "model: a/m, mcp: [ { name: x, command: [y], tool-settings: { z: { colour: red } } } ] |"
            + " r.mcp[0].tool-settings.z.colour: ",
        "model: a/m, tools: [ { name: x, agent: r } ] | r.tools: found a cycle of agents: r → r",
      })
  void anAgentThatCannotWorkIsRefused(String agent, String found) {
    assertThat(problem("r: { " + agent.replace("HTTP", HTTP) + " }")).contains("agents." + found);
  }

  /** The key is what is missing, and the notice of the provider says so. */
  @Test
  void anAgentWhoseProviderHasNoKeyIsNoMistake() throws ConfigException {
    var config =
        ConfigLoader.parse(
            """
            providers: { a: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: ["${KEY}"] } }
            models: { m: { targets: [a/x] } }
            agents: { one: { model: m }, two: { model: a/x } }
            """,
            "c.yaml",
            Map.of());
    assertThat(config.notices())
        .contains(
            "provider a has no key left; Mainstay disables it",
            "agent one: its model m has no target left, and its runs fail",
            "agent two: Mainstay disabled the provider of its model a/x, and its runs fail");
  }

  @Test
  void anAgentWithoutANameIsRefused() {
    assertThat(problem("\"\": { model: a/m }")).contains("found an agent without a name");
  }

  @Test
  void instructionsThatCannotBeReadAreRefused(@TempDir Path folder) throws IOException {
    var file =
        Files.writeString(
            folder.resolve("c.yaml"),
            """
            providers: { a: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] } }
            agents:
              one: { model: a/m, instructions: { file: nowhere.md } }
              two: { model: a/m, instructions: { file: . } }
            """);
    assertThat(
            catchThrowableOfType(ConfigException.class, () -> ConfigLoader.load(file, Map.of()))
                .problems())
        .extracting(Problem::path)
        .containsExactly("agents.one.instructions.file", "agents.two.instructions.file");
  }

  @Test
  void aCycleOverSeveralAgentsIsRefusedWithItsPath() {
    assertThat(
            problem(
                """
                a: { model: a/m, tools: [ { name: x, agent: b } ] }
                b: { model: a/m, tools: [ { name: x, agent: c } ] }
                c: { model: a/m, tools: [ { name: x, agent: b } ] }
                """))
        .contains("agents.c.tools: found a cycle of agents: b → c → b");
  }

  @Test
  void twoWaysToOneAgentAreNoCycle() {
    assertThatCode(
            () ->
                load(
                    """
                    a: { model: a/m, tools: [ { name: x, agent: b }, { name: y, agent: c } ] }
                    b: { model: a/m, tools: [ { name: x, agent: c } ] }
                    c: { model: a/m, mcp: [ { name: f, command: [f], effects: { "*": read } } ] }
                    """))
        .doesNotThrowAnyException();
  }
}
