package dev.mainstay.app;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.classify.RuleSyntaxException;
import dev.mainstay.core.classify.RuleTable;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code mainstay classify}: JSON Lines in, one failure a line; verdicts out, one a line and in the
 * same order. Input that does not begin with a JSON object is one failure as it was pasted. A bad
 * line is answered with its number and what was wrong, and the rest is still answered. Memory stays
 * constant however long the input is; what has been answered is flushed whenever the input makes it
 * wait.
 */
@Command(
    name = "classify",
    mixinStandardHelpOptions = true,
    description = {
      "Classifies failures: reads JSON Lines from stdin, one failure per line, and prints one"
          + " verdict per line.",
      "",
      "A line: {\"id\", \"provider\", \"where\": \"http|stream|transport|client\", \"status\","
          + " \"headers\", \"body\", \"message\"}, where each field may be missing or null.",
      "classify skips an empty line, and prints {\"id\", \"line\", \"error\"} for an invalid one.",
      "",
      "If the first line is not a JSON object, the whole input is one failure: an error text, a"
          + " stack trace, a body, or the output of curl -i."
    })
public final class ClassifyCommand implements Callable<Integer> {

  @Option(
      names = "--explain",
      description = "Add the rule that decided, and its reason in one sentence.")
  private boolean explain;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "A file of your own rules, which Mainstay tries before its own. You can repeat this"
              + " option.")
  private List<Path> rules = new ArrayList<>();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    var classifier = rules.isEmpty() ? Classifier.standard() : Classifier.with(tables());
    run(classifier, System.in, System.out, explain);
    return 0;
  }

  private List<RuleTable> tables() {
    var tables = new ArrayList<RuleTable>();
    for (var file : rules) {
      try {
        tables.add(RuleTable.parse(file.toString(), Files.readString(file)));
      } catch (RuleSyntaxException mistake) {
        throw new ParameterException(spec.commandLine(), mistake.getMessage(), mistake);
      } catch (IOException unreadable) {
        throw new ParameterException(
            spec.commandLine(), file + ": cannot be read (" + unreadable + ")", unreadable);
      }
    }
    return tables;
  }

  static void run(Classifier classifier, InputStream in, OutputStream out, boolean explain)
      throws IOException {
    var buffered = new BufferedOutputStream(out, 64 * 1024);
    var lines = new LineReader(in);
    try (var answers = new VerdictLine(buffered, explain)) {
      boolean first = true;
      while (lines.next()) {
        if (!lines.blank()) {
          if (first && !lines.tooLong() && PastedFailure.beginsWith(lines.text())) {
            answers.verdict(null, classifier.classify(PastedFailure.facts(rest(lines))));
            break;
          }
          first = false;
          answer(classifier, lines, answers);
        }
        if (!lines.hasMore()) {
          answers.flush();
          buffered.flush();
        }
      }
    }
    buffered.flush();
  }

  /** This line and all that follow, as far as a line may be long. */
  private static String rest(LineReader lines) throws IOException {
    var text = new StringBuilder(lines.text());
    while (lines.next()) {
      if (!lines.tooLong() && text.length() + lines.length() < LineReader.MAX) {
        text.append('\n').append(lines.text());
      }
    }
    return text.toString();
  }

  private static void answer(Classifier classifier, LineReader lines, VerdictLine answers) {
    if (lines.tooLong()) {
      answers.badLine(
          null, lines.number(), "longer than " + LineReader.MAX / (1024 * 1024) + " MiB");
      return;
    }
    try {
      var line = FailureLine.parse(lines.bytes(), lines.length());
      answers.verdict(line.id(), classifier.classify(line.facts()));
    } catch (FailureLine.BadLine bad) {
      answers.badLine(bad.id(), lines.number(), String.valueOf(bad.getMessage()));
    }
  }
}
