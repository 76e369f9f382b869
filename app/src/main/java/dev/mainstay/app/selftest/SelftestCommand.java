package dev.mainstay.app.selftest;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.mainstay.app.FailedException;
import dev.mainstay.app.UsageException;
import dev.mainstay.app.selftest.Outcome.Judgement;
import dev.mainstay.app.serve.Configs;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.config.Config;
import dev.mainstay.simulator.Faults;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** {@code mainstay selftest}. */
@Command(
    name = "selftest",
    description = {
      "Tries every known fault on the routes of a configuration, with simulated providers in place"
          + " of the real ones, and reports which faults each route survives.",
      "A passing fault hits the first target once; a lasting one hits each of its requests. The"
          + " selftest shortens waits and timeouts, calls no provider and uses no key.",
      "Exits with 1 if a client received a partial or wrong answer as a success, or if a fault"
          + " ended worse than --require allows."
    })
public final class SelftestCommand implements Callable<Integer> {
  /** Each trial has a gateway and a simulator of its own; most of its time is waiting. */
  private static final int AT_ONCE = 6;

  private static final JsonMapper JSON = JsonMapper.shared();

  @Spec private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a YAML file.")
  private @Nullable Path file;

  @Option(
      names = "--route",
      paramLabel = "MODEL",
      description = "Test only this model of the configuration.")
  private @Nullable String route;

  @Option(
      names = "--fault",
      paramLabel = "NAME",
      description = "Test only this fault of the catalogue.")
  private @Nullable String fault;

  @Option(
      names = "--lasting",
      description = "Make passing faults last: the first target stays broken.")
  private boolean lasting;

  @Option(
      names = "--require",
      paramLabel = "RESULT",
      description = {
        "The result that every fault must have; otherwise the exit code is 1:",
        "  rescued  the client gets the whole answer",
        "  clean    the client gets the whole answer, or an error that no setting could have"
            + " avoided"
      })
  private @Nullable RequiredResult require;

  @Option(names = "--json", description = "Print one JSON object per line.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    var config = Configs.load(file, System.getenv());
    var trials = trials(config);
    if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
      root.setLevel(Level.OFF); // what the faults make the gateway say is what the test shows
    }
    var out = spec.commandLine().getOut();
    var report = new Report(out, json ? new Style(false) : Style.detected());
    if (!json) {
      report.opening(trials);
    }
    var outcomes = new ArrayList<Outcome>();
    try (var client = new SelftestClient();
        var workers = Executors.newFixedThreadPool(AT_ONCE)) {
      var running = new ArrayList<Future<Outcome>>();
      trials.forEach(trial -> running.add(workers.submit(() -> trial.play(config, client))));
      // In the catalogue's order, each as soon as it and those before it have ended.
      for (var one : running) {
        var outcome = outcome(one);
        outcomes.add(outcome);
        if (json) {
          line(out, outcome);
        } else {
          report.ended(outcome);
        }
      }
    }
    if (!json) {
      report.closing(outcomes);
    }
    return outcomes.stream().allMatch(this::isGoodEnough) ? 0 : 1;
  }

  private boolean isGoodEnough(Outcome outcome) {
    return require == null
        ? outcome.judgement() != Judgement.WRONG
        : require.isMetBy(outcome.judgement());
  }

  private List<Trial> trials(Config config) {
    if (fault != null && !Faults.byName().containsKey(fault)) {
      throw new UsageException(
          "there is no fault \"%s\"%s; `simulate` lists all at /_sim/faults"
              .formatted(fault, nearest(fault)));
    }
    var routes = TestedRoute.of(config);
    var trials = new ArrayList<Trial>();
    for (var each : routes) {
      if (route == null || route.equals(each.model())) {
        for (var trial : Trial.of(each, lasting)) {
          if (fault == null || fault.equals(trial.fault().name())) {
            trials.add(trial);
          }
        }
      }
    }
    if (routes.isEmpty()) {
      throw new UsageException(
          "there is no route to test: no provider has a key. The self-test uses none, so any value"
              + " will do");
    }
    if (trials.isEmpty()) {
      throw new UsageException(
          route != null && routes.stream().noneMatch(each -> route.equals(each.model()))
              ? "there is no model \"%s\"; the configuration has %s"
                  .formatted(
                      route, String.join(", ", routes.stream().map(TestedRoute::model).toList()))
              : "the fault %s is not one that a provider of this route shows".formatted(fault));
    }
    return trials;
  }

  /** Names that look like {@code name}, as a clause; empty where none does. */
  private static String nearest(String name) {
    var alike =
        Faults.byName().keySet().stream()
            .filter(each -> each.contains(name) || name.contains(each) || sharesAWord(each, name))
            .sorted()
            .limit(4)
            .toList();
    return alike.isEmpty() ? "" : "; there are " + String.join(", ", alike);
  }

  private static boolean sharesAWord(String one, String other) {
    var words = new HashSet<>(List.of(one.split("-")));
    words.retainAll(List.of(other.split("-")));
    return words.size() > 1;
  }

  private static Outcome outcome(Future<Outcome> running) throws InterruptedException {
    try {
      return running.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw new FailedException("a trial failed to run: " + io.getMessage(), io);
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static void line(PrintWriter out, Outcome outcome) {
    var line = JSON.createObjectNode();
    line.put("route", outcome.trial().route().model());
    line.put("fault", outcome.trial().fault().name());
    line.put("kind", outcome.trial().fault().kind());
    line.put("lasting", outcome.trial().lasting());
    line.put("result", outcome.judgement().name().toLowerCase(Locale.ROOT));
    line.put("status", outcome.seen().status());
    line.put("error", outcome.seen().error());
    line.put("attempts", outcome.attempts());
    line.put("ms", outcome.seen().took().toMillis());
    var recovery = line.putArray("recovery");
    outcome.how().forEach(recovery::add);
    line.put("protect", outcome.protect());
    out.println(line);
    out.flush();
  }
}
