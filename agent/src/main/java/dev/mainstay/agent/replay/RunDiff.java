package dev.mainstay.agent.replay;

import com.github.difflib.DiffUtils;
import com.github.difflib.patch.DeltaType;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.agent.record.RunStep.Kind;
import dev.mainstay.engine.model.Message;
import dev.mainstay.wire.json.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Two runs side by side: their steps aligned, their texts as a unified diff, arguments by JSON
 * pointer, and what each of them took.
 */
public final class RunDiff {
  private final Side a;
  private final Side b;
  private final ObjectNode json = Tree.object();

  /** One of the two. */
  public record Side(String run, List<RunStep> steps) {}

  private RunDiff(Side a, Side b) {
    this.a = a;
    this.b = b;
  }

  /** As the API shows it. */
  public static ObjectNode of(Side a, Side b) {
    return new RunDiff(a, b).whole();
  }

  private ObjectNode whole() {
    json.put("a", a.run());
    json.put("b", b.run());
    json.putNull("first_difference");
    var steps = json.putArray("steps");
    for (var pair : aligned()) {
      var step = step(pair);
      steps.add(step);
      if (!step.path("change").asString().equals("same")
          && json.path("first_difference").isNull()) {
        json.putObject("first_difference").put("a", number(pair.a())).put("b", number(pair.b()));
      }
    }
    json.put("text", TextDiff.of(a.run(), text(a.steps()), b.run(), text(b.steps())));
    totals();
    return json;
  }

  // ---- alignment

  private record Pair(@Nullable RunStep a, @Nullable RunStep b) {}

  private List<Pair> aligned() {
    var pairs = new ArrayList<Pair>();
    var left = a.steps().stream().map(RunDiff::signature).toList();
    var right = b.steps().stream().map(RunDiff::signature).toList();
    for (var delta : DiffUtils.diff(left, right, true).getDeltas()) {
      int i = delta.getSource().getPosition();
      int j = delta.getTarget().getPosition();
      int m = delta.getSource().size();
      int n = delta.getTarget().size();
      boolean equal = delta.getType() == DeltaType.EQUAL;
      for (int k = 0; k < Math.max(m, n); k++) {
        var one = k < m ? a.steps().get(i + k) : null;
        var other = k < n ? b.steps().get(j + k) : null;
        if (equal || one == null || other == null) {
          pairs.add(new Pair(one, other));
        } else {
          pairs.add(new Pair(one, null));
          pairs.add(new Pair(null, other));
        }
      }
    }
    return pairs;
  }

  private static String signature(RunStep step) {
    return step.kind() == Kind.MODEL ? "model" : "tool " + step.name();
  }

  private static @Nullable Integer number(@Nullable RunStep step) {
    return step == null ? null : (Integer) step.step();
  }

  private ObjectNode step(Pair pair) {
    var one = pair.a();
    var other = pair.b();
    var any = Objects.requireNonNull(one == null ? other : one);
    var step = Tree.object();
    var textOfA = one == null ? List.<String>of() : text(List.of(one));
    var textOfB = other == null ? List.<String>of() : text(List.of(other));
    step.put(
        "change",
        one == null
            ? "added"
            : other == null ? "removed" : textOfA.equals(textOfB) ? "same" : "changed");
    step.put("kind", any.kind() == Kind.MODEL ? "model" : "tool");
    step.put("name", any.name());
    step.put("a", number(one));
    step.put("b", number(other));
    if (one != null && other != null) {
      step.set("arguments", JsonDiff.of(one.content().arguments(), other.content().arguments()));
      step.put("text", TextDiff.of("a", textOfA, "b", textOfB));
    }
    step.set("tokens", both(one, other, each -> each.use().tokens()));
    var cost = step.putObject("cost_usd");
    cost.put("a", one == null ? null : RunStep.usd(one.use().costNanos()));
    cost.put("b", other == null ? null : RunStep.usd(other.use().costNanos()));
    var time = step.putObject("duration_ms");
    time.put("a", one == null ? null : one.use().ms());
    time.put("b", other == null ? null : other.use().ms());
    return step;
  }

  private static ObjectNode both(
      @Nullable RunStep one, @Nullable RunStep other, ToLongFunction<RunStep> value) {
    return Tree.object()
        .put("a", one == null ? null : (Long) value.applyAsLong(one))
        .put("b", other == null ? null : (Long) value.applyAsLong(other));
  }

  // ---- text

  /** What was said and done, without times and ids. */
  private static List<String> text(List<RunStep> steps) {
    var lines = new ArrayList<String>();
    for (var step : steps) {
      var content = step.content();
      if (step.kind() == Kind.TOOL) {
        lines.add("tool " + step.name());
        if (content.arguments() != null) {
          TextDiff.lines(content.arguments()).forEach(line -> lines.add("  " + line));
        }
        lines.add("  " + step.status());
      } else {
        lines.add("model " + step.status());
        if (content.message() instanceof ObjectNode message) {
          var said = new Message(message);
          said.text().lines().forEach(line -> lines.add("  " + line));
          said.toolCalls().forEach(call -> lines.add("  calls " + call.name()));
        }
      }
      var result = content.result();
      if (result != null) {
        result.lines().forEach(line -> lines.add("  > " + line));
      }
    }
    return lines;
  }

  // ---- totals

  private void totals() {
    var totals = json.putObject("totals");
    totals.putObject("steps").put("a", a.steps().size()).put("b", b.steps().size());
    sums(totals, "attempts", step -> step.use().attempts());
    sums(totals, "tokens", step -> step.use().tokens());
    totals.putObject("cost_usd").put("a", RunStep.usd(cost(a))).put("b", RunStep.usd(cost(b)));
    totals.putObject("duration_ms").put("a", lasted(a)).put("b", lasted(b));
  }

  private void sums(ObjectNode totals, String name, ToLongFunction<RunStep> value) {
    Function<Side, Long> sum = side -> side.steps().stream().mapToLong(value).sum();
    totals.putObject(name).put("a", sum.apply(a)).put("b", sum.apply(b));
  }

  /** Null where a price is unknown. */
  private static @Nullable Long cost(Side side) {
    long sum = 0;
    for (var step : side.steps()) {
      var cost = step.use().costNanos();
      if (cost == null) {
        return null;
      }
      sum += cost;
    }
    return sum;
  }

  private static @Nullable Long lasted(Side side) {
    var starts = side.steps().stream().map(step -> step.use().startedAt()).filter(Objects::nonNull);
    var ends = side.steps().stream().map(step -> step.use().endedAt()).filter(Objects::nonNull);
    var first = starts.min(Instant::compareTo);
    var last = ends.max(Instant::compareTo);
    return first.isEmpty() || last.isEmpty()
        ? null
        : (Long) (last.get().toEpochMilli() - first.get().toEpochMilli());
  }
}
