package dev.mainstay.core.classify;

import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells of each rule what is lost without it: how many labelled failures it was learned from, and
 * how many others, are then judged wrongly. A rule by which nothing is lost is dead weight. Rules
 * found to be so are left out for those that come after.
 *
 * <pre>worth FILE…</pre>
 */
final class RuleWorth {
  private static final JsonMapper JSON = new JsonMapper();

  private static final List<String> GENERAL =
      List.of(
          "sentences.rules",
          "wordings.rules",
          "slots.rules",
          "proxies.rules",
          "statuses.rules",
          "model.rules",
          "transport.rules",
          "general.rules",
          "ended.rules");

  private final List<JsonNode> rows = new ArrayList<>();
  private final Map<JsonNode, Verdict> verdicts = new HashMap<>();
  private final Set<String> left = new HashSet<>();
  private Classifier classifier = Classifier.standard();

  private RuleWorth(List<String> lines) {
    for (var line : lines) {
      if (!line.isBlank()) {
        rows.add(JSON.readTree(line));
      }
    }
    rows.forEach(row -> verdicts.put(row, classifier.classify(Score.facts(row))));
  }

  /** Prints a line for each rule: its place, what is lost of its own and of others. */
  public static void main(String[] args) throws IOException {
    var lines = new ArrayList<String>();
    for (var file : args) {
      lines.addAll(Files.readAllLines(Path.of(file)));
    }
    new RuleWorth(lines).report();
  }

  /** The tables of one provider first: where two rules say the same, the general one stays. */
  private void report() {
    var tables = new ArrayList<>(Classifier.standard().allTables());
    tables.sort(Comparator.comparing(table -> GENERAL.indexOf(table.name())));
    for (var table : tables) {
      for (var rule : table.rules().reversed()) {
        report(rule);
      }
    }
  }

  @SuppressWarnings("SystemOut")
  private void report(Rule rule) {
    var without =
        Classifier.standard().without(r -> left.contains(r.id()) || r.id().equals(rule.id()));
    int own = 0;
    int others = 0;
    int decided = 0;
    var after = new HashMap<JsonNode, Verdict>();
    for (var row : rows) {
      var before = verdicts.get(row);
      if (before == null || !before.rule().equals(rule.id())) {
        continue;
      }
      decided++;
      var then = without.classify(Score.facts(row));
      after.put(row, then);
      if (isWorse(row, before, then)) {
        if (Families.isLearned(rule, row)) {
          own++;
        } else {
          others++;
        }
      }
    }
    boolean words = !rule.when().names().given() && !rule.when().matches().isEmpty();
    boolean special = !rule.when().ending().isEmpty() || !rule.when().headers().isEmpty();
    var judged = others > 0 || special ? "needed" : own > 0 ? "own" : "dead";
    System.out.printf(
        Locale.ROOT,
        "%s %s %s %s decided=%d own=%d others=%d%n",
        judged,
        words ? "words" : "names",
        rule.table(),
        rule.id(),
        decided,
        own,
        others);
    if (judged.equals("dead")) {
      left.add(rule.id());
      verdicts.putAll(after);
    }
  }

  private static boolean isWorse(JsonNode row, Verdict before, Verdict then) {
    var label = row.path("label");
    return points(label, then) < points(label, before) || then.blame() != before.blame();
  }

  private static int points(JsonNode label, Verdict verdict) {
    boolean kind = verdict.kind().wireName().equals(label.path("kind").asString(""));
    boolean rightClass = verdict.failureClass().name().equals(label.path("class").asString(""));
    boolean danger =
        verdict.retrySame() && !label.path("retry_same").asBoolean(false)
            || verdict.failureClass() == FailureClass.TRANSIENT && !rightClass;
    var repair = verdict.repair();
    boolean rightRepair =
        label
            .path("repairable")
            .asString("none")
            .equals(repair == null ? "none" : repair.wireName());
    return (rightClass ? 16 : 0)
        + (kind ? 8 : 0)
        + (rightRepair ? 4 : 0)
        + (verdict.fallback() == label.path("fallback").asBoolean(false) ? 2 : 0)
        + (verdict.alert() == label.path("alert").asBoolean(false) ? 1 : 0)
        - (danger ? 32 : 0);
  }
}
