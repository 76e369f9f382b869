package dev.mainstay.config;

import dev.mainstay.call.CallSettings;
import dev.mainstay.config.Config.Balance;
import dev.mainstay.config.Config.Model;
import dev.mainstay.config.Config.WeightedTarget;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.TargetId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code models}: the targets behind each name that clients ask for. */
final class ModelsReader {
  private static final Map<String, Balance> BALANCES =
      Map.of(
          "order", Balance.ORDER,
          "weighted", Balance.WEIGHTED,
          "least-busy", Balance.LEAST_BUSY,
          "fastest-first-token", Balance.FASTEST_FIRST_TOKEN);

  private final ProvidersReader providers;
  private final List<String> notices;

  /**
   * @param notices where it says what it left out
   */
  ModelsReader(ProvidersReader providers, List<String> notices) {
    this.providers = providers;
    this.notices = notices;
  }

  /**
   * @param defaults what a model's own {@code recovery} starts from
   */
  Map<String, Model> read(Section section, CallSettings defaults) {
    var models = new LinkedHashMap<String, Model>();
    for (var name : section.keys()) {
      var entry = section.section(name);
      var calls = RecoveryReader.model(entry.section("recovery"), defaults);
      var balance = entry.choice("balance", BALANCES, Balance.ORDER);
      var targets = targets(name, entry);
      entry.finish();
      if (targets.isEmpty()) {
        notices.add("model " + name + " has no target left and cannot be asked for");
        continue;
      }
      if (calls.policy().maxAttempts() < targets.size()
          && calls.policy().fallback().on() != FallbackOn.OFF) {
        entry.problem(
            "targets",
            targets.size() + " targets with max-attempts " + calls.policy().maxAttempts(),
            "at least as many attempts as targets");
      }
      models.put(name, new Model(name, targets, balance, calls));
    }
    return models;
  }

  private List<WeightedTarget> targets(String model, Section entry) {
    var targets = new ArrayList<WeightedTarget>();
    var seen = new HashSet<TargetId>();
    var elements = entry.elements("targets");
    if (elements.isEmpty()) {
      entry.problem("targets", "nothing", "a list of provider/model");
    }
    for (var element : elements) {
      int weight = 1;
      String text;
      if (element.isMapping()) {
        var section = element.section();
        text = section.text("target", "");
        weight = section.integer("weight", 1, 0, 1_000_000);
        section.finish();
      } else {
        text = element.text();
      }
      if (text == null) {
        continue;
      }
      int slash = text.indexOf('/');
      if (slash <= 0 || slash == text.length() - 1) {
        element.problem("\"" + text + "\"", "provider/model");
        continue;
      }
      var target = new TargetId(text.substring(0, slash), text.substring(slash + 1));
      if (providers.disabled(target.provider())) {
        notices.add("model " + model + ": " + target + " was left out, its provider is disabled");
        continue;
      }
      if (providers.mistaken(target.provider())) {
        continue;
      }
      if (!providers.providers().containsKey(target.provider())) {
        element.problem(
            "the provider \"" + target.provider() + "\"",
            providers.names().isEmpty()
                ? "one of providers, which has none"
                : "one of " + String.join(" | ", providers.names()));
        continue;
      }
      if (!seen.add(target)) {
        element.problem("\"" + text + "\" a second time", "each target once");
        continue;
      }
      targets.add(new WeightedTarget(target, weight));
    }
    return targets;
  }
}
