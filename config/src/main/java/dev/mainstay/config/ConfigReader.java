package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.Preset;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Environment;
import dev.mainstay.core.settings.Given;
import dev.mainstay.core.settings.SettingsReader;
import dev.mainstay.http.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns one file and the environment into a {@link Config}; mistakes go to the reading. */
final class ConfigReader {
  private static final String DEFAULT = "default";

  private final Reading reading;
  private final YamlGiven file;
  private final Given environment;
  private final SettingsReader reader = new SettingsReader();
  private final List<String> notices = new ArrayList<>();

  ConfigReader(Reading reading, YamlGiven file) {
    this.reading = reading;
    this.file = file;
    var variables =
        new Environment(
            reading.environment,
            Config.class,
            (variable, found, allowed) ->
                reading.problems.add(new Problem("environment", 0, variable, found, allowed)));
    variables.refuseUnknown();
    environment = variables.given();
    doubtful(variables.variables());
  }

  /** Variables that have no effect and were probably meant to have one. */
  private void doubtful(Set<String> settings) {
    for (var variable : Proxy.unusable(reading.environment)) {
      doubt(variable, "a proxy that Mainstay cannot use", "http://HOST:PORT");
    }
    for (var variable : new TreeSet<>(reading.environment.keySet())) {
      if (variable.startsWith("MAINSTAY_") && !settings.contains(variable)) {
        var meant = NearestName.to(variable, settings);
        if (meant != null) {
          doubt(variable, "a name of no setting", "did you mean " + meant + "?");
        }
      }
    }
  }

  private void doubt(String variable, String found, String allowed) {
    reading.doubts.add(new Problem("environment", 0, variable, found, allowed));
  }

  /** The configuration, which is of use only where the reading has no problems. */
  Config read() {
    if (file.absent()) {
      file.problem("nothing", "a configuration: providers, at least");
    }
    if (file.fields().contains("model_list")) {
      file.field("model_list")
          .problem(
              "a LiteLLM configuration",
              "a Mainstay configuration, which ./mainstay config import "
                  + reading.file
                  + " writes (docs/migrating.md)");
      return Declaration.defaults(Config.class);
    }
    var defaults = Declaration.defaults(Config.class);
    var said = over(Config.class, file, defaults);
    var config = over(Config.class, environment, said);
    var recovery = recovery(config);
    var providers = new ProviderChecks(file.field("providers"), notices);
    var usable = providers.usable(config.providers());
    var models = new LinkedHashMap<String, Model>();
    for (var model : config.models().values()) {
      var read = model(model, recovery.calls(), providers);
      if (read != null) {
        models.put(model.name(), read);
      }
    }
    var agents = new LinkedHashMap<String, Agent>();
    config.agents().forEach((name, agent) -> agents.put(name, agent(agent, models, recovery)));
    var checked =
        Declaration.with(
            config,
            Map.of(
                "providers",
                Collections.unmodifiableMap(usable),
                "models",
                Collections.unmodifiableMap(models),
                "recovery",
                recovery,
                "agents",
                Collections.unmodifiableMap(agents)));
    new ConfigChecks(file, notices).check(checked);
    return Declaration.with(
        checked,
        Map.of(
            "findings",
            new Config.Findings(notices, List.copyOf(reading.doubts), reader.origins())));
  }

  private <R extends Record> R over(Class<R> record, Given given, R base) {
    return Objects.requireNonNullElse(reader.read(record, given, base, DEFAULT), base);
  }

  // ---- recovery

  /** The top-level recovery: the file over the defaults, the environment over the file. */
  private Recovery recovery(Config config) {
    var defaults = Declaration.defaults(Recovery.class);
    var calls = defaults.calls().withKeepAlive(config.server().keepAlive());
    var base = new Recovery(defaults.preset(), calls, defaults.guards(), defaults.inFlight());
    var given = file.field("recovery");
    var said = layer(layer(base, given), environment.field("recovery"));
    forClients(given);
    return said;
  }

  private Recovery layer(Recovery base, Given given) {
    var preset = (Preset) reader.one(Recovery.class, "preset", given);
    var beneath = preset == null ? base : base.withPreset(preset);
    if (preset != null) {
      reader.changed("recovery", base, beneath, "preset " + preset.configName());
    }
    return over(Recovery.class, given, beneath);
  }

  /** A model's or an agent's own recovery, over the one that it inherits. */
  private ModelRecovery recovery(YamlGiven given, CallSettings inherited) {
    for (var key : List.of("breaker", "retry-budget", "in-flight")) {
      var field = given.field(key);
      if (!field.absent()) {
        field.problem("a setting of a target or provider", "in recovery at the top");
      }
    }
    var base = new ModelRecovery(null, inherited);
    var preset = (Preset) reader.one(ModelRecovery.class, "preset", given);
    var beneath = preset == null ? base : base.withPreset(preset);
    if (preset != null) {
      reader.changed(given.path(), base, beneath, "preset " + preset.configName());
    }
    var read = reader.read(ModelRecovery.class, given, beneath, "recovery");
    return read == null ? base : read;
  }

  private static void forClients(YamlGiven given) {
    for (var element : given.field("repairs").elements()) {
      var name = element.text();
      for (var repair : RepairOption.values()) {
        if (!repair.isForClients() && repair.configName().equals(name)) {
          element.problem(
              "\"" + name + "\", which works only for agents and Java programs", allowedRepairs());
        }
      }
    }
  }

  private static String allowedRepairs() {
    return Stream.of(RepairOption.values())
        .filter(RepairOption::isForClients)
        .map(RepairOption::configName)
        .sorted()
        .collect(Collectors.joining(" | "));
  }

  // ---- models and agents

  private @Nullable Model model(Model model, CallSettings inherited, ProviderChecks providers) {
    var given = file.field("models").field(model.name());
    var recovery = recovery(given.field("recovery"), inherited);
    forClients(given.field("recovery"));
    var targets = providers.targets(model, given);
    if (targets.isEmpty()) {
      notices.add("model " + model.name() + " has no target left, and clients cannot use it");
      return null;
    }
    var policy = recovery.calls().policy();
    if (policy.maxAttempts() < targets.size() && policy.fallback().on() != FallbackOn.OFF) {
      given
          .field("targets")
          .problem(
              targets.size() + " targets with max-attempts " + policy.maxAttempts(),
              "at least as many attempts as targets");
    }
    return new Model(model.name(), targets, model.balance(), recovery);
  }

  private Agent agent(Agent agent, Map<String, Model> models, Recovery top) {
    var model = models.get(agent.model());
    var inherited = model == null ? top.calls() : model.calls();
    var given = file.field("agents").field(agent.name());
    return Declaration.with(
        agent, Map.of("recovery", recovery(given.field("recovery"), inherited)));
  }
}
