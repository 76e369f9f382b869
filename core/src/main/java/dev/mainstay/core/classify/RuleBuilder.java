package dev.mainstay.core.classify;

import dev.mainstay.core.classify.Rule.Conditions;
import dev.mainstay.core.classify.Rule.Match;
import dev.mainstay.core.classify.Rule.Names;
import dev.mainstay.core.classify.Rule.Outcome;
import dev.mainstay.core.classify.Rule.Sample;
import dev.mainstay.core.classify.Rule.Scope;
import dev.mainstay.core.classify.Rule.Waiting;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict.Advice;
import dev.mainstay.core.verdict.Verdict.Finding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the lines of one rule and checks that they make one. */
final class RuleBuilder {
  private static final String KEYS =
      "source, provider, where, status, code, type, grpc, aws, param, finish, shape, ending,"
          + " header, message, client, any, not, not-client, not-any, weak, kind, class, blame,"
          + " retry, fallback, repair, alert, wait, windows, because, sample, expect";

  private final String file;
  private final int line;
  private final String id;
  private final Map<String, String> once = new HashMap<>();
  private final Map<String, NamePatterns> names = new HashMap<>();
  private final Set<String> providers = new HashSet<>();
  private final Set<Where> where = EnumSet.noneOf(Where.class);
  private final Set<StreamEnding> ending = EnumSet.noneOf(StreamEnding.class);
  private final Map<String, NamePatterns> headers = new HashMap<>();
  private final List<Match> matches = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();
  private StatusSet status = StatusSet.ALL;

  RuleBuilder(String file, int line, String id) {
    this.file = file;
    this.line = line;
    this.id = id;
  }

  void set(int at, String key, String value) {
    if (value.isEmpty()) {
      throw new RuleSyntaxException(file, at, key + " has no value");
    }
    switch (key) {
      case "message" -> matches.add(new Match(Scope.MESSAGE, true, Phrase.alternatives(value)));
      case "client" -> matches.add(new Match(Scope.CLIENT, true, Phrase.alternatives(value)));
      case "any" -> matches.add(new Match(Scope.ANY, true, Phrase.alternatives(value)));
      case "not" -> matches.add(new Match(Scope.MESSAGE, false, Phrase.alternatives(value)));
      case "not-client" -> matches.add(new Match(Scope.CLIENT, false, Phrase.alternatives(value)));
      case "not-any" -> matches.add(new Match(Scope.ANY, false, Phrase.alternatives(value)));
      case "provider" -> providers.addAll(words(value));
      case "where" -> words(value).forEach(word -> where.add(one(Where.class, word)));
      case "ending" -> words(value).forEach(word -> ending.add(one(StreamEnding.class, word)));
      case "header" -> header(value);
      case "expect" -> expect(value);
      case "status" -> {
        single(key, value);
        status = StatusSet.parse(value);
      }
      case "code", "type", "grpc", "aws", "param", "finish", "shape" -> {
        single(key, value);
        names.put(key, NamePatterns.parse(value));
      }
      case "source",
          "kind",
          "class",
          "blame",
          "retry",
          "fallback",
          "repair",
          "alert",
          "wait",
          "windows",
          "weak",
          "because" -> {
        single(key, value);
        check(key, value);
      }
      default ->
          throw new RuleSyntaxException(
              file, at, "'" + key + "' is not known; allowed are " + KEYS);
    }
  }

  private void single(String key, String value) {
    if (once.putIfAbsent(key, value) != null) {
      throw new IllegalArgumentException("given twice in the rule '" + id + "'");
    }
  }

  /** So that a mistake is told with its own line, and not with its rule's. */
  private static void check(String key, String value) {
    switch (key) {
      case "kind" -> one(Kind.class, value);
      case "class" -> one(FailureClass.class, value);
      case "blame" -> one(Blame.class, value);
      case "wait" -> one(Waiting.class, value);
      case "repair" -> {
        if (!value.equals("none")) {
          one(Repair.class, value);
        }
      }
      case "retry", "fallback", "alert", "windows", "weak" -> {
        if (!List.of("yes", "no", "true", "false").contains(value)) {
          throw new IllegalArgumentException("yes or no, found '" + value + "'");
        }
      }
      default -> {}
    }
  }

  private static List<String> words(String value) {
    return Arrays.stream(value.split("[\\s,|]+")).map(w -> w.toLowerCase(Locale.ROOT)).toList();
  }

  private void header(String value) {
    int colon = value.indexOf(':');
    var name = colon < 0 ? value : value.substring(0, colon);
    var globs =
        colon < 0 ? NamePatterns.parse("*") : NamePatterns.parse(value.substring(colon + 1));
    headers.put(name.strip().toLowerCase(Locale.ROOT), globs);
  }

