package dev.mainstay.core.classify;

import dev.mainstay.core.classify.RuleIndex.Order;
import dev.mainstay.core.failure.Evidence;
import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns the facts of a failure into a verdict, by the first rule that holds: a user's own rules,
 * the provider's table, the tables of those whose errors are recognised inside it, the general
 * ones; within them first all rules that look at more than a status, then the weak ones.
 *
 * <p>Immutable and thread-safe. A verdict costs microseconds, linear in the size of the failure.
 */
public final class Classifier {
  private static final int MAX_RECOGNISED = 3;

  /** Orders that are kept, about 10 KB each; what else comes up is put in order anew. */
  private static final int MAX_ORDERS = 256;

  private final Providers providers;
  private final Map<String, RuleTable> tables;
  private final List<RuleTable> own;
  private final Automaton automaton;
  private final RuleIndex index;
  private final Map<List<String>, Order> orders = new ConcurrentHashMap<>();
  private final Map<String, int[]> signs;
  private final Predicate<Rule> asked;
  private final int[] longWindow;
  private final int[] zeroLimit;
  private final int[][] doubts;
  private final InstantSource clock;

  private Classifier(
      Providers providers,
      Map<String, RuleTable> tables,
      List<RuleTable> own,
      InstantSource clock) {
    this.providers = providers;
    this.tables = tables;
    this.own = List.copyOf(own);
    this.clock = clock;
    asked = rule -> true;
    signs = new LinkedHashMap<>();
    var numbers = new PhraseNumbers();
    own.forEach(numbers::add);
    tables.values().forEach(numbers::add);
    providers.signs().forEach((name, phrases) -> signs.put(name, numbers.of(phrases)));
    longWindow = numbers.of(RateLimitWindow.LONG_WORDS);
    zeroLimit = numbers.of(RateLimitWindow.ZERO_WORDS);
    doubts =
        new int[][] {
          numbers.of(PermanentCauseWords.WORDS),
          numbers.of(PermanentCauseWords.WINDOWS),
          numbers.of(PermanentCauseWords.LASTING)
        };
    automaton = numbers.automaton();
    index = new RuleIndex(allTables(), numbers, doubts);
  }

  /**
   * {@code other} with another clock, and with only those of its rules that {@code asked} admits.
   */
  private Classifier(Classifier other, InstantSource clock, Predicate<Rule> asked) {
    this.clock = clock;
    this.asked = asked;
    providers = other.providers;
    tables = other.tables;
    own = other.own;
    automaton = other.automaton;
    index = other.index;
    signs = other.signs;
    longWindow = other.longWindow;
    zeroLimit = other.zeroLimit;
    doubts = other.doubts;
  }

  /** Apart from the rules, which take long to read: their names are asked for at each start. */
  private static final class Known {
    static final Providers PROVIDERS = Providers.parse("providers.txt", resource("providers.txt"));
  }

  private static final class Standard {
    static final Providers PROVIDERS = Known.PROVIDERS;
    static final Map<String, RuleTable> TABLES = tables();
    static final Classifier CLASSIFIER =
        new Classifier(PROVIDERS, TABLES, List.of(), InstantSource.system());

    private static Map<String, RuleTable> tables() {
      var tables = new LinkedHashMap<String, RuleTable>();
      for (var name : PROVIDERS.allTables()) {
        tables.put(name, RuleTable.parse(name + ".rules", resource(name + ".rules")));
      }
      return tables;
    }
  }

  /** Whether there are rules of {@code provider}'s own, under this or another of its names. */
  public static boolean knows(String provider) {
    return Known.PROVIDERS.known(provider) != null;
  }

  /** The rules that ship, with the system's clock. */
  public static Classifier standard() {
    return Standard.CLASSIFIER;
  }

  /** The rules that ship, after those of {@code own}. */
  public static Classifier with(List<RuleTable> own) {
    return new Classifier(Standard.PROVIDERS, Standard.TABLES, own, InstantSource.system());
  }

