package dev.mainstay.app;

import dev.mainstay.app.calls.CallsCommand;
import dev.mainstay.app.demo.DemoCommand;
import dev.mainstay.app.serve.ConfigCommand;
import dev.mainstay.app.serve.ServeCommand;
import dev.mainstay.app.terminal.Style;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command line. Exit codes: 0 done, 1 it failed, 2 bad usage or bad configuration. */
@Command(
    name = "mainstay",
    description =
        "A reliability layer for LLM calls: every failure classified once, handled once, recorded once.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true,
    subcommands = {
      ServeCommand.class,
      DemoCommand.class,
      SimulateCommand.class,
      CallsCommand.class,
      ClassifyCommand.class,
      ConfigCommand.class,
      HelpCommand.class
    })
public final class Main implements Runnable {
  /** It failed. */
  static final int FAILED = 1;

  /** Bad usage or bad configuration. */
  static final int USAGE = 2;

  @Spec private CommandSpec spec;

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The command line, ready to carry out arguments. */
  public static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setColorScheme(CommandLine.Help.defaultColorScheme(Style.colours() ? Ansi.ON : Ansi.OFF))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Main::badUsage)
        .setExecutionExceptionHandler(Main::failed);
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private static int badUsage(ParameterException e, String[] arguments) {
    var command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(command.getColorScheme().errorText(e.getMessage()));
    CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
    err.printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
    err.flush();
    return USAGE;
  }

  /** One line for a person; the stack trace only for those who ask for it. */
  private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    var err = command.getErr();
    var message = e.getMessage() == null ? e.toString() : e.getMessage();
    err.println(command.getColorScheme().errorText("mainstay: " + message));
    if (System.getenv("MAINSTAY_TRACE") != null) {
      e.printStackTrace(err);
    }
    err.flush();
    return e instanceof UsageException ? USAGE : FAILED;
  }

  /** Reads the version the build left. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {
        "mainstay " + read(),
        "java %s (%s)".formatted(Runtime.version(), System.getProperty("java.vendor"))
      };
    }

    private static String read() {
      var properties = new Properties();
      try (var in = Main.class.getResourceAsStream("/mainstay.properties")) {
        if (in == null) {
          return "unknown";
        }
        properties.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return properties.getProperty("version", "unknown");
    }
  }
}
