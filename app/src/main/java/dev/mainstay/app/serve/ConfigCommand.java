package dev.mainstay.app.serve;

import dev.mainstay.app.UsageException;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.config.PasswordHash;
import dev.mainstay.config.ReferenceWriter;
import dev.mainstay.config.migrate.ConfigImport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstay config}. */
@Command(
    name = "config",
    description = "Checks, imports and documents configuration files.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ConfigCommand.Check.class,
      ConfigCommand.Import.class,
      ConfigCommand.Schema.class,
      ConfigCommand.Reference.class,
      ConfigCommand.Password.class
    })
public final class ConfigCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "Choose a command: 'config check FILE'.");
  }

  /** {@code mainstay config schema}. */
  @Command(name = "schema", description = "Prints the JSON Schema of configuration files.")
  static final class Schema implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      print(spec, ConfigLoader.schema());
    }
  }

  /** {@code mainstay config reference}. */
  @Command(
      name = "reference",
      description = "Prints every setting with its default, range and variable, in Markdown.")
  static final class Reference implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      print(spec, ReferenceWriter.write());
    }
  }

  /** {@code mainstay config password}. */
  @Command(
      name = "password",
      description = "Reads a password and prints its hash for admin.accounts.")
  static final class Password implements Runnable {
    private static final int LEAST = 10;

    @Spec private CommandSpec spec;

    @Override
    public void run() {
      var password = read();
      if (password.length < LEAST) {
        throw new UsageException(
            "the password has %d characters, not %d or more".formatted(password.length, LEAST));
      }
      print(spec, PasswordHash.of(password).text() + System.lineSeparator());
    }

    /** From a terminal without echo, or the first line of what is piped in. */
    private static char[] read() {
      var console = System.console();
      if (console != null && console.isTerminal()) {
        var typed = console.readPassword("Password: ");
        return typed == null ? new char[0] : typed;
      }
      var piped = new Scanner(System.in, StandardCharsets.UTF_8);
      return piped.hasNextLine() ? piped.nextLine().toCharArray() : new char[0];
    }
  }

  private static void print(CommandSpec spec, String text) {
    var out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  /** {@code mainstay config import FILE}. */
  @Command(
      name = "import",
      description = {
        "Writes a Mainstay configuration from LiteLLM's config.yaml or Portkey's config object.",
        "Comments at its end list the settings that have no counterpart."
      })
  static final class Import implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The other gateway's configuration.")
    private Path file;

    @Override
    public void run() {
      try {
        print(spec, ConfigImport.read(file));
      } catch (ConfigException e) {
        throw Configs.mistakes(file, e.problems());
      }
    }
  }

  /** {@code mainstay config check FILE}. */
  @Command(
      name = "check",
      description = {
        "Checks a configuration and prints every mistake: its line, its path, the value found and"
            + " the values allowed.",
        "Exits with 0 if the configuration is valid, or else with 2."
      })
  static final class Check implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The configuration, a YAML file.")
    private Path file;

    @Option(
        names = "--strict",
        description =
            "Also report unset variables, names that match no model, and base URLs that look wrong"
                + " as mistakes.")
    private boolean strict;

    @Override
    public void run() {
      var config = Configs.load(file, System.getenv());
      if (strict && !config.findings().doubts().isEmpty()) {
        throw Configs.mistakes(file, config.findings().doubts());
      }
      var out = spec.commandLine().getOut();
      var style = Style.detected();
      out.println(
          style.good("%s can be used".formatted(file))
              + ": %s, %s, %s"
                  .formatted(
                      counted(config.providers().size(), "provider"),
                      counted(config.models().size(), "model"),
                      counted(config.agents().size(), "agent")));
      config.warnings().forEach(each -> out.println("  " + style.warn("note") + "  " + each));
      out.flush();
    }

    private static String counted(int count, String what) {
      return count + " " + what + (count == 1 ? "" : "s");
    }
  }
}
