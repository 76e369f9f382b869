package dev.mainstay.core.classify;

import dev.mainstay.core.classify.Classifier.Found;
import dev.mainstay.core.failure.Evidence;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rules that one provider's failures are held against, in the order in which they decide. */
final class Chain {
  private final Ready[] rules;

  /** A rule with its phrases as numbers. */
  private record Ready(Rule rule, int[][] phrases) {}

  private Chain(List<Ready> rules) {
    this.rules = rules.toArray(Ready[]::new);
  }

  static Chain of(Collection<RuleTable> tables, Classifier classifier) {
    var strong = new ArrayList<Ready>();
    var weak = new ArrayList<Ready>();
    for (var table : tables) {
      for (var rule : table.rules()) {
        var phrases =
            rule.when().matches().stream()
                .map(match -> classifier.numbers(match.phrases()))
                .toArray(int[][]::new);
        (rule.weak() ? weak : strong).add(new Ready(rule, phrases));
      }
    }
    strong.addAll(weak);
    return new Chain(strong);
  }

  /** The first rule that holds, or null. */
  @Nullable Rule decide(@Nullable String provider, Evidence evidence, Found found) {
    for (var ready : rules) {
      if (ready.rule.when().status().holds(evidence.status())
          && phrasesHold(ready, found)
          && factsHold(ready.rule.when(), provider, evidence)) {
        return ready.rule;
      }
    }
    return null;
  }

  private static boolean phrasesHold(Ready ready, Found found) {
    var matches = ready.rule.when().matches();
    for (int i = 0; i < ready.phrases.length; i++) {
      var match = matches.get(i);
      if (found.in(match.scope(), ready.phrases[i]) != match.found()) {
        return false;
      }
    }
    return true;
  }

  private static boolean factsHold(
      Rule.Conditions when, @Nullable String provider, Evidence evidence) {
    var facts = evidence.facts();
    return when.code().holdsOne(evidence.codes())
        && when.type().holdsOne(evidence.types())
        && when.grpc().holds(evidence.grpc())
        && when.aws().holds(evidence.aws())
        && when.param()
            .holds(evidence.param() == null ? null : evidence.param().toLowerCase(Locale.ROOT))
        && when.finish().holdsOne(evidence.finish())
        && when.shape().holdsOne(evidence.shapes())
        && (when.where().isEmpty() || when.where().contains(facts.where()))
        && (when.ending().isEmpty()
            || facts.ending() != null && when.ending().contains(facts.ending()))
        && (when.providers().isEmpty() || provider != null && when.providers().contains(provider))
        && headersHold(when, evidence);
  }

  private static boolean headersHold(Rule.Conditions when, Evidence evidence) {
    for (var header : when.headers().entrySet()) {
      var value = evidence.facts().headers().get(header.getKey());
      if (!header.getValue().holds(value == null ? null : value.toLowerCase(Locale.ROOT))) {
        return false;
      }
    }
    return true;
  }
}