  private void expect(String value) {
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("stands behind the sample it is about");
    }
    var last = samples.removeLast();
    var expected = new HashMap<>(last.expected());
    expected.putAll(RuleParser.pairs(value));
    samples.add(
        new Sample(
            last.line(),
            last.provider(),
            last.where(),
            last.status(),
            last.headers(),
            last.ending(),
            last.text(),
            expected));
  }

  /** {@code http 429 provider=azure ending=closed retry-after: 20; x-y: z}, and the text below. */
  void sample(int at, String head, String text) {
    var words = head.split("\\s+", 3);
    if (words.length < 2) {
      throw new IllegalArgumentException(
          "expected WHERE STATUS (a number or -), then [provider=…] [ending=…] [name: value; …],"
              + " found '"
              + head
              + "'");
    }
    String provider = null;
    StreamEnding end = null;
    var rest = words.length == 3 ? words[2].strip() : "";
    while (rest.startsWith("provider=") || rest.startsWith("ending=")) {
      int space = rest.indexOf(' ');
      var word = space < 0 ? rest : rest.substring(0, space);
      var value = word.substring(word.indexOf('=') + 1);
      if (word.startsWith("provider=")) {
        provider = value;
      } else {
        end = one(StreamEnding.class, value);
      }
      rest = space < 0 ? "" : rest.substring(space).strip();
    }
    var given = new HashMap<String, String>();
    for (var header : rest.isEmpty() ? new String[0] : rest.split(";")) {
      int colon = header.indexOf(':', 1);
      if (colon < 1) {
        throw new IllegalArgumentException("expected name: value, found '" + header + "'");
      }
      given.put(header.substring(0, colon).strip(), header.substring(colon + 1).strip());
    }
    var number = words[1].equals("-") ? null : Integer.valueOf(words[1]);
    samples.add(
        new Sample(at, provider, one(Where.class, words[0]), number, given, end, text, Map.of()));
  }

  Rule build() {
    var kind = one(Kind.class, required("kind"));
    var defaults = KindDefaults.of(kind);
    boolean wordsAtMost = names.isEmpty() && headers.isEmpty() && ending.isEmpty();
    boolean broad = matches.isEmpty() && wordsAtMost;
    var failureClass =
        once.containsKey("class")
            ? one(FailureClass.class, value("class"))
            : defaults.failureClass();
    boolean hopeful = failureClass == FailureClass.TRANSIENT && wordsAtMost && !broad;
    var conditions =
        new Conditions(
            providers,
            where,
            hopeful && status.all() ? StatusSet.UNLESS_REFUSED : status,
            new Names(
                name("code"),
                name("type"),
                name("grpc"),
                name("aws"),
                name("param"),
                name("finish"),
                name("shape")),
            ending,
            headers,
            matches);
    boolean same = failureClass == defaults.failureClass();
    var outcome =
        new Outcome(
            new Finding(
                failureClass,
                kind,
                once.containsKey("blame") ? one(Blame.class, value("blame")) : defaults.blame(),
                id,
                required("because")),
            new Advice(
                flag("retry", same ? defaults.retrySame() : failureClass == FailureClass.TRANSIENT),
                null,
                flag("fallback", defaults.fallback()),
                repair(same ? defaults.repair() : null),
                flag("alert", same ? defaults.alert() : failureClass == FailureClass.FATAL)),
            flag("windows", true),
            once.containsKey("wait") ? one(Waiting.class, value("wait")) : Waiting.KEEP);
    if (outcome.failureClass() == FailureClass.FATAL && outcome.retrySame()) {
      throw new RuleSyntaxException(
          file, line, "the rule '" + id + "' is FATAL and yet asks for a retry");
    }
    return new Rule(
        id, file, line, flag("weak", broad), conditions, outcome, value("source"), samples);
  }

  private @Nullable Repair repair(@Nullable Repair otherwise) {
    var name = once.get("repair");
    if (name == null) {
      return otherwise;
    }
    return name.equals("none") ? null : one(Repair.class, name);
  }

  private String value(String key) {
    return once.getOrDefault(key, "");
  }

  private String required(String key) {
    var value = once.get(key);
    if (value == null) {
      throw new RuleSyntaxException(file, line, "the rule '" + id + "' has no " + key);
    }
    return value;
  }

  private boolean flag(String key, boolean otherwise) {
    var value = once.get(key);
    return value == null ? otherwise : value.equals("yes") || value.equals("true");
  }

  private static <E extends Enum<E>> E one(Class<E> type, String name) {
    var wanted = name.strip().toUpperCase(Locale.ROOT);
    for (var constant : type.getEnumConstants()) {
      if (constant.name().equals(wanted)) {
        return constant;
      }
    }
    var allowed =
        Arrays.stream(type.getEnumConstants()).map(c -> c.name().toLowerCase(Locale.ROOT)).toList();
    throw new IllegalArgumentException(
        "'" + name + "' is not allowed; allowed are " + String.join(", ", allowed));
  }

  private NamePatterns name(String field) {
    return names.getOrDefault(field, NamePatterns.ANY);
  }
}
