package dev.mainstay.agent.journal;

import dev.mainstay.core.guard.LoopGuard;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a run goes round in circles, or nowhere. A tool call is the same as another where
 * tool, arguments and result are: a poll whose result changes is progress.
 *
 * <p>A cycle of one to five calls that was gone through three times is reported; after a nudge,
 * twice more is too often. Calls of tools that were taken away are counted by turns.
 */
public final class ProgressGuard {
  /** What a circle calls for. */
  public enum Step {
    /** Nothing. */
    GO_ON,
    /** The model is told. */
    NUDGE,
    /** The model was told and goes on: its tools are taken away. */
    TAKE,
    /** The tools were taken away and the model goes on. */
    STOP
  }

  /** A call, and the tool it was of. */
  private record Call(String tool, String digest) {}

  /** Turns that call nothing but tools taken away, before the run ends. */
  private static final int MOST_REFUSED = 2;

  private LoopGuard guard = new LoopGuard();
  private @Nullable LoopGuard afterNudge;
  private final ArrayDeque<Call> recent = new ArrayDeque<>();
  private final Set<String> seen = new HashSet<>();
  private final Set<String> nudged = new HashSet<>();
  private final Set<String> taken = new TreeSet<>();
  private Set<String> tools = Set.of();
  private Step step = Step.GO_ON;
  private int refusedTurns;
  private int idleTurns;
  private boolean idleNudged;

  ProgressGuard() {}

  /** The tool calls of a turn have ended. */
  void turn(List<ToolStep> steps) {
    boolean progress = false;
    boolean onlyTaken = true;
    for (var each : steps) {
      var planned = each.planned();
      var ended = each.ended();
      if (taken.contains(planned.tool()) || ended == null) {
        continue;
      }
      onlyTaken = false;
      var result = ended.ok() + ended.result();
      progress |= seen.add(digest(planned.tool(), planned.arguments(), result));
      called(planned, result);
    }
    refusedTurns = onlyTaken ? refusedTurns + 1 : refusedTurns;
    if (refusedTurns >= MOST_REFUSED) {
      step = Step.STOP;
    }
    idleTurns = progress ? 0 : idleTurns + 1;
    idleNudged &= !progress;
  }

  private void called(JournalEntry.StepPlanned planned, String result) {
    recent.addLast(new Call(planned.tool(), digest(planned.tool(), planned.arguments(), result)));
    if (recent.size() > LoopGuard.MAX_LENGTH) {
      recent.removeFirst();
    }
    var again =
        afterNudge == null ? null : afterNudge.step(planned.tool(), planned.arguments(), result);
    var first = guard.step(planned.tool(), planned.arguments(), result);
    if (again != null && cycle(again).stream().allMatch(call -> nudged.contains(call.digest()))) {
      found(Step.TAKE, cycle(again));
    } else if (first != null) {
      found(Step.NUDGE, cycle(first));
    }
  }

  private List<Call> cycle(LoopGuard.Loop loop) {
    return recent.stream().skip(recent.size() - loop.length()).toList();
  }

  private void found(Step what, List<Call> cycle) {
    step = what;
    var names = new TreeSet<String>();
    nudged.clear();
    for (var call : cycle) {
      names.add(call.tool());
      nudged.add(call.digest());
    }
    tools = names;
  }

  /** The model was told that it goes round in circles. */
  void nudged() {
    step = Step.GO_ON;
    guard = new LoopGuard();
    afterNudge = new LoopGuard(2);
  }

  /** {@code names} were taken away. */
  void taken(List<String> names) {
    step = Step.GO_ON;
    taken.addAll(names);
    guard = new LoopGuard();
    afterNudge = null;
  }

  void nudgedIdle() {
    idleNudged = true;
  }

  /** Whether calls of {@code tool} are refused. */
  public boolean isTaken(String tool) {
    return taken.contains(tool);
  }

  /** What the calls so far call for. */
  public Step step() {
    return step;
  }

  /** The tools of the circle, in order of their names. */
  public List<String> tools() {
    return List.copyOf(tools);
  }

  /** Turns in a row without a new result. */
  public int idleTurns() {
    return idleTurns;
  }

  /** Whether the model was told so. */
  public boolean idleNudged() {
    return idleNudged;
  }

  private static String digest(String tool, String arguments, String result) {
    return Digests.sha256(
        tool.length() + ":" + tool + arguments.length() + ":" + arguments + result);
  }
}
