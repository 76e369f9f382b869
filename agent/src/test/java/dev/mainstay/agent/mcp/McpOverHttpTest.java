package dev.mainstay.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.tool.ResultMemory;
import dev.mainstay.agent.tool.ToolCaller.Call;
import dev.mainstay.agent.tool.ToolCaller.Outcome;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What happens between Mainstay and an MCP server over streamable HTTP, with its sessions. */
@SuppressWarnings("NullAway.Init")
class McpOverHttpTest {
  private static final AgentDefinition.Mcp ALL =
      new AgentDefinition.Mcp("shop", Map.of(), List.of());
  private HttpServer server;
  private McpTools tools;

  private volatile String session = "";
  private volatile List<String> names = List.of("look", "pay");
  private volatile boolean refuses;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/mcp",
        exchange -> {
          try (exchange) {
            answer(exchange);
          }
        });
    server.start();
    var config =
        ConfigLoader.parse(
            """
            providers:
              a: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] }
            agents:
              r: { model: a/m, mcp: [ { name: shop, url: "http://127.0.0.1:%d/mcp" } ] }
            """
                .formatted(server.getAddress().getPort()),
            "c.yaml",
            Map.of());
    tools = new McpTools(() -> config);
  }

  @AfterEach
  void stop() {
    tools.close();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.sendResponseHeaders(405, -1);
      return;
    }
    var request =
        Tree.read(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    var method = request.path("method").asString("");
    if (method.equals("initialize")) {
      session = UUID.randomUUID().toString();
      exchange.getResponseHeaders().set("mcp-session-id", session);
    } else if (!session.equals(exchange.getRequestHeaders().getFirst("mcp-session-id"))) {
      exchange.sendResponseHeaders(404, -1);
      return;
    }
    if (refuses && method.equals("tools/call")) {
      exchange.sendResponseHeaders(401, -1);
      return;
    }
    var answer = HostileMcpServer.answer(request);
    if (answer == null) {
      exchange.sendResponseHeaders(202, -1);
      return;
    }
    if (method.equals("tools/list")) {
      page(request, answer);
    }
    boolean events = method.equals("tools/call");
    exchange
        .getResponseHeaders()
        .set("content-type", events ? "text/event-stream" : "application/json");
    byte[] bytes =
        (events ? changed() + event(answer) : Tree.write(answer)).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** One tool a page, and after the last page the first again, without end. */
  private void page(JsonNode request, ObjectNode answer) {
    var listed = names;
    int at = Integer.parseInt(request.path("params").path("cursor").asString("0"));
    var result = answer.putObject("result");
    result.put("nextCursor", String.valueOf((at + 1) % listed.size()));
    var tool = result.putArray("tools").addObject().put("name", listed.get(at));
    tool.putObject("inputSchema").put("type", "object");
  }

  private static String changed() {
    return event(
        Tree.object().put("jsonrpc", "2.0").put("method", "notifications/tools/list_changed"));
  }

  private static String event(ObjectNode message) {
    return "event: message\ndata: " + Tree.write(message) + "\n\n";
  }

  private Outcome call(String tool) throws InterruptedException {
    var definition =
        new ToolDefinition(
            tool,
            "",
            Tree.object(),
            new ToolDefinition.Binding.Mcp("shop", tool),
            Effect.UNSAFE,
            null,
            ToolDefinition.CallPolicy.within(60_000));
    try (var memory = ResultMemory.PROCESS.hold()) {
      return tools.call(definition, new Call("r", "run_1", 2, "key-1", "{}", memory));
    }
  }

  private boolean lists(String tool) {
    try {
      return tools.list("r", ALL).tools().stream().anyMatch(each -> each.name().equals(tool));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void eventually(BooleanSupplier holds) {
    long end = System.nanoTime() + Duration.ofSeconds(120).toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void toolsThatChangedAreListedAgainOverABoundedNumberOfPages() throws Exception {
    assertThat(lists("pay")).isTrue();
    names = List.of("look", "refund");
    assertThat(call("echo")).isInstanceOf(Outcome.Succeeded.class);
    eventually(() -> lists("refund") && !lists("pay"));
  }

  @Test
  void aCallOfASessionThatEndedNeverHappenedAndTheNextSessionsToolsAreListed() throws Exception {
    assertThat(lists("pay")).isTrue();
    session = "of another process";
    names = List.of("refund");
    assertThat(call("echo"))
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> {
              assertThat(failed.happened()).isFalse();
              assertThat(failed.message()).contains("no longer knows the session");
            });
    eventually(() -> lists("refund"));
    assertThat(call("echo")).isInstanceOf(Outcome.Succeeded.class);
  }

  @Test
  void aCallWithoutAuthorizationIsRefused() throws Exception {
    assertThat(lists("pay")).isTrue();
    refuses = true;
    assertThat(call("echo"))
        .isEqualTo(
            new Outcome.Refused(
                "The server refused the call: it wants another authorization (status 401 or"
                    + " 403)"));
  }
}
