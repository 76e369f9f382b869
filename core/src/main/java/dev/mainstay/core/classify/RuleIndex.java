package dev.mainstay.core.classify;

import dev.mainstay.core.classify.Rule.Conditions;
import dev.mainstay.core.classify.Rule.Names;
import dev.mainstay.core.failure.Evidence;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All rules, numbered, and found by what they ask for; which of them a provider's failures are held
 * against, and in which order they decide, is an {@link Order}.
 *
 * <p>Most rules ask for words, names or a status, and most of those are not there: so each rule is
 * filed under what it cannot do without, and looked at only where that is. A verdict does not take
 * longer for more rules.
 */
final class RuleIndex {
  private static final int[] NONE = {};

  private final Ready[] rules;

  /** What any rule of hope is doubted for, and what those besides rate limits are. */
  private final int[][] doubts;

  /** Rules that can do without any one thing. */
  private final int[] always;

  private final int[][] byPhrase;
  private final Map<Named, Map<String, int[]>> byName = new EnumMap<>(Named.class);
  private final Map<Integer, int[]> byStatus;
  private final Map<StreamEnding, int[]> byEnding;

  /** A rule with its phrases as numbers. */
  private record Ready(
      Rule rule,
      Stage stage,
      int[][] phrases,
      boolean doubted,
      boolean hopes,
      boolean passing,
      boolean namesCause) {}

  /** Where a name stands that a rule may ask for, and which it asks for there. */
  private enum Named {
    CODE(Names::code, Evidence::codes),
    TYPE(Names::type, Evidence::types),
    SHAPE(Names::shape, Evidence::shapes),
    FINISH(Names::finish, Evidence::finish),
    GRPC(Names::grpc, evidence -> one(evidence.grpc())),
    AWS(Names::aws, evidence -> one(evidence.aws()));

    final Function<Names, NamePatterns> asked;
    final Function<Evidence, Collection<String>> there;

    Named(Function<Names, NamePatterns> asked, Function<Evidence, Collection<String>> there) {
      this.asked = asked;
      this.there = there;
    }

    private static Collection<String> one(@Nullable String name) {
      return name == null ? List.of() : List.of(name);
    }
  }

  /** The number of each table's first rule. */
  private final Map<RuleTable, Integer> starts = new HashMap<>();

  /**
   * Some of the rules in the order in which they decide, and of every rule its place in it, or -1.
   */
  record Order(int[] rules, int[] places) {}

  /** All rules of {@code tables}, with their phrases as {@code numbers} has them. */
  RuleIndex(Collection<RuleTable> tables, PhraseNumbers numbers, int[][] doubts) {
    this.doubts = doubts;
    var all = new ArrayList<Ready>();
    for (var table : tables) {
      starts.put(table, all.size());
      table.rules().forEach(rule -> all.add(ready(rule, numbers)));
    }
    rules = all.toArray(Ready[]::new);
    var free = new ArrayList<Integer>();
    var asking = new HashMap<Integer, List<Integer>>();
    var names = new EnumMap<Named, Map<String, List<Integer>>>(Named.class);
    var statuses = new HashMap<Integer, List<Integer>>();
    var endings = new HashMap<StreamEnding, List<Integer>>();
    for (int r = 0; r < rules.length; r++) {
      int rule = r;
      int[] needed = needed(rules[r]);
      var when = rules[r].rule.when();
      var named = Arrays.stream(Named.values()).filter(n -> n.asked.apply(when.names()).isExact());
      var first = named.findFirst().orElse(null);
      if (needed.length > 0) {
        Arrays.stream(needed).forEach(phrase -> file(asking, phrase, rule));
      } else if (first != null) {
        var under = names.computeIfAbsent(first, none -> new HashMap<>());
        first.asked.apply(when.names()).exact().forEach(name -> file(under, name, rule));
      } else if (!when.ending().isEmpty()) {
        when.ending().forEach(ending -> file(endings, ending, rule));
      } else if (!when.status().none()) {
        when.status().statuses().stream().forEach(status -> file(statuses, status, rule));
      } else {
        free.add(r);
      }
    }
    always = array(free);
    byPhrase = new int[numbers.size()][];
    for (int phrase = 0; phrase < byPhrase.length; phrase++) {
      byPhrase[phrase] = array(asking.getOrDefault(phrase, List.of()));
    }
    names.forEach((where, lists) -> byName.put(where, arrays(lists)));
    byStatus = arrays(statuses);
    byEnding = arrays(endings);
  }

  private static <K> void file(Map<K, List<Integer>> under, K key, int rule) {
    under.computeIfAbsent(key, none -> new ArrayList<>()).add(rule);
  }

