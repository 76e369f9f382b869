package dev.mainstay.agent.mcp;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.agent.tool.ToolText;
import dev.mainstay.config.Agent;
import dev.mainstay.config.Config;
import dev.mainstay.config.JsonSchemas;
import dev.mainstay.wire.json.Tree;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tools of MCP servers. Only servers that the configuration names are started; after a reload those
 * it no longer names are closed, and those it changed are started again. Whatever a server does, it
 * is a tool that fails. Thread-safe.
 */
public final class McpTools implements ToolCaller, AutoCloseable {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");
  private static final int MOST_DESCRIPTION = 4096;
  private static final int MOST_SCHEMA = 64 << 10;

  /** JSON-RPC: the server has no such method, or does not take these parameters. */
  private static final int METHOD_NOT_FOUND = -32601;

  private static final int INVALID_PARAMS = -32602;

  private final Supplier<Config> config;
  private final Map<String, McpConnection> connections = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("mainstay-mcp").factory());

  /** Starts the servers of {@code config}, in the background. */
  public McpTools(Supplier<Config> config) {
    this.config = config;
    follow();
  }

  private static String id(String agent, String server) {
    return agent + "/" + server;
  }

  /** Makes the connections those of the configuration. */
  private synchronized void follow() {
    var named = new ConcurrentHashMap<String, Agent.McpServer>();
    config
        .get()
        .agents()
        .values()
        .forEach(
            agent ->
                agent.mcp().forEach(server -> named.put(id(agent.name(), server.name()), server)));
    connections
        .entrySet()
        .removeIf(
            each -> {
              boolean stays = each.getValue().server.equals(named.get(each.getKey()));
              if (!stays) {
                each.getValue().close();
              }
              return !stays;
            });
    named.forEach(
        (id, server) ->
            connections.computeIfAbsent(id, unknown -> new McpConnection(id, server, timer)));
  }

  private @Nullable McpConnection connection(String agent, String server) {
    follow();
    return connections.get(id(agent, server));
  }

  // ---- the tools of a server

  @Override
  public Listed list(String agent, AgentDefinition.Mcp server) throws InterruptedException {
    var connection = connection(agent, server.name());
    if (connection == null) {
      return new Listed(List.of(), "the configuration no longer names it");
    }
    try {
      var tools = new ArrayList<ToolDefinition>();
      for (var tool : connection.tools()) {
        boolean wanted = server.tools().isEmpty() || server.tools().contains(tool.name());
        if (wanted && NAME.matcher(tool.name()).matches()) {
          tools.add(definition(server, tool.name(), tool.description(), schema(tool)));
        }
      }
      return new Listed(tools, null);
    } catch (McpConnection.UnavailableException e) {
      var tools = new ArrayList<ToolDefinition>();
      server.tools().forEach(tool -> tools.add(definition(server, tool, null, any())));
      return new Listed(tools, e.getMessage());
    }
  }

  private static ToolDefinition definition(
      AgentDefinition.Mcp server, String tool, @Nullable String description, JsonNode schema) {
    var otherwise = server.effects().getOrDefault("*", Effect.UNSAFE);
    var words = description == null ? "" : ToolText.clean(description);
    return new ToolDefinition(
        tool,
        ToolText.slice(words, 0, MOST_DESCRIPTION),
        schema,
        new ToolDefinition.Binding.Mcp(server.name(), tool),
        server.effects().getOrDefault(tool, otherwise),
        null,
        server.calls(tool));
  }

  private static JsonNode schema(McpSchema.Tool tool) {
    JsonNode schema = MAPPER.valueToTree(tool.inputSchema());
    boolean usable =
        schema.isObject()
            && Tree.write(schema).length() <= MOST_SCHEMA
            && JsonSchemas.mistake(schema) == null;
    return usable ? schema : any();
  }

  private static JsonNode any() {
    return Tree.object().put("type", "object");
  }

  // ---- calls

  @Override
  public Outcome call(ToolDefinition tool, Call call) throws InterruptedException {
    if (!(tool.binding() instanceof ToolDefinition.Binding.Mcp mcp)) {
      throw new IllegalArgumentException(tool.name() + " is no tool of an MCP server");
    }
    var connection = connection(call.agent(), mcp.server());
    if (connection == null) {
      return new Outcome.Failed("no_server", "the configuration no longer names the server", false);
    }
    var request =
        new McpSchema.CallToolRequest(
            mcp.tool(),
            MAPPER.convertValue(Tree.read(call.arguments()), Arguments.class),
            Map.of(
                "mainstay/run", call.run(),
                "mainstay/step", call.step(),
                "mainstay/key", call.key()));
    try {
      return outcome(
          connection.ask(
              client -> client.callTool(request), Duration.ofMillis(tool.calls().timeoutMs())));
    } catch (TimeoutException e) {
      return new Outcome.Failed(
          "timeout", "no answer within " + tool.calls().timeoutMs() + " ms", null);
    } catch (McpConnection.UnavailableException e) {
      return new Outcome.Failed("server_away", String.valueOf(e.getMessage()), false);
    } catch (McpConnection.LostException e) {
      return new Outcome.Failed("connection_reset", String.valueOf(e.getMessage()), null);
    } catch (McpConnection.RefusedException e) {
      return new Outcome.Refused("The server refused the call: " + e.getMessage());
    } catch (McpError e) {
      var error = e.getJsonRpcError();
      boolean refused =
          error != null && (error.code() == INVALID_PARAMS || error.code() == METHOD_NOT_FOUND);
      return refused
          ? new Outcome.Refused("The server refused the call: " + error.message())
          : new Outcome.Failed("server_error", "the server answered with an error", null);
    } catch (RuntimeException e) {
      return new Outcome.Failed("server_error", e.getClass().getSimpleName(), null);
    }
  }

  private static final class Arguments extends java.util.LinkedHashMap<String, Object> {
    private static final long serialVersionUID = 1;
  }

  private static Outcome outcome(McpSchema.CallToolResult result) {
    var text = new StringBuilder();
    for (var content : result.content()) {
      if (!text.isEmpty()) {
        text.append('\n');
      }
      text.append(text(content));
    }
    if (text.isEmpty() && result.structuredContent() != null) {
      text.append(MAPPER.writeValueAsString(result.structuredContent()));
    }
    return Boolean.TRUE.equals(result.isError())
        ? new Outcome.Refused(text.toString())
        : new Outcome.Succeeded(text.toString());
  }

  /** Content for the model, which reads text: Base64 would only fill its context. */
  private static String text(McpSchema.Content content) {
    return switch (content) {
      case McpSchema.TextContent words -> words.text();
      case McpSchema.ImageContent image -> leftOut("an image", image.mimeType(), image.data());
      case McpSchema.AudioContent sound -> leftOut("a sound", sound.mimeType(), sound.data());
      case McpSchema.EmbeddedResource embedded ->
          switch (embedded.resource()) {
            case McpSchema.TextResourceContents words -> words.uri() + "\n" + words.text();
            case McpSchema.BlobResourceContents blob ->
                blob.uri() + "\n" + leftOut("a resource", blob.mimeType(), blob.blob());
            default -> MAPPER.writeValueAsString(content);
          };
      default -> MAPPER.writeValueAsString(content);
    };
  }

  private static String leftOut(String what, @Nullable String type, @Nullable String base64) {
    return "[Mainstay left out %s of type %s and %d Base64 characters.]"
        .formatted(what, type, base64 == null ? 0 : base64.length());
  }

  @Override
  public Reconciled reconcile(ToolDefinition tool, Call call) {
    return new Reconciled.Unknown("MCP has no way to ask");
  }

  @Override
  public void close() {
    // A connection that is lost meanwhile asks the timer for its next try, unless it is closed.
    connections.values().forEach(McpConnection::close);
    timer.shutdownNow();
  }
}
