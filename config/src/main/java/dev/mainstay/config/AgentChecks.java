package dev.mainstay.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What makes an agent's definition one that cannot run, or whose effects cannot be kept. */
final class AgentChecks {
  /** What every provider takes as the name of a tool. */
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  /** Names of Mainstay's own tools. */
  private static final Set<String> RESERVED = Set.of("read_result");

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final YamlGiven file;
  private final Map<String, Agent> agents;
  private final Set<String> models;

  AgentChecks(YamlGiven file, Config config) {
    this.file = file;
    agents = config.agents();
    models = config.models().keySet();
  }

  void check() {
    agents.values().forEach(this::check);
    cycles();
  }

  private YamlGiven given(String agent) {
    return file.field("agents").field(agent);
  }

  private void check(Agent agent) {
    var given = given(agent.name());
    if (!models.contains(agent.model()) && new Types.Target().parse(agent.model()) == null) {
      given
          .field("model")
          .problem(
              "\"" + agent.model() + "\", which is not a name of models",
              "provider/model, or " + Nearest.hint(agent.model(), models));
    }
    var instructions = agent.instructions();
    if (instructions != null && instructions.text() != null && instructions.file() != null) {
      given.field("instructions").problem("a text and a file", "one of them");
    }
    var output = agent.output();
    if (output != null) {
      schema(given.field("output").field("schema"), output.schema());
    }
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
    if ((tool.http() == null) == (tool.agent() == null)) {
      given.problem(
          tool.http() == null ? "neither http nor agent" : "both http and agent",
          "one of http and agent");
    } else if (tool.agent() != null) {
      agentTool(given, tool, tool.agent());
    } else {
      httpTool(given, tool);
    }
    if (!tool.parameters().isEmpty()) {
      schema(given.field("parameters"), tool.parameters());
    }
    approval(given.field("approval"), tool.approval());
  }

  private void agentTool(YamlGiven given, AgentTool tool, String agent) {
    if (!agents.containsKey(agent)) {
      given
          .field("agent")
          .problem(
              "\"" + agent + "\", which is not a name of agents",
              Nearest.hint(agent, agents.keySet()));
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
    url(given.field("http").field("url"), tool.http());
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
      url(at, reconcile);
    }
    if (tool.effect() == Agent.Effect.UNSAFE) {
      neverRepeated(given);
    }
  }

  private static void url(YamlGiven given, AgentTool.@Nullable Request request) {
    if (request == null) {
      return;
    }
    try {
      var uri = new URI(request.url().replace("{key}", "key"));
      if (uri.getHost() == null || !Set.of("http", "https").contains(uri.getScheme())) {
        given.problem(
            "a value that is not a server's URL", "http://host/path or https://host/path");
      }
    } catch (URISyntaxException e) {
      given.problem("no URL", "http://host/path or https://host/path");
    }
  }

  private static void approval(YamlGiven given, AgentTool.Approval approval) {
    var when = approval.when();
    if ((when == null) != (approval.above() == null)) {
      given.problem(
          when == null ? "above without when" : "when without above",
          "both: { when: /amount, above: 50 }");
    }
    if (when != null && !when.startsWith("/")) {
      given.field("when").problem("\"" + when + "\"", "a JSON pointer, for example /amount");
    }
  }

  private static void check(YamlGiven given, Agent.McpServer server) {
    if (server.command().isEmpty() == (server.url() == null)) {
      given.problem(
          server.url() == null ? "neither command nor url" : "both command and url",
          "one of command and url");
    }
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
          "a tool that is not among tools", Nearest.hint(tool, Set.copyOf(server.tools())));
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

  private static void schema(YamlGiven given, Map<String, Object> schema) {
    var mistake = JsonSchemas.mistake(MAPPER.valueToTree(schema));
    if (mistake != null) {
      given.problem("an invalid JSON Schema: " + mistake, "a JSON Schema (draft 2020-12)");
    }
  }

  // ---- cycles of sub-agents

  private void cycles() {
    var done = new HashSet<String>();
    agents.keySet().forEach(agent -> walk(agent, new ArrayList<>(), done));
  }

  private void walk(String name, List<String> path, Set<String> done) {
    var agent = agents.get(name);
    if (agent == null || !done.add(name)) {
      return;
    }
    path.add(name);
    for (int i = 0; i < agent.tools().size(); i++) {
      var to = agent.tools().get(i).agent();
      int at = to == null ? -1 : path.indexOf(to);
      if (at >= 0) {
        given(name)
            .field("tools")
            .problem(
                "a cycle of agents: "
                    + String.join(" → ", path.subList(at, path.size()))
                    + " → "
                    + to,
                "agents that do not call themselves");
      } else if (to != null) {
        walk(to, path, done);
      }
    }
    path.removeLast();
  }
}
