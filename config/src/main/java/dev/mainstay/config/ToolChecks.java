package dev.mainstay.config;

import java.net.http.HttpRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What makes an agent's tool one that cannot be called, or whose effects cannot be kept. */
final class ToolChecks {
  /** What every provider takes as the name of a tool. */
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  /** A JSON pointer to something inside (RFC 6901). */
  private static final Pattern POINTER = Pattern.compile("(/([^~]|~[01])*)+");

  /** Names of Mainstay's own tools. */
  private static final Set<String> RESERVED = Set.of("read_result");

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final Set<String> agents;

  /**
   * @param agents the names of all agents, which may be tools
   */
  ToolChecks(Set<String> agents) {
    this.agents = agents;
  }

  /** The agent's own tools, and its servers of tools. */
  void check(YamlGiven given, Agent agent) {
    var names = new HashSet<>(RESERVED);
    var tools = given.field("tools").elements();
    for (int i = 0; i < tools.size() && tools.size() == agent.tools().size(); i++) {
      var tool = agent.tools().get(i);
      name(tools.get(i).field("name"), tool.name(), names);
      check(tools.get(i), tool);
    }
    var servers = given.field("mcp").elements();
    var serverNames = new HashSet<String>();
    for (int i = 0; i < servers.size() && servers.size() == agent.mcp().size(); i++) {
      var server = agent.mcp().get(i);
      name(servers.get(i).field("name"), server.name(), serverNames);
      check(servers.get(i), server);
    }
  }

  private static void name(YamlGiven given, String name, Set<String> names) {
    if (!NAME.matcher(name).matches()) {
      given.problem("\"" + name + "\"", "up to 64 letters, digits, _ and -");
    } else if (!names.add(name)) {
      given.problem(
          RESERVED.contains(name) ? "a name of Mainstay's own tool" : "a name twice",
          "a name of its own");
    }
  }

  private void check(YamlGiven given, AgentTool tool) {
    oneOf(given, "http", "agent");
    if (tool.agent() != null && tool.http() == null) {
      agentTool(given, tool, tool.agent());
    } else if (tool.http() != null && tool.agent() == null) {
      httpTool(given, tool);
    }
    var parameters = tool.parameters();
    if (!parameters.isEmpty()) {
      boolean valid = schema(given.field("parameters"), parameters);
      if (valid && !"object".equals(parameters.getOrDefault("type", "object"))) {
        given
            .field("parameters")
            .field("type")
            .problem("\"" + parameters.get("type") + "\"", "object: arguments have names");
      }
    }
    approval(given.field("approval"), tool.calls().approval());
  }

  private static void oneOf(YamlGiven given, String one, String other) {
    if (given.field(one).absent() == given.field(other).absent()) {
      given.problem(
          (given.field(one).absent() ? "neither %s nor %s" : "both %s and %s")
              .formatted(one, other),
          "one of %s and %s".formatted(one, other));
    }
  }

  private void agentTool(YamlGiven given, AgentTool tool, String agent) {
    if (!agents.contains(agent)) {
      given
          .field("agent")
          .problem(
              "\"" + agent + "\", which is not a name of agents", NearestName.hint(agent, agents));
    }
    if (!given.field("effect").absent() && tool.effect() != Agent.Effect.IDEMPOTENT) {
      given.field("effect").problem("an effect of its own", "idempotent: an agent's run is");
    }
    for (var key : List.of("reconcile", "retry", "price", "timeout")) {
      if (!given.field(key).absent()) {
        given.field(key).problem("a setting of http tools", "the agent's own limits");
      }
    }
  }

