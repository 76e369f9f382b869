package dev.mainstay.app.serve;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.UsageException;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import dev.mainstay.config.Store;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.sql.StoreReport;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mainstay store}. */
@Command(
    name = "store",
    description = "Checks a store, or moves it to PostgreSQL.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {StoreCommand.Check.class, StoreCommand.Migrate.class})
public final class StoreCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "Say what: 'store check' or 'store migrate --to URL'.");
  }

  /** Which store is meant. */
  static final class Named {
    @Option(
        names = "--store",
        paramLabel = "STORE",
        description =
            "A directory, or jdbc:postgresql://… Default: the store of --config, else"
                + " MAINSTAY_STORE, else ./mainstay-data.")
    private @Nullable String store;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "The configuration that names the store.")
    private @Nullable Path config;

    String spool() {
      return config == null
          ? Store.DEFAULTS.spool()
          : Configs.load(config, System.getenv()).store().spool();
    }

    String url() {
      if (store != null) {
        return store;
      }
      if (config != null) {
        return Configs.load(config, System.getenv()).store().url();
      }
      var named = System.getenv("MAINSTAY_STORE");
      return named == null || named.isBlank() ? "./mainstay-data" : named;
    }
  }

  private static void print(CommandSpec spec, StoreReport report) {
    var out = spec.commandLine().getOut();
    var style = Style.detected();
    var table = Table.of("what", "number>");
    report
        .counts()
        .forEach((what, number) -> table.row(what, String.format(Locale.ROOT, "%,d", number)));
    table.print(out, "  ", style);
    report.notes().forEach(each -> out.println("  " + style.warn("note") + "  " + each));
    report.problems().forEach(each -> out.println("  " + style.bad("problem") + "  " + each));
    out.flush();
  }

  /** {@code mainstay store check}. */
  @Command(
      name = "check",
      description = {
        "Checks a store: its files, rows, bodies and leases, and the calls that wait for it on this"
            + " machine. The check changes nothing, and may run while gateways write the store.",
        "Exits with 0 if it finds no problem, or else with 1."
      })
  static final class Check implements Runnable {
    @Spec private CommandSpec spec;
    @Mixin private Named named = new Named();

    @Option(
        names = "--spool",
        paramLabel = "DIR",
        description =
            "The directory in which calls wait for a database. Default: the spool of --config, else"
                + " ./mainstay-spool.")
    private @Nullable String spool;

    @Override
    public void run() {
      var url = named.url();
      var report = Ledgers.check(url, spool == null ? named.spool() : spool);
      print(spec, report);
      if (!report.problems().isEmpty()) {
        throw new FailedException(
            "%d %s in %s"
                .formatted(
                    report.problems().size(),
                    report.problems().size() == 1 ? "problem" : "problems",
                    Ledgers.shown(url)));
      }
      spec.commandLine().getOut().println(Style.detected().good(Ledgers.shown(url) + " is sound"));
    }
  }

  /** {@code mainstay store migrate --to URL}. */
  @Command(
      name = "migrate",
      description = {
        "Moves every row and body of an embedded store to an empty PostgreSQL database in one"
            + " transaction. If the move fails, the database stays empty and you can start again.",
        "Stop the gateway first. The move does not change the directory."
      })
  static final class Migrate implements Runnable {
    @Spec private CommandSpec spec;
    @Mixin private Named named = new Named();

    @Option(
        names = "--to",
        required = true,
        paramLabel = "URL",
        description = "The database, jdbc:postgresql://…")
    private String to = "";

    @Override
    public void run() {
      var from = named.url();
      if (PostgresConfig.isUrl(from)) {
        throw new UsageException(
            "%s is a database: use PostgreSQL's own tools to move it"
                .formatted(Ledgers.shown(from)));
      }
      if (!PostgresConfig.isUrl(to)) {
        throw new UsageException(
            "--to is '%s', not jdbc:postgresql://…: an embedded store is moved by moving its directory"
                .formatted(to));
      }
      var report = Ledgers.migrate(from, to);
      print(spec, report);
      spec.commandLine()
          .getOut()
          .println(
              Style.detected().good("Everything arrived.")
                  + " Set store.url to this database, and put %s away: a gateway on it would act twice on what is kept."
                      .formatted(Ledgers.shown(from)));
    }
  }
}
