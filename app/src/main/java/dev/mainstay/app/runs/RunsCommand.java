package dev.mainstay.app.runs;

import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.app.admin.AdminCommand;
import dev.mainstay.app.admin.DeadLettersCommand;
import dev.mainstay.app.admin.GatewayOption;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code mainstay runs}. */
@Command(
    name = "runs",
    description = "Lists, shows and controls the runs of a gateway's agents.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RunsCommand.Ls.class,
      RunsCommand.Show.class,
      RunsCommand.Tail.class,
      RunReplay.class,
      RunReplay.Diff.class,
      RunDrive.Cancel.class,
      RunDrive.Approve.class,
      RunDrive.Resolve.class,
      RunDrive.Pause.class,
      RunDrive.Resume.class,
      RunDrive.Extend.class,
      RunDrive.Message.class,
      DeadLettersCommand.Redrive.class
    })
public final class RunsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(),
        "Choose a command: 'runs ls', 'runs show ID', 'runs tail ID'; 'runs --help' lists all.");
  }

  static String unknown(String run) {
    return "there is no run %s; 'mainstay runs ls' lists them".formatted(run);
  }

  /** {@code mainstay runs ls}. */
  @Command(name = "ls", description = "Lists runs, newest first.")
  static final class Ls extends AdminCommand {
    @Option(
        names = "--limit",
        description = "The largest number of rows. Default: ${DEFAULT-VALUE}.")
    private int limit = 20;

    @Option(
        names = "--where",
        paramLabel = "NAME=VALUE",
        description =
            "List only runs that match a filter of GET /api/runs, such as status=failed,"
                + " agent=refunds or cost_usd_min=0.50. You can repeat this option.")
    private Map<String, String> where = new LinkedHashMap<>();

    @Override
    protected @Nullable JsonNode ask(AdminClient client) {
      return client.get("/api/runs?limit=" + limit + AdminClient.parameters(where));
    }

    @Override
    protected String unknown() {
      return "this gateway has no agents";
    }

    @Override
    protected void print(JsonNode answer, PrintWriter out) {
      if (answer.path("runs").isEmpty()) {
        out.println("No runs yet: 'mainstay run AGENT INPUT' starts one.");
        return;
      }
      var table =
          Table.of("RUN", "KIND", "AGENT", "STATUS", "TURNS>", "TOKENS>", "COST USD>", "ACCEPTED");
      for (var run : answer.path("runs")) {
        table.row(
            run.path("run").asString(),
            run.path("kind").asString("agent"),
            run.path("agent").asString("-"),
            run.path("status").asString(),
            run.path("turns").asString("-"),
            run.path("tokens").asString("-"),
            Show.text(run.path("cost_usd")),
            run.path("accepted_at").asString());
      }
      table.print(out, "", Style.detected());
    }
  }

  /** {@code mainstay runs show ID}. */
  @Command(name = "show", description = "Shows one run: status, answer, counts, cost.")
  static final class Show extends AdminCommand {
    @Parameters(paramLabel = "ID", description = "The run's id.")
    private String id;

    @Override
    protected @Nullable JsonNode ask(AdminClient client) {
      return client.get("/api/runs/" + AdminClient.encoded(id));
    }

    @Override
    protected String unknown() {
      return RunsCommand.unknown(id);
    }

    @Override
    protected void print(JsonNode run, PrintWriter out) {
      var table = Table.of("", "");
      for (var name :
          new String[] {
            "run",
            "agent",
            "status",
            "reason",
            "input",
            "output",
            "turns",
            "steps",
            "attempts",
            "tokens",
            "cost_usd",
            "accepted_at",
            "ended_at",
            "definition_hash",
            "replay_of",
            "failure"
          }) {
        table.row(name, text(run.path(name)));
      }
      if (run.path("paused").asBoolean(false)) {
        table.row("waits for", "a resume: it is paused");
      }
      for (var waits : run.path("waits_for")) {
        table.row("waits for", text(waits));
      }
      table.print(out, "", Style.detected());
    }

    private static String text(JsonNode value) {
      return value.isNull() || value.isMissingNode()
          ? "-"
          : value.isNumber()
              ? value.decimalValue().toPlainString()
              : value.isString() ? value.stringValue() : value.toString();
    }
  }

  /** {@code mainstay runs tail ID}. */
  @Command(name = "tail", description = "Shows all events of a run, and new ones until it ends.")
  static final class Tail implements Runnable {
    @Spec private CommandSpec spec;
    @Mixin private GatewayOption gateway;

    @Parameters(paramLabel = "ID", description = "The run's id.")
    private String id;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Override
    public void run() {
      try (var client = gateway.usual()) {
        RunEvents.follow(client, id, json, spec.commandLine().getOut());
      }
    }
  }
}
