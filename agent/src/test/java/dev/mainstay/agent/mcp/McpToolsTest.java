package dev.mainstay.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.AgentDefinitions;
import dev.mainstay.agent.InstructionFiles;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.tool.ResultMemory;
import dev.mainstay.agent.tool.ToolCaller.Call;
import dev.mainstay.agent.tool.ToolCaller.Outcome;
import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.wire.json.Tree;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** MCP servers as programs of their own and over HTTP, well-behaved and hostile. */
@SuppressWarnings("NullAway.Init")
public class McpToolsTest {
  private static final AgentDefinition.Mcp ALL =
      new AgentDefinition.Mcp(
          "files", Map.of("echo", Effect.READ, "*", Effect.IDEMPOTENT), List.of());
  private McpTools tools;

  @AfterEach
  void stop() {
    if (tools != null) {
      tools.close();
    }
  }

  private static Config config(String server) throws Exception {
    return ConfigLoader.parse(
        """
        providers:
          a: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] }
        agents:
          r: { model: a/m, mcp: [ { name: files, %s } ] }
        """
            .formatted(server),
        "c.yaml",
        Map.of());
  }

  /** How to start the hostile server. */
  public static String program() {
    return "command: [ '%s/bin/java', -XX:TieredStopAtLevel=1, -cp, '%s', %s ], env: { A: b }"
        .formatted(
            System.getProperty("java.home"),
            System.getProperty("java.class.path"),
            HostileMcpServer.class.getName());
  }

  private void start(String server) throws Exception {
    var config = config(server);
    tools = new McpTools(() -> config);
  }

  private Outcome call(String tool, long timeoutMs) throws InterruptedException {
    var definition =
        new ToolDefinition(
            tool,
            "",
            Tree.object(),
            new ToolDefinition.Binding.Mcp("files", tool),
            Effect.UNSAFE,
            null,
            ToolDefinition.CallPolicy.within(timeoutMs));
    try (var memory = ResultMemory.PROCESS.hold()) {
      return tools.call(definition, new Call("r", "run_1", 2, "key-1", "{\"n\":1}", memory));
    }
  }

