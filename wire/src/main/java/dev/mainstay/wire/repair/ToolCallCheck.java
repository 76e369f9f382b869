package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.OfferedTool.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Judges the tool calls of an answer against what its request offered: a call is good, or what it
 * was meant to be is certain, or the model is to be asked again. Immutable.
 */
public final class ToolCallCheck {
  /** As many of the offered names as are told to the model. */
  private static final int MAX_NAMES = 40;

  private final OfferedTools offered;
  private final Set<CallRepair> checked;
  private final Set<CallRepair> allowed;
  private final Fit fit;
  private final Set<String> candidates;

  /** When arguments must fit the schema of their tool. */
  public enum Fit {
    /** Where the request says strict. */
    STRICT,
    /** Always. */
    ALWAYS
  }

  /** A call as it is to be handed over. */
  public record Call(String name, String arguments) {}

  /** What became of a call. */
  public sealed interface Result {

    /** It can be handed over as it is. */
    record Good() implements Result {}

    /**
     * It can be handed over so.
     *
     * @param made what was repaired, not empty
     */
    record Repaired(String name, String arguments, Set<CallRepair> made) implements Result {
      public Repaired {
        made = Set.copyOf(made);
      }
    }

    /**
     * It holds others, which can be handed over in its place.
     *
     * @param calls each as it is to be, not empty
     * @param made what was repaired
     */
    record Unfolded(List<Call> calls, Set<CallRepair> made) implements Result {
      public Unfolded {
        calls = List.copyOf(calls);
        made = Set.copyOf(made);
      }
    }

    /**
     * It cannot stand.
     *
     * @param reason one sentence for the model, with names of the request and no value of the call
     */
    record Bad(String reason) implements Result {}
  }

  /** As the other constructor, for calls that may still be changed. */
  public ToolCallCheck(OfferedTools offered, Set<CallRepair> checked, Fit fit) {
    this(offered, checked, true, fit);
  }

  /**
   * @param checked what is judged; what the others would mend is good as it is, but for arguments
   *     that must always fit
   * @param repairable whether a call may be changed; otherwise what would be mended is bad
   */
  public ToolCallCheck(OfferedTools offered, Set<CallRepair> checked, boolean repairable, Fit fit) {
    this.offered = offered;
    this.checked = checked.isEmpty() ? Set.of() : EnumSet.copyOf(checked);
    this.allowed = repairable ? this.checked : Set.of();
    this.fit = fit;
    var names = new java.util.LinkedHashSet<String>();
    for (var tool : offered.all()) {
      if (tool.kind() != Kind.BUILT_IN
          && (offered.allowed().isEmpty() || offered.allowed().contains(tool.name()))) {
        names.add(tool.name());
      }
    }
    this.candidates = names;
  }

  /** What the request offered. */
  public OfferedTools offered() {
    return offered;
  }

  /** Whether {@code repair} may be made. */
  public boolean repairs(CallRepair repair) {
    return allowed.contains(repair);
  }

  /**
   * Judges one call.
   *
   * @param arguments as the model wrote them, whole
   */
  public Result check(String name, String arguments) {
    var tool = offered.find(name).orElse(null);
    if (tool == null && !checked.contains(CallRepair.TOOL_NAME)) {
      return arguments(name, null, arguments);
    }
    if (tool == null && ParallelWrapper.is(name)) {
      var unfolded = unfolded(arguments);
      return unfolded == null ? new Result.Bad(notOffered(name)) : unfolded;
    }
    // Where there may be tools that the request does not spell out, only a name that nobody gives a
    // tool is wrong.
    if (tool == null && (!offered.open() || name.contains("<|"))) {
      var meant =
          allowed.contains(CallRepair.TOOL_NAME)
              ? ToolNames.intended(name, candidates, other -> couldBe(other, arguments))
              : null;
      tool = meant == null ? null : offered.find(meant).orElse(null);
      if (tool == null && !offered.open()) {
        return new Result.Bad(notOffered(name));
      }
    }
    if (tool != null && tool.kind() == Kind.BUILT_IN) {
      return result(name, tool, arguments, arguments);
    }
    return arguments(name, tool, arguments);
  }

  /** The calls within a wrapper, where each of them is certain. */
  private Result.@Nullable Unfolded unfolded(String arguments) {
    var uses = allowed.contains(CallRepair.TOOL_NAME) ? ParallelWrapper.uses(arguments) : null;
    if (uses == null) {
      return null;
    }
    var calls = new ArrayList<Call>();
    var made = EnumSet.of(CallRepair.TOOL_NAME);
    for (var use : uses) {
      switch (check(use.name(), use.arguments())) {
        case Result.Good _ -> calls.add(new Call(use.name(), use.arguments()));
        case Result.Repaired repaired -> {
          calls.add(new Call(repaired.name(), repaired.arguments()));
          made.addAll(repaired.made());
        }
        case Result.Unfolded inner -> {
          calls.addAll(inner.calls());
          made.addAll(inner.made());
        }
        case Result.Bad _ -> {
          return null;
        }
      }
    }
    boolean certain =
        calls.size() <= (offered.oneCallAtMost() ? 1 : ParallelWrapper.MOST)
            && calls.stream()
                .map(call -> offered.find(call.name()).orElse(null))
                .allMatch(tool -> tool != null && tool.kind() != Kind.BUILT_IN);
    return certain ? new Result.Unfolded(calls, made) : null;
  }

