package dev.mainstay.app.selftest;

import dev.mainstay.config.Config;
import dev.mainstay.config.Model;
import dev.mainstay.config.Secret;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Api;
import java.util.ArrayList;
import java.util.List;

/**
 * A name that clients ask for, with the targets behind it.
 *
 * @param model what a client writes as its model
 * @param targets in fallback order
 * @param api what the first target speaks: the client speaks it too
 * @param keys how many keys the first target's provider has
 */
record TestedRoute(String model, List<TargetId> targets, Api api, int keys) {
  /** The model behind a provider that no entry of {@code models} names. */
  private static final String ANY_MODEL = "selftest-model";

  /** Every model of {@code config}; where there is none, every provider for itself. */
  static List<TestedRoute> of(Config config) {
    var routes = new ArrayList<TestedRoute>();
    for (var model : config.models().values()) {
      var targets = model.targets().stream().map(Model.WeightedTarget::target).toList();
      if (!targets.isEmpty()) {
        routes.add(route(config, model.name(), targets));
      }
    }
    if (routes.isEmpty()) {
      for (var provider : config.providers().values()) {
        var target = new TargetId(provider.name(), ANY_MODEL);
        routes.add(route(config, target.toString(), List.of(target)));
      }
    }
    return routes;
  }

  private static TestedRoute route(Config config, String model, List<TargetId> targets) {
    var first = config.providers().get(targets.getFirst().provider());
    if (first == null) {
      throw new IllegalStateException("a route to a provider that is not there: " + model);
    }
    return new TestedRoute(
        model,
        targets,
        first.api(),
        (int) first.keys().stream().filter(key -> !key.isEmpty()).map(Secret::value).count());
  }

  TargetId first() {
    return targets.getFirst();
  }
}
