package dev.mainstay.wire.repair;

import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.translate.Delta;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Judges and repairs the tool calls of a whole turn, as deltas. */
public final class TurnRepair {
  private TurnRepair() {}

  /**
   * A call as the model made it, and what became of it.
   *
   * @param choice the choice it belongs to, from 0
   * @param call its place among the choice's calls, from 0
   */
  public record CheckedCall(int choice, int call, String name, String arguments, Result result) {}

  /**
   * A turn after its calls were judged.
   *
   * @param deltas the turn, with the repaired calls in the place of the wrong ones; every other
   *     delta as it was
   * @param calls in the order in which the model made them
   */
  public record Turn(List<Delta> deltas, List<CheckedCall> calls) {
    public Turn {
      deltas = List.copyOf(deltas);
      calls = List.copyOf(calls);
    }

    /** What was repaired. */
    public Set<CallRepair> made() {
      return TurnRepair.made(calls);
    }

    /** Why the turn cannot stand, a sentence for each bad call; empty where it can. */
    public List<String> bad() {
      return TurnRepair.bad(calls);
    }
  }

  static Set<CallRepair> made(List<CheckedCall> calls) {
    var made = EnumSet.noneOf(CallRepair.class);
    for (var call : calls) {
      if (call.result() instanceof Result.Repaired repaired) {
        made.addAll(repaired.made());
      }
    }
    return made;
  }

  static List<String> bad(List<CheckedCall> calls) {
    var bad = new ArrayList<String>();
    for (var call : calls) {
      if (call.result() instanceof Result.Bad(String reason) && !bad.contains(reason)) {
        bad.add(reason);
      }
    }
    return bad;
  }

  /**
   * Judges the calls in {@code turn}, all of whose deltas have come. Calls that are no {@link
   * Delta.ToolCall}, such as those of built-in tools, are left alone.
   */
  public static Turn apply(List<Delta> turn, ToolCallCheck check) {
    var begun = new LinkedHashMap<Place, Delta.ToolCall>();
    var texts = new LinkedHashMap<Place, StringBuilder>();
    for (var delta : turn) {
      switch (delta) {
        case Delta.ToolCall call -> begun.putIfAbsent(Place.of(call), call);
        case Delta.Arguments more ->
            texts.computeIfAbsent(Place.of(more), k -> new StringBuilder()).append(more.json());
        default -> {}
      }
    }
    var calls = new ArrayList<CheckedCall>(begun.size());
    var repairs = new LinkedHashMap<Place, Result.Repaired>();
    begun.forEach(
        (place, call) -> {
          var text = texts.get(place);
          var arguments = text == null ? "" : text.toString();
          var result = check.check(call.name(), arguments);
          calls.add(new CheckedCall(place.choice, place.call, call.name(), arguments, result));
          if (result instanceof Result.Repaired repaired) {
            repairs.put(place, repaired);
          }
        });
    return new Turn(repairs.isEmpty() ? turn : rewrite(turn, repairs), calls);
  }

  private static List<Delta> rewrite(List<Delta> turn, Map<Place, Result.Repaired> repairs) {
    var out = new ArrayList<Delta>(turn.size() + repairs.size());
    for (var delta : turn) {
      switch (delta) {
        case Delta.ToolCall call -> {
          var repaired = repairs.get(Place.of(call));
          if (repaired == null) {
            out.add(call);
          } else {
            out.add(
                new Delta.ToolCall(
                    call.choice(), call.call(), call.id(), repaired.name(), call.seal()));
            if (repaired.made().contains(CallRepair.TOOL_ARGUMENTS)) {
              out.add(new Delta.Arguments(call.choice(), call.call(), repaired.arguments()));
            }
          }
        }
        case Delta.Arguments more -> {
          var repaired = repairs.get(Place.of(more));
          if (repaired == null || !repaired.made().contains(CallRepair.TOOL_ARGUMENTS)) {
            out.add(more);
          }
        }
        default -> out.add(delta);
      }
    }
    return out;
  }

  private record Place(int choice, int call) {
    static Place of(Delta.ToolCall delta) {
      return new Place(delta.choice(), delta.call());
    }

    static Place of(Delta.Arguments delta) {
      return new Place(delta.choice(), delta.call());
    }
  }
}
