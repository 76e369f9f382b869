package dev.mainstay.app;

import dev.mainstay.app.admin.BreakersCommand;
import dev.mainstay.app.admin.DeadLettersCommand;
import dev.mainstay.app.calls.CallsCommand;
import dev.mainstay.app.demo.DemoCommand;
import dev.mainstay.app.export.ExportCommand;
import dev.mainstay.app.rehearse.RehearseCommand;
import dev.mainstay.app.runs.RunCommand;
import dev.mainstay.app.runs.RunsCommand;
import dev.mainstay.app.selftest.SelftestCommand;
import dev.mainstay.app.serve.ConfigCommand;
import dev.mainstay.app.serve.ServeCommand;
import dev.mainstay.app.serve.StoreCommand;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Terminal;
import dev.mainstay.gateway.api.BuildVersion;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** All that can be asked for, as picocli reads it. */
@Command(
    name = "mainstay",
    description =
        "A reliability layer for LLM calls. It classifies, handles and records every failure once.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Commands.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true)
final class Commands implements Runnable {
  /** It failed. */
  static final int FAILED = 1;

  /** Bad usage or bad configuration. */
  static final int USAGE = 2;

  @Spec private CommandSpec spec;

  /** By name, in the order of the help. Each is looked at only where it is needed. */
  private static final Map<String, Supplier<Object>> COMMANDS = commands();

  private static Map<String, Supplier<Object>> commands() {
    var commands = new LinkedHashMap<String, Supplier<Object>>();
    commands.put("serve", ServeCommand::new);
    commands.put("demo", DemoCommand::new);
    commands.put("selftest", SelftestCommand::new);
    commands.put("simulate", SimulateCommand::new);
    commands.put("classify", ClassifyCommand::new);
    commands.put("run", RunCommand::new);
    commands.put("runs", RunsCommand::new);
    commands.put("calls", CallsCommand::new);
    commands.put("dead-letters", DeadLettersCommand::new);
    commands.put("breakers", BreakersCommand::new);
    commands.put("export", ExportCommand::new);
    commands.put("config", ConfigCommand::new);
    commands.put("store", StoreCommand::new);
    commands.put("rehearse", RehearseCommand::new);
    // No method reference: picocli's classes are too old for the AOT cache, and JDK 25 crashes
    // where it writes a call site that is linked to a method of one.
    commands.put("help", () -> new HelpCommand());
    return commands;
  }

  /** Carries out {@code arguments}. */
  static int execute(String... arguments) {
    var out = new OutputStreamWriter(System.out, System.out.charset());
    var err = new OutputStreamWriter(System.err, System.err.charset());
    return commandLine(out, err, arguments).execute(arguments);
  }

  /**
   * The command line that can carry out {@code arguments}: with the one command they name, and with
   * all of them where they name none.
   *
   * @param out where it prints
   * @param err where it says what is wrong
   */
  static CommandLine commandLine(Writer out, Writer err, String... arguments) {
    var line = new CommandLine(new Commands());
    var named = arguments.length == 0 ? null : COMMANDS.get(arguments[0]);
    if (named == null || arguments[0].equals("help")) {
      COMMANDS.forEach((name, command) -> line.addSubcommand(name, command.get()));
    } else {
      line.addSubcommand(arguments[0], named.get());
    }
    return line.setOut(new Terminal(out, Style.colours()))
        .setErr(new Terminal(err, Style.colours()))
        .setColorScheme(CommandLine.Help.defaultColorScheme(Style.colours() ? Ansi.ON : Ansi.OFF))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Commands::badUsage)
        .setExecutionExceptionHandler((e, command, parsed) -> failed(e, command));
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

  /** Says that {@code serve} has failed. */
  static int failed(Exception e) {
    var err = new OutputStreamWriter(System.err, System.err.charset());
    return failed(e, commandLine(err, err, "serve"));
  }

  /** One line for a person; the stack trace only for those who ask for it. */
  private static int failed(Exception e, CommandLine command) {
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
        "mainstay " + BuildVersion.get(),
        "java %s (%s)".formatted(Runtime.version(), System.getProperty("java.vendor"))
      };
    }
  }
}
