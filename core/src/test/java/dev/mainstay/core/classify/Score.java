package dev.mainstay.core.classify;

import dev.mainstay.core.failure.Evidence;
import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * For those who write rules: holds the rules that ship against labelled failures in JSON Lines and
 * prints how many are right and each that is not.
 *
 * <pre>score [--provider NAME] [--id PART] [--evidence] FILE…</pre>
 */
final class Score {
  private static final JsonMapper JSON = new JsonMapper();
  private int rows;
  private int classRight;
  private int kindRight;
  private int kindDefensible;
  private int waitWrong;
  private int fallbackWrong;
  private int repairWrong;
  private int alertWrong;
  private final List<String> dangerous = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final List<String> minor = new ArrayList<>();

  private Classifier classifier = Classifier.standard();
  private @Nullable String provider;
  private @Nullable String id;
  private boolean evidence;

  /** Prints the score of the files in {@code args}. */
  public static void main(String[] args) throws IOException {
    var score = new Score();
    var files = new ArrayList<Path>();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--provider" -> score.provider = args[++i];
        case "--id" -> score.id = args[++i];
        case "--evidence" -> score.evidence = true;
        default -> files.add(Path.of(args[i]));
      }
    }
    var samples = RuleSamplesTest.problems();
    samples.forEach(problem -> print("SAMPLE " + problem));
    for (var file : files) {
      score.add(Files.readAllLines(file));
    }
    score.report();
  }

  /** The score of {@code lines}, each a labelled failure. */
  static Score of(List<String> lines) {
    var score = new Score();
    score.add(lines);
    return score;
  }

  /** Scores with {@code other} from here on. */
  void by(Classifier other) {
    classifier = other;
  }

  /** Adds {@code lines}, each a labelled failure. */
  void add(List<String> lines) {
    for (var line : lines) {
      if (!line.isBlank()) {
        row(JSON.readTree(line));
      }
    }
  }

  int rows() {
    return rows;
  }

  /** The share of rows whose class is right. */
  double classRight() {
    return (double) classRight / rows;
  }

  /** The share of rows whose kind is right. */
  double kindRight() {
    return (double) kindRight / rows;
  }

  /** The verdicts that would retry what must not be retried. */
  List<String> dangerous() {
    return List.copyOf(dangerous);
  }

  /** The rows whose class or kind is wrong. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }

  private void row(JsonNode row) {
    var name = text(row, "provider");
    var rowId = text(row, "id");
    if (provider != null && !provider.equals(name)
        || id != null && (rowId == null || !rowId.contains(id))) {
      return;
    }
    var facts = facts(row);
    var verdict = classifier.classify(facts);
    var label = row.path("label");
    rows++;
    var wantedClass = label.path("class").asString("");
    var wantedKind = label.path("kind").asString("");
    boolean classOk = verdict.failureClass().name().equals(wantedClass);
    boolean kindOk = verdict.kind().wireName().equals(wantedKind);
    classRight += classOk ? 1 : 0;
    kindRight += kindOk ? 1 : 0;
    kindDefensible += kindOk || isDefensible(row, verdict.kind().wireName()) ? 1 : 0;
    var line =
        String.format(
            Locale.ROOT,
            "%s [%s %s %s] want %s/%s got %s by %s%n      %s",
            rowId,
            name,
            facts.where().wireName(),
            facts.status(),
            wantedClass,
            wantedKind,
            verdict.label(),
            verdict.rule(),
            snippet(facts));
    boolean wantedSame = label.path("retry_same").asBoolean(false);
    boolean danger =
        verdict.retrySame() && (wantedClass.equals("FATAL") || !wantedSame)
            || verdict.failureClass() == FailureClass.TRANSIENT && !wantedClass.equals("TRANSIENT");
    if (danger) {
      dangerous.add(line);
    } else if (!classOk || !kindOk) {
      wrong.add((classOk ? "kind  " : "CLASS ") + line);
    }
    details(label, verdict, line, wantedSame);
    if (evidence) {
      print(line + "\n      " + shown(Evidence.of(facts, Instant.now())));
    }
  }

  private static String shown(Evidence of) {
    return String.format(
        Locale.ROOT,
        "status=%s codes=%s types=%s grpc=%s aws=%s param=%s finish=%s shapes=%s sender=%s wait=%s%n"
            + "      message: %s%n      client: %s",
        of.status(),
        of.codes(),
        of.types(),
        of.grpc(),
        of.aws(),
        of.param(),
        of.finish(),
        of.shapes(),
        of.sender(),
        of.retryAfter(),
        of.message(),
        of.client());
  }

  private void details(JsonNode label, Verdict verdict, String line, boolean wantedSame) {
    var problems = new ArrayList<String>();
    var wait = verdict.retryAfter();
    Double got = wait == null ? null : Double.valueOf(wait.toNanos() / 1e9);
    var wanted = label.path("retry_after_s");
    if (wanted.isNumber() != (got != null)
        || got != null && Math.abs(got - wanted.asDouble()) > 0.01 * wanted.asDouble() + 0.002) {
      waitWrong++;
      problems.add("wait " + wanted + " got " + got);
    }
    if (label.path("fallback").asBoolean(false) != verdict.fallback()) {
      fallbackWrong++;
      problems.add("fallback " + !verdict.fallback() + " got " + verdict.fallback());
    }
    var repair = verdict.repair();
    var wantedRepair = label.path("repairable").asString("none");
    var gotRepair = repair == null ? "none" : repair.wireName();
    if (!wantedRepair.equals(gotRepair)) {
      repairWrong++;
      problems.add("repair " + wantedRepair + " got " + gotRepair);
    }
    if (label.path("alert").asBoolean(false) != verdict.alert()) {
      alertWrong++;
      problems.add("alert " + !verdict.alert() + " got " + verdict.alert());
    }
    if (wantedSame != verdict.retrySame()) {
      problems.add("retry_same " + wantedSame + " got " + verdict.retrySame());
    }
    if (!problems.isEmpty()) {
      minor.add(String.join("; ", problems) + " | " + line);
    }
  }

  void report() {
    minor.forEach(line -> print("minor  " + line));
    wrong.forEach(Score::print);
    dangerous.forEach(line -> print("DANGEROUS " + line));
    print(
        String.format(
            Locale.ROOT,
            "%d rows: class %.1f %%, kind %.1f %% (%.1f %% defensible), dangerous %d; wrong: wait %d, fallback %d,"
                + " repair %d, alert %d",
            rows,
            100.0 * classRight / Math.max(1, rows),
            100.0 * kindRight / Math.max(1, rows),
            100.0 * kindDefensible / Math.max(1, rows),
            dangerous.size(),
            waitWrong,
            fallbackWrong,
            repairWrong,
            alertWrong));
  }

  /** Whether the row's note names {@code kind} as one that another person could defend. */
  private static boolean isDefensible(JsonNode row, String kind) {
    var note = row.path("note").asString("");
    int from = note.indexOf("AMBIGUOUS");
    return from >= 0 && note.indexOf(kind, from) >= 0;
  }

  /** The facts of a labelled failure. */
  static Facts facts(JsonNode row) {
    var headers = new HashMap<String, String>();
    for (var header : row.path("headers").properties()) {
      headers.put(header.getKey(), header.getValue().asString(""));
    }
    var status = row.path("status");
    return new Facts(
        text(row, "provider"),
        Where.valueOf(row.path("where").asString("client").toUpperCase(Locale.ROOT)),
        status.isNumber() ? Integer.valueOf(status.intValue()) : null,
        new Headers(headers),
        text(row, "body"),
        text(row, "message"),
        null);
  }

  private static @Nullable String text(JsonNode row, String field) {
    var value = row.path(field);
    return value.isString() ? value.stringValue() : null;
  }

  private static String snippet(Facts facts) {
    var all =
        (facts.body() == null ? "" : facts.body())
            + (facts.message() == null ? "" : " ~ " + facts.message());
    var line = all.replaceAll("\\s+", " ");
    return line.length() > 320 ? line.substring(0, 320) + "…" : line;
  }

  @SuppressWarnings("SystemOut")
  private static void print(String line) {
    System.out.println(line);
  }
}
