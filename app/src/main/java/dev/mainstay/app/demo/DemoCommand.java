package dev.mainstay.app.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.mainstay.app.PortOption;
import dev.mainstay.app.terminal.Style;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mainstay demo}. */
@Command(
    name = "demo",
    description = {
      "Breaks simulated providers and shows how Mainstay recovers. Needs no keys, no configuration"
          + " and no other service.",
      "It also kills an agent in the middle of a tool call and shows how the run resumes.",
      "Exits with 0 only if every call and the agent's run end as expected."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int PORT = 8484;

  /** How long the plain client really waits for a silent provider; the rest is counted. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Duration PATIENCE_WITH = Duration.ofMinutes(1);

  @Spec private CommandSpec spec;

  @Option(names = "--once", description = "Exit after the script.")
  private boolean once;

  @Option(
      names = "--port",
      paramLabel = "N",
      converter = PortOption.class,
      description = "The gateway's port. Default: 8484, and a free one with --once")
  private @Nullable Integer port;

  @Option(names = "--no-browser", description = "Do not open the studio in a browser.")
  private boolean noBrowser;

  @Override
  public Integer call() throws InterruptedException {
    quiet();
    var show = new DemoPrinter(spec.commandLine().getOut(), Style.detected());
    try (var stage = DemoEnvironment.start(port != null ? port : once ? 0 : PORT)) {
      var rounds = play(stage, show);
      show.agentBegins();
      var agent = KilledAgent.play(stage);
      show.ended(agent);
      show.closing(rounds);
      show.verdict(rounds);
      if (!once) {
        SampleData.begin(stage);
        show.staysUp(stage);
        if (!noBrowser) {
          Browser.open(stage.address() + "/");
        }
        waitForSignal(stage);
      }
      return agent.good() && rounds.stream().allMatch(round -> round.wrong().isEmpty()) ? 0 : 1;
    }
  }

  private static List<ScenarioResult> play(DemoEnvironment stage, DemoPrinter show)
      throws InterruptedException {
    var scenarios = Scenario.all();
    show.opening(stage.address(), scenarios.size());
    warmUp(stage);
    var rounds = new ArrayList<ScenarioResult>();
    for (var scenario : scenarios) {
      show.begins(rounds.size() + 1, scenarios.size(), scenario);
      var round = play(stage, scenario);
      show.ended(round);
      rounds.add(round);
    }
    return rounds;
  }

  private static ScenarioResult play(DemoEnvironment stage, Scenario scenario)
      throws InterruptedException {
    var patience = scenario.silent() ? PATIENCE : PATIENCE_WITH;
    try (var client = new PlainClient(stage.url(), "demo", PATIENCE_WITH);
        var plain = new PlainClient(stage.url(scenario.provider()), "demo-key-1", patience)) {
      stage.play(scenario.script());
      var with = client.ask(scenario.asked(), scenario.stream());
      var stored = with.call() == null ? null : stage.recorded(with.call());
      int upstreamWith = stage.requests();
      stage.play(scenario.direct());
      var without = plain.ask(Scenario.MODEL, scenario.stream());
      return new ScenarioResult(scenario, with, stored, without, upstreamWith, stage.requests());
    }
  }

  /** A call that goes well on either side, so that no side is measured while its code is cold. */
  private static void warmUp(DemoEnvironment stage) throws InterruptedException {
    try (var client = new PlainClient(stage.url(), "demo", PATIENCE_WITH);
        var plain = new PlainClient(stage.url("openai"), "demo-key-1", PATIENCE_WITH)) {
      client.ask("assistant", false);
      client.ask("assistant", true);
      plain.ask(Scenario.MODEL, true);
    }
  }

  /** What the gateway would log about the faults is what the demo shows. */
  private static void quiet() {
    if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
      root.setLevel(Level.ERROR);
    }
  }

  private static void waitForSignal(DemoEnvironment stage) throws InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(stage::close, "mainstay-stop"));
    new CountDownLatch(1).await();
  }
}
