package dev.mainstay.core.recovery;

import java.util.HashSet;
import java.util.List;

/** The targets of a call in fallback order. Immutable, at least one, none twice. */
public record Route(List<TargetId> targets) {
  public Route {
    targets = List.copyOf(targets);
    if (targets.isEmpty()) {
      throw new IllegalArgumentException("targets: a route needs at least one target");
    }
    if (new HashSet<>(targets).size() < targets.size()) {
      throw new IllegalArgumentException("targets: one is named twice in " + targets);
    }
  }

  public static Route of(TargetId... targets) {
    return new Route(List.of(targets));
  }

  public int size() {
    return targets.size();
  }

  public TargetId target(int index) {
    return targets.get(index);
  }
}
