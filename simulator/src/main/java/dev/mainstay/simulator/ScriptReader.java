package dev.mainstay.simulator;

import static dev.mainstay.simulator.ScriptFields.checked;
import static dev.mainstay.simulator.ScriptFields.duration;
import static dev.mainstay.simulator.ScriptFields.fields;
import static dev.mainstay.simulator.ScriptFields.flag;
import static dev.mainstay.simulator.ScriptFields.known;
import static dev.mainstay.simulator.ScriptFields.orNull;
import static dev.mainstay.simulator.ScriptFields.text;
import static dev.mainstay.simulator.ScriptFields.tree;
import static dev.mainstay.simulator.ScriptFields.whole;
import static dev.mainstay.simulator.ScriptFields.wrong;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Makes scripts of their fields, which {@link ScriptFields} reads. */
final class ScriptReader {
  static final Set<String> STEP =
      Set.of(
          "times",
          "delay",
          "drip",
          "answer",
          "fault",
          "name",
          "status",
          "headers",
          "body",
          "reset",
          "silence",
          "for",
          "ends",
          "cut",
          "cut-inside",
          "error-event",
          "at",
          "error-in-200",
          "malformed");

  Script script(String yaml) {
    JsonNode root = tree(yaml);
    known(root, "", Set.of("models", "keys", "known-only"));
    var models = new LinkedHashMap<String, Script.Model>();
    for (var each : fields(root, "models", "")) {
      models.put(each.getKey(), model(each.getValue(), "models." + each.getKey()));
    }
    var keys = new LinkedHashMap<String, Step>();
    int number = 0;
    for (var each : fields(root, "keys", "")) {
      // By its number: a key has no place in a message.
      keys.put(each.getKey(), step(each.getValue(), "keys[" + number++ + "]"));
    }
    return new Script(models, keys, flag(root, "known-only", ""));
  }

  private Script.Model model(JsonNode node, String path) {
    if (node.isArray()) return Script.Model.of(steps(node, path).toArray(Step[]::new));
    known(node, path, Set.of("script", "then", "limit", "flap", "continues"));
    JsonNode script = node.path("script");
    String then = node.path("then").asString("ok");
    if (!then.equals("ok") && !then.equals("repeat")) {
      throw wrong(path + ".then", "ok or repeat", node.path("then"));
    }
    return new Script.Model(
        script.isMissingNode() ? List.of() : steps(script, path + ".script"),
        then.equals("repeat"),
        limit(node.path("limit"), path + ".limit"),
        flap(node.path("flap"), path + ".flap"),
        continues(node.path("continues"), path + ".continues"));
  }

  private static Continues continues(JsonNode node, String path) {
    if (node.isMissingNode()) return Continues.EXACTLY;
    for (Continues each : Continues.values()) {
      if (each.label().equals(node.asString(""))) return each;
    }
    throw wrong(
        path,
        Arrays.stream(Continues.values()).map(Continues::label).collect(Collectors.joining(", ")),
        node);
  }

  private Script.@Nullable RateLimit limit(JsonNode node, String path) {
    if (node.isMissingNode()) return null;
    known(node, path, Set.of("requests", "tokens", "window"));
    Duration window = duration(node.path("window"), path + ".window");
    return checked(
        path,
        () ->
            new Script.RateLimit(
                whole(node.path("requests"), path + ".requests", 0),
                whole(node.path("tokens"), path + ".tokens", 0),
                window.isZero() ? Duration.ofSeconds(60) : window));
  }

  private Script.@Nullable Flap flap(JsonNode node, String path) {
    if (node.isMissingNode()) return null;
    known(node, path, Set.of("good", "bad", "with"));
    return checked(
        path,
        () ->
            new Script.Flap(
                duration(node.path("good"), path + ".good"),
                duration(node.path("bad"), path + ".bad"),
                step(node.path("with"), path + ".with")));
  }

  private List<Step> steps(JsonNode list, String path) {
    if (!list.isArray()) throw wrong(path, "a list of steps", list);
    var steps = new ArrayList<Step>();
    for (int i = 0; i < list.size(); i++) steps.add(step(list.get(i), path + "[" + i + "]"));
    return steps;
  }