  private static void httpTool(YamlGiven given, AgentTool tool) {
    if (tool.parameters().isEmpty()) {
      given
          .field("parameters")
          .problem("nothing", "a JSON Schema of the arguments, at least { type: object }");
    }
    request(given.field("http"), tool.http());
    boolean queryable = tool.effect() == Agent.Effect.QUERYABLE;
    var reconcile = tool.reconcile();
    if (queryable && reconcile == null) {
      given.field("reconcile").problem("nothing, with effect: queryable", "the request that asks");
    } else if (!queryable && reconcile != null) {
      given
          .field("reconcile")
          .problem("a reconcile request without effect: queryable", "effect: queryable beside it");
    } else if (reconcile != null) {
      var at = given.field("reconcile").field("url");
      if (!reconcile.url().contains("{key}")) {
        at.problem("a URL without {key}", "{key} in it");
      }
      request(given.field("reconcile"), reconcile);
      var method = given.field("reconcile").field("method");
      if (!method.absent() && reconcile.method() != AgentTool.Method.GET) {
        method.problem("\"" + method.text() + "\"", "get: a question changes nothing");
      }
    }
    if (tool.effect() == Agent.Effect.UNSAFE) {
      neverRepeated(given);
    }
  }

  private static void request(YamlGiven given, AgentTool.@Nullable Request request) {
    if (request == null) {
      return;
    }
    if (HttpUrl.parse(request.url().replace("{key}", "key")) == null) {
      given
          .field("url")
          .problem(
              "a value that is not a server's URL",
              "http://host/path or https://host/path, without a user");
    }
    request
        .headers()
        .forEach(
            (name, value) -> {
              if (!isHeader(name, value)) {
                given
                    .field("headers")
                    .field(name)
                    .problem(
                        "a header that no request can carry",
                        "a name of letters, digits and -, not Host or another that HTTP itself"
                            + " sets, and a value of one line");
              }
            });
  }

  /** The client that calls the tools decides. */
  private static boolean isHeader(String name, String value) {
    try {
      var unused = HttpRequest.newBuilder().header(name, value);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void approval(YamlGiven given, ToolCallPolicy.Approval approval) {
    var when = approval.when();
    if ((when == null) != (approval.above() == null)) {
      given.problem(
          when == null ? "above without when" : "when without above",
          "both: { when: /amount, above: 50 }");
    }
    if (when != null && approval.always()) {
      given.problem("always and when", "one of them");
    }
    if (when != null && !POINTER.matcher(when).matches()) {
      given.field("when").problem("\"" + when + "\"", "a JSON pointer, for example /amount");
    }
  }

  private static void check(YamlGiven given, Agent.McpServer server) {
    oneOf(given, "command", "url");
    if (server.url() != null && !server.env().isEmpty()) {
      given.field("env").problem("env with a URL", "env beside command alone");
    }
    server
        .effects()
        .forEach(
            (tool, effect) -> {
              var at = given.field("effects").field(tool);
              if (effect == Agent.Effect.QUERYABLE) {
                at.problem("queryable, which MCP does not support", "read, idempotent or unsafe");
              } else {
                amongTools(at, tool, server);
              }
            });
    server
        .toolSettings()
        .forEach(
            (tool, settings) -> {
              var at = given.field("tool-settings").field(tool);
              amongTools(at, tool, server);
              approval(at.field("approval"), settings.approval());
              var effects = server.effects();
              var effect =
                  effects.getOrDefault(tool, effects.getOrDefault("*", Agent.Effect.UNSAFE));
              if (!tool.equals("*") && effect == Agent.Effect.UNSAFE) {
                neverRepeated(at);
              }
            });
  }

  private static void amongTools(YamlGiven given, String tool, Agent.McpServer server) {
    if (!tool.equals("*") && !server.tools().isEmpty() && !server.tools().contains(tool)) {
      given.problem(
          "a tool that is not among tools", NearestName.hint(tool, Set.copyOf(server.tools())));
    }
  }

  private static void neverRepeated(YamlGiven tool) {
    if (!tool.field("retry").absent()) {
      tool.field("retry")
          .problem(
              "retry, with effect: unsafe",
              "no retry, because Mainstay never repeats an unsafe call; or another effect");
    }
  }

  /** Whether {@code schema} is a JSON Schema; where it is not, that is a problem. */
  static boolean schema(YamlGiven given, Map<String, Object> schema) {
    var mistake = JsonSchemas.mistake(MAPPER.valueToTree(schema));
    if (mistake != null) {
      given.problem("an invalid JSON Schema: " + mistake, "a JSON Schema (draft 2020-12)");
    }
    return mistake == null;
  }
}
