package dev.mainstay.app.demo;

import dev.mainstay.app.demo.Received.Ending;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import dev.mainstay.app.terminal.Values;
import dev.mainstay.ledger.AttemptRecord;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** How the demo looks in a terminal. */
final class DemoPrinter {
  private static final int WORDS = 72;

  private final PrintWriter out;
  private final Style style;

  DemoPrinter(PrintWriter out, Style style) {
    this.out = out;
    this.style = style;
  }

  void opening(String address, int scenarios) {
    out.println(style.bold("Mainstay demo") + style.faint("  simulated providers, the real wire"));
    out.printf(
        "%nA program asks a model %d times. Each time its provider breaks in another way; decisions"
            + " are read from the%nledger. Beside it the same program without Mainstay, retrying by"
            + " status as the official SDKs do.%n",
        scenarios);
    out.println(style.faint("Mainstay listens on " + address));
    out.flush();
  }

  void begins(int number, int of, Scenario scenario) {
    out.printf(
        "%n%s %s%n", style.faint("%d/%d".formatted(number, of)), style.bold(scenario.title()));
    line("broke", "%s: %s".formatted(scenario.target(), style.bad(broke(scenario))));
    out.flush();
  }

  private static String broke(Scenario scenario) {
    var what = scenario.fault().what();
    return scenario.times() == 1 ? what : what + ", " + scenario.times() + " times";
  }

  void ended(ScenarioResult round) {
    var stored = round.stored();
    if (stored != null) {
      stored.attempts().forEach(this::attempt);
    }
    line("client", got(round.with()));
    line("without", got(round.without()) + style.faint(requests(round.without().requests())));
    round.wrong().forEach(wrong -> line(style.bad("WRONG"), wrong));
    out.flush();
  }

  private void attempt(AttemptRecord attempt) {
    var status = attempt.status() == null ? "" : attempt.status() + " ";
    var verdict =
        attempt.verdict() == null
            ? style.good(status + "answered")
            : style.bad(status + attempt.verdict());
    var waited =
        attempt.waited().isZero()
            ? ""
            : style.faint("after waiting " + Values.length(attempt.waited()) + "  ");
    line("attempt " + attempt.number(), waited + attempt.target() + "  " + verdict);
    line("", style.accent("→ " + attempt.decision()) + style.faint("  " + attempt.reason()));
  }

  private String got(Received received) {
    var took = style.faint("  in " + Values.length(received.took()));
    return switch (received.ending()) {
      case ANSWER -> style.good("answer") + "  " + quoted(received.text()) + took;
      case ERROR ->
          style.bad(received.status() == null ? "error" : "error " + received.status())
              + "  "
              + quoted(received.text())
              + took;
      case FALSE_ANSWER -> style.bad("taken for an answer") + "  " + quoted(received.text()) + took;
    };
  }

  private static String requests(int count) {
    return count == 1 ? ", 1 request" : ", " + count + " requests";
  }

  private static String quoted(String text) {
    var line = text.replaceAll("\\s+", " ").strip();
    return line.isEmpty()
        ? "(nothing)"
        : "\"" + (line.length() > WORDS ? line.substring(0, WORDS) + "…" : line) + "\"";
  }

  void agentBegins() {
    out.printf("%n%s%n", style.bold("An agent pays a refund, and is killed in the middle"));
    line("run", "the agent refunds starts in a process of its own");
    line("broke", style.bad("kill -9 after its tool has paid, before the agent knows"));
    out.flush();
  }

  void ended(KilledAgent.Outcome agent) {
    line("restart", "its process starts again and reads the run's journal");
    line(
        "tool",
        "asked %d times with %d key: paid %d time"
            .formatted(agent.asked(), agent.keys(), agent.paid()));
    line(
        "run",
        (agent.good() ? style.good(agent.status()) : style.bad("WRONG " + agent.status()))
            + "  "
            + quoted(agent.output())
            + style.faint("  in %s after the restart".formatted(Values.length(agent.back()))));
    out.flush();
  }

  void closing(List<ScenarioResult> rounds) {
    out.println();
    Table.of(
            "",
            "CALLS>",
            "FAULTS INJECTED>",
            "ANSWERS DELIVERED>",
            "REQUESTS TO PROVIDERS>",
            "FALSE ANSWERS>",
            "TIME>")
        .row(
            totals(
                style.bold("with Mainstay"),
                rounds,
                ScenarioResult::with,
                faults(rounds),
                upstream(rounds)))
        .row(
            totals(
                "without",
                rounds,
                ScenarioResult::without,
                faults(rounds),
                rounds.stream().mapToInt(ScenarioResult::upstreamWithout).sum()))
        .print(out, "  ", style);
    out.println(
        style.faint(
            "  One provider refuses permanently: the answer is its error, after one request. The"
                + " plain client counts its waits and does not sleep."));
    out.flush();
  }

  private static int faults(List<ScenarioResult> rounds) {
    return rounds.stream().mapToInt(round -> round.scenario().times()).sum();
  }

  private static int upstream(List<ScenarioResult> rounds) {
    return rounds.stream().mapToInt(ScenarioResult::upstreamWith).sum();
  }

  private static String[] totals(
      String name,
      List<ScenarioResult> rounds,
      Function<ScenarioResult, Received> side,
      int faults,
      int upstream) {
    var all = rounds.stream().map(side).toList();
    return new String[] {
      name,
      Integer.toString(all.size()),
      Integer.toString(faults),
      Long.toString(all.stream().filter(Received::answered).count()),
      Integer.toString(upstream),
      Long.toString(all.stream().filter(r -> r.ending() == Ending.FALSE_ANSWER).count()),
      Values.length(all.stream().map(Received::took).reduce(Duration.ZERO, Duration::plus))
    };
  }

  void verdict(List<ScenarioResult> rounds) {
    long wrong = rounds.stream().filter(round -> !round.wrong().isEmpty()).count();
    out.println();
    out.println(
        wrong == 0
            ? style.good("Every call ended as it should.")
            : style.bad(
                "%d of %d calls did not end as they should.".formatted(wrong, rounds.size())));
    out.flush();
  }

  void staysUp(DemoEnvironment stage) {
    out.printf(
        "%nMainstay and the simulated providers stay up until Ctrl-C. Ask it yourself:%n%n  curl"
            + " %s/chat/completions -H 'content-type: application/json' \\%n    -d"
            + " '{\"model\":\"assistant\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}'%n%n"
            + "  ./mainstay calls ls --store %s%n%nThe studio shows what happened: %s/%n",
        stage.url(), stage.store(), stage.address());
    out.flush();
  }

  private void line(String name, String text) {
    out.printf("    %-11s%s%n", name, text);
  }
}
