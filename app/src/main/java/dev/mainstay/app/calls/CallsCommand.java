package dev.mainstay.app.calls;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mainstay calls}. */
@Command(
    name = "calls",
    description = "Lists, shows, replays and compares recorded calls and their attempts.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      CallsLs.class,
      CallsShow.class,
      CallReplay.Tail.class,
      CallReplay.class,
      CallReplay.Diff.class
    })
public final class CallsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(),
        "Choose a command: 'calls ls', 'calls show ID', 'calls tail', 'calls replay ID' or 'calls"
            + " diff A B'.");
  }
}