  private static <K> Map<K, int[]> arrays(Map<K, List<Integer>> lists) {
    return lists.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> array(entry.getValue())));
  }

  private static int[] array(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }

  private static Ready ready(Rule rule, PhraseNumbers numbers) {
    int[][] phrases =
        rule.when().matches().stream()
            .map(match -> numbers.of(match.phrases()))
            .toArray(int[][]::new);
    return new Ready(
        rule,
        Stage.of(rule),
        phrases,
        PermanentCauseWords.concern(rule),
        PermanentCauseWords.concernAtAll(rule),
        rule.then().failureClass() == FailureClass.TRANSIENT,
        Stage.namesCause(rule));
  }

  /**
   * Those rules of {@code tables} that {@code asked} admits: one stage after the other, and within
   * a stage one table after the other.
   */
  Order order(Collection<RuleTable> tables, Predicate<Rule> asked) {
    int[] order = new int[tables.stream().mapToInt(RuleTable::size).sum()];
    int[] places = new int[rules.length];
    Arrays.fill(places, -1);
    int place = 0;
    for (var stage : Stage.values()) {
      for (var table : tables) {
        int start = starts.getOrDefault(table, 0);
        for (int r = start; r < start + table.size(); r++) {
          if (rules[r].stage == stage && asked.test(rules[r].rule)) {
            order[place] = r;
            places[r] = place++;
          }
        }
      }
    }
    return new Order(Arrays.copyOf(order, place), places);
  }

  /** The phrases of the rule's first line that asks for some, of which one must be there. */
  private static int[] needed(Ready ready) {
    var matches = ready.rule.when().matches();
    for (int i = 0; i < matches.size(); i++) {
      if (matches.get(i).found()) {
        return ready.phrases[i];
      }
    }
    return new int[0];
  }

  /**
   * The first rule that holds, or null; one that lets hope does not where the words name a lasting
   * cause ({@code lasting}), and gives way to a name for one.
   */
  @Nullable Rule decide(
      Order order,
      @Nullable String provider,
      Evidence evidence,
      FoundPhrases found,
      boolean lasting) {
    var asked = new BitSet(order.rules.length);
    int[] places = order.places;
    set(asked, places, always);
    for (int phrase = found.next(0); phrase >= 0; phrase = found.next(phrase + 1)) {
      set(asked, places, byPhrase[phrase]);
    }
    byName.forEach(
        (where, rulesOf) -> {
          for (var name : where.there.apply(evidence)) {
            set(asked, places, rulesOf.getOrDefault(name, NONE));
          }
        });
    if (evidence.status() != null) {
      set(asked, places, byStatus.getOrDefault(evidence.status(), NONE));
    }
    if (evidence.facts().ending() != null) {
      set(asked, places, byEnding.getOrDefault(evidence.facts().ending(), NONE));
    }
    @Nullable Rule hope = null;
    for (int r = asked.nextSetBit(0); r >= 0; r = asked.nextSetBit(r + 1)) {
      var ready = rules[order.rules[r]];
      if ((hope == null || ready.namesCause)
          && statusHolds(ready.rule, evidence.status())
          && phrasesHold(ready, found)
          && !(lasting && ready.hopes)
          && !(ready.doubted && isDoubted(ready.rule, found))
          && factsHold(ready.rule.when(), provider, evidence)) {
        if (ready.stage == Stage.ENDED || !ready.passing) {
          return ready.rule;
        }
        hope = ready.rule;
      }
    }
    return hope;
  }

  /** A lasting cause counts within any 5xx: that is the status of what wraps it. */
  private static boolean statusHolds(Rule rule, @Nullable Integer status) {
    var wanted = rule.when().status();
    return wanted.holds(status)
        || status != null
            && status >= 500
            && rule.then().failureClass() != FailureClass.TRANSIENT
            && (wanted.none() || wanted.holds(500));
  }

  private boolean isDoubted(Rule rule, FoundPhrases found) {
    return found.in(Rule.Scope.MESSAGE, doubts[0])
        || rule.then().kind() != Kind.RATE_LIMIT && found.in(Rule.Scope.MESSAGE, doubts[1]);
  }

  private static void set(BitSet asked, int[] places, int[] rules) {
    for (int rule : rules) {
      if (places[rule] >= 0) {
        asked.set(places[rule]);
      }
    }
  }

  private static boolean phrasesHold(Ready ready, FoundPhrases found) {
    var matches = ready.rule.when().matches();
    for (int i = 0; i < ready.phrases.length; i++) {
      var match = matches.get(i);
      if (found.in(match.scope(), ready.phrases[i]) != match.found()) {
        return false;
      }
    }
    return true;
  }

  private static boolean factsHold(Conditions when, @Nullable String provider, Evidence evidence) {
    var facts = evidence.facts();
    return when.names().code().holdsOne(evidence.codes())
        && when.names().type().holdsOne(evidence.types())
        && when.names().grpc().holds(evidence.grpc())
        && when.names().aws().holds(evidence.aws())
        && (when.names().param().any() || when.names().param().holds(lower(evidence.param())))
        && when.names().finish().holdsOne(evidence.finish())
        && when.names().shape().holdsOne(evidence.shapes())
        && (when.where().isEmpty() || when.where().contains(facts.where()))
        && (when.ending().isEmpty()
            || facts.ending() != null && when.ending().contains(facts.ending()))
        && (when.providers().isEmpty() || provider != null && when.providers().contains(provider))
        && headersHold(when, evidence);
  }

  private static boolean headersHold(Conditions when, Evidence evidence) {
    for (var header : when.headers().entrySet()) {
      if (!header.getValue().holds(lower(evidence.facts().headers().get(header.getKey())))) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable String lower(@Nullable String text) {
    return text == null ? null : text.toLowerCase(Locale.ROOT);
  }
}
