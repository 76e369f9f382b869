package dev.mainstay.wire.repair;

import dev.mainstay.wire.repair.ToolCallCheck.Call;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.translate.Delta;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
      switch (call.result()) {
        case Result.Repaired repaired -> made.addAll(repaired.made());
        case Result.Unfolded unfolded -> made.addAll(unfolded.made());
        case Result.Good _, Result.Bad _ -> {}
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
    return apply(turn, check, Set.of());
  }

  /**
   * The same, but for the calls of some choices.
   *
   * @param cut choices that did not end well, whose calls may be halves
   */
  public static Turn apply(List<Delta> turn, ToolCallCheck check, Set<Integer> cut) {
    var begun = new LinkedHashMap<Place, Delta.ToolCall>();
    var texts = new LinkedHashMap<Place, StringBuilder>();
    for (var delta : turn) {
      switch (delta) {
        case Delta.ToolCall call when !cut.contains(call.choice()) ->
            begun.putIfAbsent(Place.of(call), call);
        case Delta.Arguments more ->
            texts.computeIfAbsent(Place.of(more), k -> new StringBuilder()).append(more.json());
        default -> {}
      }
    }
    var calls = new ArrayList<CheckedCall>(begun.size());
    var changed = new HashMap<Place, List<Call>>();
    begun.forEach(
        (place, call) -> {
          var text = texts.get(place);
          var arguments = text == null ? "" : text.toString();
          var result = check.check(call.name(), arguments);
          calls.add(new CheckedCall(place.choice, place.call, call.name(), arguments, result));
          switch (result) {
            case Result.Repaired to ->
                changed.put(place, List.of(new Call(to.name(), to.arguments())));
            case Result.Unfolded unfolded -> changed.put(place, unfolded.calls());
            case Result.Good _, Result.Bad _ -> {}
          }
        });
    return new Turn(changed.isEmpty() ? turn : rewrite(turn, changed), calls);
  }

  /** Calls that come after those that one was unfolded into have later places. */
  private static List<Delta> rewrite(List<Delta> turn, Map<Place, List<Call>> changed) {
    var out = new ArrayList<Delta>(turn.size() + changed.size());
    var places = new HashMap<Place, Integer>();
    var next = new HashMap<Integer, Integer>();
    for (var delta : turn) {
      switch (delta) {
        case Delta.ToolCall call when !places.containsKey(Place.of(call)) -> {
          var to = changed.get(Place.of(call));
          int place = next.merge(call.choice(), to == null ? 1 : to.size(), Integer::sum);
          place -= to == null ? 1 : to.size();
          places.put(Place.of(call), place);
          if (to == null) {
            out.add(at(place, call, call.id(), call.name(), call.seal(), call.custom()));
          } else {
            anew(place, call, to, out);
          }
        }
        case Delta.Arguments more -> {
          if (!changed.containsKey(Place.of(more))) {
            int place = places.getOrDefault(Place.of(more), more.call());
            out.add(new Delta.Arguments(more.choice(), place, more.json()));
          }
        }
        default -> out.add(delta);
      }
    }
    return out;
  }

  private static void anew(int place, Delta.ToolCall call, List<Call> to, List<Delta> out) {
    for (int i = 0; i < to.size(); i++) {
      var id = call.id();
      if (to.size() > 1 && id != null && !id.isEmpty()) {
        id = unfoldedId(id, i);
      }
      out.add(at(place + i, call, id, to.get(i).name(), i == 0 ? call.seal() : null, false));
      if (!to.get(i).arguments().isEmpty()) {
        out.add(new Delta.Arguments(call.choice(), place + i, to.get(i).arguments()));
      }
    }
  }

  private static Delta.ToolCall at(
      int place,
      Delta.ToolCall call,
      @Nullable String id,
      String name,
      Delta.@Nullable ReasoningSeal seal,
      boolean custom) {
    return new Delta.ToolCall(call.choice(), place, id, name, seal, custom);
  }

  /** The id of the {@code i}-th call, from 0, that the call of this id was unfolded into. */
  static String unfoldedId(String id, int i) {
    return id + "_" + (i + 1);
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
