package dev.mainstay.engine;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.config.Config;
import dev.mainstay.config.Model;
import dev.mainstay.config.Model.WeightedTarget;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** From the name a client asks for to the targets that may answer. Thread-safe. */
public final class Router {
  /** What a name leads to. */
  public sealed interface Resolution {
    /** These targets, in this order. */
    record Found(Route route, CallSettings settings) implements Resolution {}

    /** None; {@code why} is for the caller. */
    record None(int status, String code, String why) implements Resolution {}
  }

  private final Config config;
  private final Guards guards;

  Router(Config config, Guards guards) {
    this.config = config;
    this.guards = guards;
  }

  /** The targets for {@code model}, which may be a name of its own, provider/model, or plain. */
  public Resolution find(String model, Operation operation) {
    var named = config.models().get(model);
    if (named != null) {
      return named(named, operation);
    }
    int slash = model.indexOf('/');
    var provider = slash > 0 ? config.providers().get(model.substring(0, slash)) : null;
    if (provider != null && slash < model.length() - 1) {
      return operation.at(provider.api()) != null
          ? found(List.of(new TargetId(provider.name(), model.substring(slash + 1))))
          : wrongDialect(model);
    }
    for (var each : config.providers().values()) {
      if (operation.offeredBy(each.api())) {
        return found(List.of(new TargetId(each.name(), model)));
      }
    }
    return new Resolution.None(
        404,
        "model_not_found",
        "no provider of this gateway speaks this client's dialect: " + shown(model));
  }

  private Resolution named(Model model, Operation operation) {
    var fit = new ArrayList<WeightedTarget>();
    for (var target : model.targets()) {
      var provider = config.providers().get(target.target().provider());
      if (provider != null && operation.at(provider.api()) != null) {
        fit.add(target);
      }
    }
    if (fit.isEmpty()) {
      return wrongDialect(model.name());
    }
    // Vectors of different models have nothing to do with each other.
    if (operation == Operation.EMBEDDINGS || operation == Operation.GEMINI_EMBED) {
      var first = fit.getFirst().target().model();
      fit.removeIf(target -> !target.target().model().equals(first));
    }
    return new Resolution.Found(new Route(order(fit, model.balance())), model.calls());
  }

  private Resolution found(List<TargetId> targets) {
    return new Resolution.Found(new Route(targets), config.calls());
  }

  private static Resolution wrongDialect(String model) {
    return new Resolution.None(
        400,
        "dialect_not_offered",
        "the targets of " + shown(model) + " do not offer this operation");
  }

  private static String shown(String model) {
    return model.length() > 200 ? model.substring(0, 200) + "…" : model;
  }

  /** Targets of weight 0 come last, in the order of the file. */
  private List<TargetId> order(List<WeightedTarget> targets, Model.Balance balance) {
    if (balance == Model.Balance.ORDER || targets.size() < 2) {
      return targets.stream().map(WeightedTarget::target).toList();
    }
    var sharing = new ArrayList<>(targets);
    sharing.removeIf(target -> target.weight() == 0);
    var ids = new ArrayList<TargetId>(targets.size());
    if (balance == Model.Balance.WEIGHTED) {
      weighted(sharing, ids);
    } else {
      sharing.forEach(target -> ids.add(target.target()));
      // Sorting is stable: equal ones keep the order of the file. One that no call has tried yet
      // comes first, so that it is tried at all.
      ids.sort(
          balance == Model.Balance.LEAST_BUSY
              ? Comparator.comparingInt(guards::busy)
              : Comparator.comparingLong(guards::firstTokenNanos));
    }
    for (var target : targets) {
      if (target.weight() == 0) {
        ids.add(target.target());
      }
    }
    return ids;
  }

  /** Each place is drawn by weight from what is left. */
  private static void weighted(List<WeightedTarget> left, List<TargetId> into) {
    while (!left.isEmpty()) {
      long sum = 0;
      for (var target : left) {
        sum += target.weight();
      }
      long at = ThreadLocalRandom.current().nextLong(sum);
      int drawn = 0;
      while (at >= left.get(drawn).weight()) {
        at -= left.get(drawn).weight();
        drawn++;
      }
      into.add(left.remove(drawn).target());
    }
  }

  /** What may be asked for by name. */
  public List<String> names(Operation operation) {
    var names = new ArrayList<String>(config.models().size());
    for (var model : config.models().values()) {
      if (named(model, operation) instanceof Resolution.Found) {
        names.add(model.name());
      }
    }
    return names;
  }
}
