package dev.mainstay.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which providers and targets can be used: a provider that lost all its keys cannot. */
final class ProviderChecks {
  private final YamlGiven given;
  private final List<String> notices;
  private final Set<String> disabled = new HashSet<>();
  private final Map<String, Provider> usable = new LinkedHashMap<>();

  /**
   * @param given {@code providers} in the file
   * @param notices where it says what it left out
   */
  ProviderChecks(YamlGiven given, List<String> notices) {
    this.given = given;
    this.notices = notices;
  }

  /** Those of {@code providers} that can be asked, each with the keys that it has left. */
  Map<String, Provider> usable(Map<String, Provider> providers) {
    for (var name : given.fields()) {
      if (name.isEmpty() || name.indexOf('/') >= 0) {
        given.field(name).problem("\"" + name + "\"", "a name without \"/\"");
      }
    }
    for (var provider : providers.values()) {
      var at = given.field(provider.name());
      var keys = new ArrayList<Secret>();
      for (int i = 0; i < provider.keys().size(); i++) {
        var key = provider.keys().get(i);
        if (key.isEmpty()) {
          notices.add(
              "provider "
                  + provider.name()
                  + ": key "
                  + (i + 1)
                  + " is empty; Mainstay leaves it out");
        } else if (!keys.contains(key)) {
          keys.add(key);
        }
      }
      if (provider.ca() != null && at.hasFolder()) {
        Pem.certificates(at.field("tls").field("ca"), provider.ca());
      }
      if (keys.isEmpty() && !provider.keys().isEmpty()) {
        notices.add("provider " + provider.name() + " has no key left; Mainstay disables it");
        disabled.add(provider.name());
      } else {
        usable.put(provider.name(), provider.withKeys(keys));
      }
    }
    return usable;
  }

  /** The targets of {@code model} that can be asked. */
  List<Model.WeightedTarget> targets(Model model, YamlGiven at) {
    var given = at.field("targets").elements();
    if (given.isEmpty()) {
      at.field("targets").problem("nothing", "a list of provider/model");
    }
    if (given.size() != model.targets().size()) {
      // Some were mistaken, and are noted; which place the others have is not known.
      return model.targets();
    }
    var targets = new ArrayList<Model.WeightedTarget>();
    var seen = new HashSet<>();
    for (int i = 0; i < given.size(); i++) {
      var weighted = model.targets().get(i);
      var target = weighted.target();
      if (disabled.contains(target.provider())) {
        notices.add(
            "model "
                + model.name()
                + ": "
                + target
                + " has no provider, because Mainstay disabled it");
      } else if (!this.given.fields().contains(target.provider())) {
        given
            .get(i)
            .problem(
                "the provider \"" + target.provider() + "\"",
                this.given.fields().isEmpty()
                    ? "one of providers, which has none"
                    : NearestName.hint(target.provider(), this.given.fields()));
      } else if (!seen.add(target)) {
        given.get(i).problem("\"" + target + "\" a second time", "each target once");
      } else {
        targets.add(weighted);
      }
    }
    return targets;
  }
}
