package dev.mainstay.app.selftest;

import dev.mainstay.app.selftest.Outcome.Judgement;
import dev.mainstay.app.terminal.Style;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/** The lines that people read. */
final class Report {
  private static final int FAULT_WIDTH = 28;
  private static final int SAW_WIDTH = 34;

  private final PrintWriter out;
  private final Style style;
  private String route = "";

  Report(PrintWriter out, Style style) {
    this.out = out;
    this.style = style;
  }

  void opening(List<Trial> trials) {
    long routes = trials.stream().map(Trial::route).distinct().count();
    out.printf(
        "%d %s against %d %s. Simulated providers, no real keys; a silent provider times out"
            + " after %d ms.%n",
        trials.size(),
        trials.size() == 1 ? "fault" : "faults",
        routes,
        routes == 1 ? "route" : "routes",
        Trial.SILENCE.toMillis());
    out.flush();
  }

  void ended(Outcome outcome) {
    var at = outcome.trial().route();
    if (!at.model().equals(route)) {
      route = at.model();
      out.printf(
          "%n%s  %s%n",
          style.bold(route),
          style.faint(
              at.targets().stream().map(Object::toString).collect(Collectors.joining(" → "))));
    }
    out.printf(
        "  %-" + FAULT_WIDTH + "s %-" + SAW_WIDTH + "s %d %-9s %5d ms  %s%s%n",
        outcome.trial().fault().name(),
        cut(saw(outcome)),
        outcome.attempts(),
        outcome.attempts() == 1 ? "attempt" : "attempts",
        outcome.seen().took().toMillis(),
        coloured(outcome.judgement()),
        outcome.protect() == null
            ? ""
            : style.faint(": " + outcome.protect() + " would protect it"));
    out.flush();
  }

  private static String saw(Outcome outcome) {
    var seen = outcome.seen();
    if (seen.refused()) {
      return "the provider's refusal";
    }
    if (seen.whole()) {
      return outcome.how().isEmpty()
          ? "the answer"
          : "the answer, by " + String.join(", ", outcome.how());
    }
    return seen.status() == 200
        ? "an error event: " + seen.error()
        : seen.status() + ": " + seen.error();
  }

  private static String cut(String text) {
    return text.length() <= SAW_WIDTH ? text : text.substring(0, SAW_WIDTH - 1) + "…";
  }

  private String coloured(Judgement judgement) {
    return switch (judgement) {
      case RESCUED -> style.good(judgement.label());
      case FAILED_CLEANLY -> style.accent(judgement.label());
      case NOT_PROTECTED -> style.warn(judgement.label());
      case WRONG -> style.bad(judgement.label());
    };
  }

  void closing(List<Outcome> outcomes) {
    out.println();
    for (var judgement : Judgement.values()) {
      long count = outcomes.stream().filter(one -> one.judgement() == judgement).count();
      if (count > 0) {
        out.printf("  %3d %s%n", count, coloured(judgement));
      }
    }
    out.flush();
  }
}
