package dev.mainstay.app.admin;

import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code mainstay breakers}. */
@Command(
    name = "breakers",
    description = "Lists and closes the breakers of a running gateway.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {BreakersCommand.Ls.class, BreakersCommand.Reset.class})
public final class BreakersCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "Choose a command: 'breakers ls' or 'breakers reset TARGET'.");
  }

  /** {@code mainstay breakers ls}. */
  @Command(name = "ls", description = "Lists the breaker of every target that has received a call.")
  static final class Ls extends AdminCommand {
    @Override
    protected @Nullable JsonNode ask(AdminClient client) {
      return client.get("/api/breakers");
    }

    @Override
    protected String unknown() {
      return "this server has no breakers; is it a Mainstay gateway?";
    }

    @Override
    protected void print(JsonNode answer, PrintWriter out) {
      var style = Style.detected();
      if (answer.path("breakers").isEmpty()) {
        out.println("No breakers: no call has been made yet.");
        return;
      }
      var table =
          Table.of("TARGET", "STATE", "IN A ROW>", "FAILED>", "OF>", "RUNNING>", "PROBE", "REASON");
      for (var each : answer.path("breakers")) {
        var state = each.path("state").asString();
        var probe = each.path("next_probe_ms");
        table.row(
            each.path("target").asString(),
            state.equals("closed") ? style.good(state) : style.bad(state.replace('_', ' ')),
            each.path("consecutive_failures").asString(),
            each.path("failures").asString(),
            each.path("requests").asString(),
            each.path("in_flight").asString(),
            probe.isNumber() ? "in %.1f s".formatted(probe.asLong() / 1000.0) : "-",
            each.path("reason").asString("-"));
      }
      table.print(out, "", style);
    }
  }

  /** {@code mainstay breakers reset TARGET}. */
  @Command(
      name = "reset",
      description = "Closes a target's breaker. Use it once you know the target has recovered.")
  static final class Reset extends AdminCommand {
    @Parameters(paramLabel = "TARGET", description = "The target, as provider/model.")
    private String target;

    @Override
    protected @Nullable JsonNode ask(AdminClient client) {
      return client.post("/api/breakers/" + AdminClient.encoded(target) + "/reset");
    }

    @Override
    protected String unknown() {
      return "no call has used %s; 'mainstay breakers ls' lists the targets".formatted(target);
    }

    @Override
    protected void print(JsonNode answer, PrintWriter out) {
      out.println("The breaker of %s is closed.".formatted(target));
    }
  }
}