  Step step(JsonNode node, String path) {
    if (node.isString()) return named(node.asString(), node, path);
    known(node, path, STEP);
    Step base =
        node.has("fault") ? named(node.path("fault").asString(""), node, path + ".fault") : null;
    Fault fault = base != null ? base.fault() : fault(node, path);
    Answer answer =
        node.has("answer")
            ? answer(node.path("answer"), path + ".answer")
            : base != null ? base.answer() : Answer.USUAL;
    String given = node.path("name").asString("");
    String name = !given.isEmpty() ? given : base != null ? base.name() : Step.of(fault).name();
    return checked(
        path,
        () ->
            new Step(
                whole(node.path("times"), path + ".times", 1),
                duration(node.path("delay"), path + ".delay"),
                duration(node.path("drip"), path + ".drip"),
                answer,
                fault,
                name));
  }

  private static Step named(String name, JsonNode node, String path) {
    if (name.equals("ok")) return Step.OK;
    Faults.Known known = Faults.byName().get(name);
    if (known == null) {
      throw wrong(
          path, "ok or one of " + String.join(", ", new TreeSet<>(Faults.byName().keySet())), node);
    }
    return known.step();
  }

  private Fault fault(JsonNode node, String path) {
    if (node.has("status")) {
      return checked(
          path,
          () ->
              new Fault.Reply(
                  whole(node.path("status"), path + ".status", 0),
                  headers(node, path),
                  text(node.path("body"))));
    }
    if (node.has("error-in-200")) {
      return new Fault.Reply(200, headers(node, path), text(node.path("error-in-200")));
    }
    if (node.has("reset")) return new Fault.Reset(point(node.path("reset"), path + ".reset"));
    if (node.has("silence")) {
      Duration lasting = duration(node.path("for"), path + ".for");
      return new Fault.Silence(
          point(node.path("silence"), path + ".silence"), lasting.isZero() ? null : lasting);
    }
    if (node.has("ends")) return new Fault.End(point(node.path("ends"), path + ".ends"));
    if (node.has("cut")) return new Fault.Cut(point(node.path("cut"), path + ".cut"));
    if (node.has("cut-inside")) return new Fault.CutInside(part(node.path("cut-inside"), path));
    if (node.has("error-event")) {
      FaultPoint at = node.has("at") ? point(node.path("at"), path + ".at") : FaultPoint.after(0);
      return new Fault.ErrorEvent(at, text(node.path("error-event")));
    }
    if (node.has("malformed"))
      return new Fault.Malformed(point(node.path("malformed"), path + ".malformed"));
    return new Fault.None();
  }

  private static Fault.Part part(JsonNode node, String path) {
    return switch (node.asString("")) {
      case "character" -> Fault.Part.CHARACTER;
      case "json" -> Fault.Part.JSON;
      case "chunk" -> Fault.Part.CHUNK;
      default -> throw wrong(path + ".cut-inside", "character, json or chunk", node);
    };
  }

  private Answer answer(JsonNode node, String path) {
    if (node.isString()) return Answer.ofText(node.asString());
    known(node, path, Set.of("text", "reasoning", "tool-calls", "finish", "refusal"));
    var calls = new ArrayList<Answer.ToolCall>();
    for (JsonNode call : node.path("tool-calls")) {
      known(call, path + ".tool-calls[" + calls.size() + "]", Set.of("name", "arguments"));
      JsonNode arguments = call.path("arguments");
      calls.add(
          new Answer.ToolCall(
              call.path("name").asString("${tool}"),
              arguments.isMissingNode() ? "{}" : text(arguments)));
    }
    return new Answer(
        orNull(node.path("text")),
        orNull(node.path("reasoning")),
        calls,
        orNull(node.path("finish")),
        orNull(node.path("refusal")));
  }

  private static FaultPoint point(JsonNode node, String path) {
    if (node.isInt() && node.asInt() >= 0) return FaultPoint.after(node.asInt());
    if (node.isObject()) {
      known(node, path, Set.of("byte"));
      int bytes = whole(node.path("byte"), path + ".byte", -1);
      return checked(path, () -> FaultPoint.atByte(bytes));
    }
    return switch (node.asString("")) {
      case "before-headers" -> FaultPoint.BEFORE_HEADERS;
      case "after-headers" -> FaultPoint.AFTER_HEADERS;
      default ->
          throw wrong(
              path, "before-headers, after-headers, a number of deltas or { byte: N }", node);
    };
  }

  private static Map<String, String> headers(JsonNode node, String path) {
    var headers = new LinkedHashMap<String, String>();
    for (var each : fields(node, "headers", path)) {
      headers.put(each.getKey().toLowerCase(Locale.ROOT), text(each.getValue()));
    }
    return headers;
  }
}
