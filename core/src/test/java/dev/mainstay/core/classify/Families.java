package dev.mainstay.core.classify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the rules make of failures they were not learned from. Labelled failures are split into
 * families (provider, what wraps it, kind); each family is scored by a classifier without the rules
 * that were learned from one of its failures.
 *
 * <pre>families FILE…</pre>
 */
final class Families {
  private static final JsonMapper JSON = new JsonMapper();

  private final Map<String, List<String>> rows = new LinkedHashMap<>();

  Families(List<String> lines) {
    for (var line : lines) {
      if (!line.isBlank()) {
        rows.computeIfAbsent(family(JSON.readTree(line)), none -> new ArrayList<>()).add(line);
      }
    }
  }

  /** Prints the score of the families in the files of {@code args}. */
  public static void main(String[] args) throws IOException {
    var lines = new ArrayList<String>();
    for (var file : args) {
      lines.addAll(Files.readAllLines(Path.of(file)));
    }
    new Families(lines).score().report();
  }

  /** The score of every family by the rules that were not learned from it. */
  Score score() {
    var score = new Score();
    for (var family : rows.values()) {
      var sources = new HashSet<String>();
      var texts = new HashSet<String>();
      for (var line : family) {
        var row = JSON.readTree(line);
        sources.add(source(row.path("source").asString("")));
        texts.add(plain(row.path("body").asString("")));
        texts.add(plain(row.path("message").asString("")));
      }
      texts.remove("");
      score.by(Classifier.standard().without(rule -> learned(rule, sources, texts)));
      score.add(family);
    }
    return score;
  }

  /** How many families there are. */
  int size() {
    return rows.size();
  }

  /**
   * Whether {@code rule} names one of {@code sources}, or its samples are all among {@code texts}.
   */
  private static boolean learned(Rule rule, Set<String> sources, Set<String> texts) {
    return sources.contains(source(rule.source()))
        || rule.samples().stream().allMatch(sample -> texts.contains(plain(sample.text())));
  }

  /** Whether {@code rule} was learned from {@code row}. */
  static boolean isLearned(Rule rule, JsonNode row) {
    var texts =
        List.of(plain(row.path("body").asString("")), plain(row.path("message").asString("")));
    return source(row.path("source").asString("")).equals(source(rule.source()))
        || rule.samples().stream().anyMatch(sample -> texts.contains(plain(sample.text())));
  }

  private static String family(JsonNode row) {
    return row.path("provider").asString("none")
        + " / "
        + wrapper(row)
        + " / "
        + row.path("label").path("kind").asString("");
  }

  /** What stands around the provider's words: the first sign that is there. */
  private static String wrapper(JsonNode row) {
    var text =
        (row.path("body").asString("") + row.path("message").asString("")).toLowerCase(Locale.ROOT);
    for (var sign :
        List.of(
            "litellm",
            "traceback",
            "error code: ",
            "\tat ",
            "    at ",
            "provider returned error",
            "exception",
            "<html",
            "{")) {
      if (text.contains(sign)) {
        return row.path("where").asString("client") + " " + sign.strip();
      }
    }
    return row.path("where").asString("client") + " words";
  }

  /** {@code owner/repository#number}, however it is written. */
  private static String source(String written) {
    return written
        .replaceFirst("^https?://github.com/", "")
        .replaceFirst("/(issues|pull|discussions)/", "#")
        .replaceFirst("(#\\d+).*", "$1")
        .toLowerCase(Locale.ROOT);
  }

  private static String plain(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
