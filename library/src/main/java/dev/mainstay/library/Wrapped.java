package dev.mainstay.library;

import dev.mainstay.core.verdict.Repair;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * What every kind of wrapped call is made of: its targets in fallback order with their steps, and
 * its menders. Immutable.
 */
record Wrapped<T>(
    Mainstay mainstay,
    GuardedTarget[] targets,
    Step<? extends T>[] steps,
    Map<Repair, RepairAction> menders) {

  static <T> Wrapped<T> of(Mainstay mainstay, GuardedTarget target, Step<? extends T> step) {
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of one generic interface, never exposed
    Step<? extends T>[] steps = new Step[] {step};
    return new Wrapped<>(mainstay, new GuardedTarget[] {target}, steps, Map.of());
  }

  Wrapped<T> or(GuardedTarget target, Step<? extends T> step) {
    var allTargets = Arrays.copyOf(targets, targets.length + 1);
    allTargets[targets.length] = target;
    var allSteps = Arrays.copyOf(steps, steps.length + 1);
    allSteps[steps.length] = step;
    mainstay.check(allTargets);
    return new Wrapped<>(mainstay, allTargets, allSteps, menders);
  }

  Wrapped<T> mending(Repair repair, RepairAction mender) {
    var all = new EnumMap<Repair, RepairAction>(Repair.class);
    all.putAll(menders);
    all.put(repair, mender);
    return new Wrapped<>(mainstay, targets, steps, Map.copyOf(all));
  }
}