  /** The same rules with dates in retry hints measured against {@code other}. */
  public Classifier at(InstantSource other) {
    return new Classifier(this, other, asked);
  }

  /** The same without the rules that {@code left} admits: what is known without them. */
  Classifier without(Predicate<Rule> left) {
    return new Classifier(this, clock, asked.and(left.negate()));
  }

  /** What {@code failure} means. Never throws on what is in it. */
  public Verdict classify(Failure failure) {
    return classify(Facts.of(failure));
  }

  /** What a failure with these facts means. Never throws on what is in them. */
  public Verdict classify(Facts facts) {
    return classify(Evidence.of(facts, clock.instant()));
  }

  Verdict classify(Evidence evidence) {
    var verdict = judged(evidence);
    return "false".equals(evidence.facts().headers().get("x-should-retry"))
        ? Verdicts.once(verdict)
        : verdict;
  }

  private Verdict judged(Evidence evidence) {
    var found = new FoundPhrases(automaton, evidence);
    var provider = providers.known(evidence.facts().provider());
    boolean lasting = found.in(Rule.Scope.MESSAGE, doubts[2]);
    var order = order(provider, evidence, found);
    var rule = index.decide(order, provider, evidence, found, lasting);
    if (rule == null) {
      return Verdicts.unknown(evidence, lasting);
    }
    if (Verdicts.isLimit(rule) || Verdicts.isQuotaByWords(rule)) {
      return limit(rule, evidence, found);
    }
    return Verdicts.of(rule, Verdicts.lifts(rule) ? evidence.retryAfter() : null);
  }

  private Verdict limit(Rule rule, Evidence evidence, FoundPhrases found) {
    var wait = evidence.retryAfter();
    var window =
        RateLimitWindow.of(evidence, wait, found.anywhere(zeroLimit), found.anywhere(longWindow));
    if (rule.then().kind() == Kind.QUOTA_EXHAUSTED) {
      return window == RateLimitWindow.SHORT && wait != null
          ? Verdicts.passing(rule, wait)
          : Verdicts.of(rule, Verdicts.lifts(rule) ? wait : null);
    }
    return window == RateLimitWindow.SHORT
        ? Verdicts.of(rule, Verdicts.lifts(rule) ? wait : null)
        : Verdicts.usedUp(rule, wait, window);
  }

  private Order order(@Nullable String provider, Evidence evidence, FoundPhrases found) {
    var recognised = new ArrayList<String>();
    add(recognised, provider);
    add(recognised, providers.known(evidence.sender()));
    for (var shape : evidence.shapes()) {
      add(recognised, providers.ofShape(shape));
    }
    for (var sign : signs.entrySet()) {
      if (found.anywhere(sign.getValue())) {
        add(recognised, sign.getKey());
      }
    }
    var known = orders.get(recognised);
    if (known != null) {
      return known;
    }
    var order = build(recognised);
    if (orders.size() < MAX_ORDERS) {
      orders.put(recognised, order);
    }
    return order;
  }

  private static void add(List<String> names, @Nullable String name) {
    if (name != null && names.size() < MAX_RECOGNISED && !names.contains(name)) {
      names.add(name);
    }
  }

  private Order build(List<String> names) {
    Set<RuleTable> inOrder = new LinkedHashSet<>(own);
    for (var name : names) {
      providers.tablesOf(name).forEach(table -> inOrder.add(table(table)));
    }
    providers.always().forEach(table -> inOrder.add(table(table)));
    return index.order(inOrder, asked);
  }

  private RuleTable table(String name) {
    var table = tables.get(name);
    return table == null ? new RuleTable(name, List.of()) : table;
  }

  List<RuleTable> allTables() {
    var all = new ArrayList<>(own);
    all.addAll(tables.values());
    return all;
  }

  private static String resource(String name) {
    try (var in = Classifier.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the rule file " + name + " is missing beside this class");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
