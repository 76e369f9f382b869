package dev.mainstay.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What makes an agent one that cannot run; what its tools may be is {@link ToolChecks}'s. */
final class AgentChecks {
  private final YamlGiven file;
  private final List<String> notices;
  private final Map<String, Agent> agents;
  private final Config config;

  /**
   * @param notices where it says which agents cannot run yet
   */
  AgentChecks(YamlGiven file, Config config, List<String> notices) {
    this.file = file;
    this.notices = notices;
    this.config = config;
    agents = config.agents();
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
    if (agent.name().isBlank()) {
      given.problem("an agent without a name", "a name");
    }
    model(given.field("model"), agent);
    instructions(given.field("instructions"), agent.instructions());
    var output = agent.output();
    if (output != null) {
      var schema = given.field("output").field("schema");
      if (schema.absent()) {
        schema.problem("nothing", "a JSON Schema of the answer");
      }
      var unused = ToolChecks.schema(schema, output.schema());
    }
    new ToolChecks(agents.keySet()).check(given, agent);
  }

  /** A model or provider that was left out for want of a key is no mistake of the agent's. */
  private void model(YamlGiven given, Agent agent) {
    var name = agent.model();
    var declared = file.field("models").fields();
    var providers = file.field("providers").fields();
    var target = new ConfigTypes.Target().parse(name);
    if (config.models().containsKey(name)) {
      return;
    }
    if (declared.contains(name)) {
      notices.add(
          "agent %s: its model %s has no target left, and its runs fail"
              .formatted(agent.name(), name));
    } else if (target == null) {
      given.problem(
          "\"" + name + "\", which is not a name of models",
          "provider/model, or " + NearestName.hint(name, declared));
    } else if (!providers.contains(target.provider())) {
      given.problem(
          "the provider \"" + target.provider() + "\"",
          NearestName.hint(target.provider(), providers));
    } else if (!config.providers().containsKey(target.provider())) {
      notices.add(
          "agent %s: Mainstay disabled the provider of its model %s, and its runs fail"
              .formatted(agent.name(), name));
    }
  }

  private static void instructions(YamlGiven given, Agent.@Nullable Instructions instructions) {
    if (instructions == null || instructions.file() == null) {
      return;
    }
    if (instructions.text() != null) {
      given.problem("a text and a file", "one of them");
    } else if (given.hasFolder()) {
      try {
        var unused = Config.text(instructions.file());
      } catch (IllegalArgumentException e) {
        given
            .field("file")
            .problem(String.valueOf(e.getMessage()), "a text file that this process may read");
      }
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
