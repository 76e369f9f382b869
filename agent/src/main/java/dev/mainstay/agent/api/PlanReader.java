package dev.mainstay.agent.api;

import dev.mainstay.agent.journal.JournalEntry.PlanStep;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/** Reads the plan of a request. What its arguments take from a step, they need. */
final class PlanReader {
  private static final Set<String> FIELDS = Set.of("id", "tool", "agent", "arguments", "needs");
  private static final String FROM = "$from";

  private PlanReader() {}

  /** A plan that is none, with the path of the mistake. */
  static final class MistakeException extends Exception {
    private static final long serialVersionUID = 1;

    MistakeException(String path, String message) {
      super(path + ": " + message);
    }
  }

  static List<PlanStep> read(JsonNode plan) throws MistakeException {
    if (!plan.isArray() || plan.isEmpty()) {
      throw new MistakeException("plan", "not a list of steps");
    }
    var steps = new ArrayList<PlanStep>();
    for (int i = 0; i < plan.size(); i++) {
      steps.add(step(plan.get(i), "plan[" + i + "]"));
    }
    return steps;
  }

  private static PlanStep step(JsonNode json, String path) throws MistakeException {
    if (!json.isObject()) {
      throw new MistakeException(path, "not an object");
    }
    for (var field : json.propertyNames()) {
      if (!FIELDS.contains(field)) {
        throw new MistakeException(path + "." + field, "no field of a step");
      }
    }
    var id = Tree.text(json, "id");
    if (id.isEmpty()) {
      throw new MistakeException(path + ".id", "missing: a text");
    }
    var tool = json.path("tool").stringValue(null);
    var agent = json.path("agent").stringValue(null);
    if ((tool == null) == (agent == null)) {
      throw new MistakeException(path, tool == null ? "neither tool nor agent" : "tool and agent");
    }
    var arguments = json.path("arguments");
    if (!arguments.isMissingNode() && !arguments.isObject()) {
      throw new MistakeException(path + ".arguments", "not an object");
    }
    var needs = new LinkedHashSet<String>();
    for (var need : json.path("needs")) {
      if (!need.isString()) {
        throw new MistakeException(path + ".needs", "not a list of ids");
      }
      needs.add(need.stringValue());
    }
    if (!json.path("needs").isMissingNode() && !json.path("needs").isArray()) {
      throw new MistakeException(path + ".needs", "not a list of ids");
    }
    taken(arguments, path + ".arguments", needs);
    return new PlanStep(
        id, tool, agent, arguments.isMissingNode() ? null : arguments, List.copyOf(needs));
  }

  /** Adds the steps from which {@code arguments} take something. */
  private static void taken(JsonNode arguments, String path, Set<String> needs)
      throws MistakeException {
    if (arguments.isObject() && arguments.has(FROM)) {
      if (!arguments.path(FROM).isString()) {
        throw new MistakeException(path + "." + FROM, "not the id of a step");
      }
      for (var field : arguments.propertyNames()) {
        if (!field.equals(FROM) && !field.equals("pointer")) {
          throw new MistakeException(path + "." + field, "no field beside " + FROM);
        }
      }
      try {
        var unused =
            JsonPointer.compile(
                arguments.path("pointer").isMissingNode()
                    ? ""
                    : arguments.path("pointer").stringValue("not a text"));
      } catch (IllegalArgumentException e) {
        throw new MistakeException(path + ".pointer", "not a JSON pointer, for example /x");
      }
      needs.add(arguments.path(FROM).stringValue());
      return;
    }
    for (var field : arguments.properties()) {
      taken(field.getValue(), path + "." + field.getKey(), needs);
    }
    for (int i = 0; arguments.isArray() && i < arguments.size(); i++) {
      taken(arguments.get(i), path + "[" + i + "]", needs);
    }
  }
}