  @Test
  void aProgramIsStartedAskedAndSeesNoneOfOurKeys() throws Exception {
    start(program());
    var listed = tools.list("r", ALL);
    assertThat(listed.problem()).isNull();
    assertThat(listed.tools())
        .extracting(ToolDefinition::name)
        .contains("echo", "die")
        .doesNotContain("a b");
    assertThat(listed.tools())
        .allMatch(
            tool -> tool.effect() == (tool.name().equals("echo") ? Effect.READ : Effect.IDEMPOTENT))
        .allMatch(tool -> Tree.write(tool.parameters()).equals("{\"type\":\"object\"}"));
    assertThat(tools.list("r", new AgentDefinition.Mcp("files", Map.of(), List.of("echo"))).tools())
        .extracting(ToolDefinition::name, ToolDefinition::effect)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("echo", Effect.UNSAFE));
    assertThat(call("echo", 60_000))
        .isInstanceOfSatisfying(
            Outcome.Succeeded.class,
            done ->
                assertThat(done.result())
                    .contains("key key-1 said {\"n\":1}")
                    .endsWith("secret null"));
    assertThat(call("show", 60_000))
        .isEqualTo(
            new Outcome.Succeeded(
                """
                Two pictures:
                [Mainstay left out an image of type image/png and 8 Base64 characters.]
                file:///a.txt
                Words.
                file:///a.bin
                [Mainstay left out a resource of type application/zip and 4 Base64 characters.]\
                """));
    assertThat(call("fail", 60_000)).isInstanceOf(Outcome.Refused.class);
    assertThat(call("refuse", 60_000))
        .isEqualTo(new Outcome.Refused("The server refused the call: no such order"));
    assertThat(call("broken", 60_000))
        .isEqualTo(new Outcome.Failed("server_error", "the server answered with an error", null));
    assertThat(call("chatter", 60_000)).isInstanceOf(Outcome.Succeeded.class);
  }

  /** After each of these the server is started again, and answers. */
  @ParameterizedTest
  @CsvSource({
    "die, connection_reset, exit status 7",
    "nonsense, connection_reset, it wrote no JSON-RPC",
    "flood, connection_reset, a message was too long",
    "hang, timeout, no answer within 300 ms"
  })
  void aServerThatMisbehavesIsAToolThatFailsAndIsStartedAgain(
      String tool, String kind, String words) throws Exception {
    start(program());
    // Waits for the program longer than a call does.
    assertThat(tools.list("r", ALL).problem()).isNull();
    assertThat(call(tool, tool.equals("hang") ? 300 : 60_000))
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> {
              assertThat(failed.kind()).isEqualTo(kind);
              assertThat(failed.message()).contains(words).doesNotContain("sk-secret");
              assertThat(failed.happened()).isNull();
            });
    long end = System.nanoTime() + Duration.ofSeconds(120).toNanos();
    while (!(call("echo", 5_000) instanceof Outcome.Succeeded)) {
      assertThat(System.nanoTime()).isLessThan(end);
    }
  }

  @Test
  void aProgramThatIsNotThereNeverRanAndItsNamedToolsAreOffered() throws Exception {
    start("command: [ /no/such/program ]");
    var listed = tools.list("r", new AgentDefinition.Mcp("files", Map.of(), List.of("echo")));
    assertThat(listed.problem()).contains("it could not be started");
    assertThat(listed.tools()).extracting(ToolDefinition::name).containsExactly("echo");
    assertThat(call("echo", 1000))
        .isInstanceOfSatisfying(
            Outcome.Failed.class, failed -> assertThat(failed.happened()).isFalse());
  }

  @Test
  void aServerOverStreamableHttpIsAsked() throws Exception {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/mcp",
        exchange -> {
          if (!exchange.getRequestMethod().equals("POST")) {
            exchange.sendResponseHeaders(405, -1);
            exchange.close();
            return;
          }
          byte[] body = exchange.getRequestBody().readAllBytes();
          var answer = HostileMcpServer.answer(Tree.read(new String(body, StandardCharsets.UTF_8)));
          if (answer == null) {
            exchange.sendResponseHeaders(202, -1);
          } else {
            byte[] bytes = Tree.write(answer).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
          exchange.close();
        });
    server.start();
    try {
      start("url: \"http://127.0.0.1:" + server.getAddress().getPort() + "/mcp\"");
      assertThat(tools.list("r", ALL).tools()).hasSize(10);
      assertThat(call("echo", 60_000)).isInstanceOf(Outcome.Succeeded.class);
      assertThat(call("broken", 60_000)).isInstanceOf(Outcome.Failed.class);
    } finally {
      server.stop(0);
    }
    assertThat(call("echo", 1000)).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void aToolIsCalledAsTheConfigurationSays() throws Exception {
    var config =
        config(
            program()
                + """
                , effects: { echo: read }, tool-settings: {
                    echo: { timeout: 7s, retry: { attempts: 9 }, price: 0.02 },
                    "*": { approval: { when: /amount, above: 50 }, timeout: 3s } }
                """);
    tools = new McpTools(() -> config);
    var server =
        AgentDefinitions.of(config, InstructionFiles.of(config))
            .values()
            .iterator()
            .next()
            .mcp()
            .getFirst();
    var listed = tools.list("r", server).tools();
    assertThat(listed).hasSizeGreaterThan(1);
    for (var tool : listed) {
      boolean echo = tool.name().equals("echo");
      assertThat(tool.calls().timeoutMs()).isEqualTo(echo ? 7000 : 3000);
      assertThat(tool.calls().retry().attempts()).isEqualTo(echo ? 9 : 3);
      assertThat(tool.calls().priceNanos()).isEqualTo(echo ? (Long) 20_000_000L : null);
      assertThat(tool.calls().approval())
          .isEqualTo(
              echo
                  ? ToolDefinition.Approval.NEVER
                  : new ToolDefinition.Approval(false, "/amount", 50));
    }
  }

  @Test
  void aJournalOfAnEarlierVersionHasNoToolSettings() {
    var older = "{\"name\":\"files\",\"effects\":{},\"tools\":[]}";
    var read = JsonMapper.shared().readValue(older, AgentDefinition.Mcp.class);
    assertThat(read).isEqualTo(new AgentDefinition.Mcp("files", Map.of(), List.of()));
    assertThat(read.calls("any").timeoutMs()).isEqualTo(30_000);
  }
}