  private Result arguments(String name, @Nullable OfferedTool tool, String arguments) {
    if (!checked.contains(CallRepair.TOOL_ARGUMENTS) && fit != Fit.ALWAYS) {
      return result(name, tool, arguments, arguments);
    }
    var shown = tool == null ? shown(name) : tool.name();
    var mended = arguments;
    var value = arguments.isBlank() ? null : Trees.read(arguments);
    if (arguments.isBlank() && emptyIsUsual()) {
      value = Trees.read("{}");
    } else if (value == null || !value.isObject()) {
      var meant =
          allowed.contains(CallRepair.TOOL_ARGUMENTS) ? ArgumentMender.mend(arguments) : null;
      value = meant == null ? null : Trees.read(meant);
      if (meant == null || value == null || !value.isObject()) {
        return new Result.Bad(notJson(shown, arguments));
      }
      mended = meant;
    }
    var schema = tool == null ? null : tool.schema();
    // A repaired object must be one the tool takes; the empty one is no guess.
    boolean guessed = !mended.equals(arguments) && !arguments.isBlank();
    boolean judged = fit == Fit.ALWAYS || tool != null && tool.strict() || guessed;
    var misfit =
        schema == null || value == null || !judged ? null : SchemaFit.misfit(schema, value);
    if (misfit != null && schema != null && allowed.contains(CallRepair.TOOL_ARGUMENTS)) {
      var unquoted = QuotedFields.unquote(schema, mended);
      var plain = unquoted == null ? null : Trees.read(unquoted);
      if (unquoted != null && plain != null && SchemaFit.misfit(schema, plain) == null) {
        return result(name, tool, arguments, unquoted);
      }
    }
    return misfit == null
        ? result(name, tool, arguments, mended)
        : new Result.Bad("The arguments of %s do not fit its schema: %s.".formatted(shown, misfit));
  }

  /** Anthropic's and Gemini's calls without arguments are empty in a stream, by their protocol. */
  private boolean emptyIsUsual() {
    return offered.dialect() == Dialect.ANTHROPIC
        || offered.dialect() == Dialect.GEMINI
        || !allowed.contains(CallRepair.TOOL_ARGUMENTS);
  }

  private static Result result(
      String name, @Nullable OfferedTool tool, String arguments, String mended) {
    var made = EnumSet.noneOf(CallRepair.class);
    var meant = tool == null ? name : tool.name();
    if (!meant.equals(name)) {
      made.add(CallRepair.TOOL_NAME);
    }
    if (!mended.equals(arguments)) {
      made.add(CallRepair.TOOL_ARGUMENTS);
    }
    return made.isEmpty() ? new Result.Good() : new Result.Repaired(meant, mended, made);
  }

  /** Whether the arguments name only what {@code tool} takes, and all that it needs. */
  private boolean couldBe(String tool, String arguments) {
    var schema = offered.find(tool).map(OfferedTool::schema).orElse(null);
    if (schema == null || !schema.has("properties")) {
      return true;
    }
    var text = arguments.isBlank() ? "{}" : arguments;
    var value = Trees.read(text);
    if (value == null || !value.isObject()) {
      var mended = ArgumentMender.mend(text);
      value = mended == null ? null : Trees.read(mended);
    }
    return value != null && value.isObject() && names(schema, value);
  }

  private static boolean names(JsonNode schema, JsonNode value) {
    var properties = schema.get("properties");
    for (var field : value.properties()) {
      if (!properties.has(field.getKey())) {
        return false;
      }
    }
    var required = schema.get("required");
    if (required != null && required.isArray()) {
      for (var name : required) {
        if (name.isString() && !value.has(name.stringValue())) {
          return false;
        }
      }
    }
    return true;
  }

  private static String notJson(String tool, String arguments) {
    var mistake = Trees.mistake(arguments);
    return "The arguments of %s are not a JSON object: %s."
        .formatted(tool, mistake == null ? "they are another kind of value" : mistake);
  }

  private String notOffered(String name) {
    return "There is no tool named %s. %s".formatted(shown(name), toolList());
  }

  /** Which tools there are, in one sentence. */
  String toolList() {
    if (candidates.isEmpty()) {
      return "No tool is offered.";
    }
    List<String> names = candidates.stream().limit(MAX_NAMES).map(ToolCallCheck::shown).toList();
    int more = candidates.size() - names.size();
    return "The tools are %s%s."
        .formatted(String.join(", ", names), more == 0 ? "" : " and " + more + " more");
  }

  private static String shown(String name) {
    var clean = new StringBuilder();
    name.codePoints()
        .limit(64)
        .map(c -> Character.isISOControl(c) ? ' ' : c)
        .forEach(clean::appendCodePoint);
    return clean.append(name.codePointCount(0, name.length()) > 64 ? "..." : "").toString();
  }
}
