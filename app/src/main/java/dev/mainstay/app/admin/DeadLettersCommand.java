package dev.mainstay.app.admin;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import dev.mainstay.app.terminal.Values;
import java.io.PrintWriter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code mainstay dead-letters}. */
@Command(
    name = "dead-letters",
    description = "Lists, redrives and discards the calls and runs that Mainstay gave up on.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DeadLettersCommand.Ls.class,
      DeadLettersCommand.Show.class,
      DeadLettersCommand.Redrive.class,
      DeadLettersCommand.Discard.class
    })
public final class DeadLettersCommand implements Runnable {
  private static final String PATH = "/api/dead-letters";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(),
        "Choose a command: 'dead-letters ls', 'show ID', 'redrive ID' or 'discard ID'.");
  }

  /** What the four have in common. */
  abstract static class DeadLetterSubcommand implements Runnable {
    @Spec CommandSpec spec;
    @Mixin GatewayOption gateway;

    @Option(names = "--json", description = "Print one JSON object.")
    boolean json;

    abstract @Nullable JsonNode ask(AdminClient client);

    /** What it says where there is no such thing. */
    abstract String missing();

    abstract void print(JsonNode body, PrintWriter out, Style style);

    @Override
    public void run() {
      var out = spec.commandLine().getOut();
      try (var client = gateway.usual()) {
        var body = ask(client);
        if (body == null) {
          throw new FailedException(missing());
        }
        if (json) {
          out.println(body);
        } else {
          print(body, out, Style.detected());
        }
      }
      out.flush();
    }
  }

  /** One of them. */
  abstract static class OneDeadLetterSubcommand extends DeadLetterSubcommand {
    @Parameters(paramLabel = "ID", description = "The dead letter's id, from 'dead-letters ls'.")
    String id;

    String path() {
      return PATH + "/" + AdminClient.encoded(id);
    }

    @Override
    String missing() {
      return "no dead letter has the id %s; 'mainstay dead-letters ls' lists them".formatted(id);
    }
  }

  /** {@code mainstay dead-letters ls}. */
  @Command(name = "ls", description = "Lists dead letters, newest first.")
  static final class Ls extends DeadLetterSubcommand {
    @Option(
        names = {"-n", "--limit"},
        paramLabel = "N",
        description = "The largest number of rows, 1 to 1000. Default: ${DEFAULT-VALUE}")
    private int limit = 100;

    @Option(names = "--cursor", description = "The cursor that the previous page printed.")
    private @Nullable String cursor;

    @Option(
        names = "--state",
        description = "List only letters in this state: dead, redriven or discarded.")
    private @Nullable String state;

    @Override
    @Nullable JsonNode ask(AdminClient client) {
      return client.get(
          PATH + "?limit=" + limit + parameter("cursor", cursor) + parameter("state", state));
    }

    private static String parameter(String name, @Nullable String value) {
      return value == null ? "" : "&" + name + "=" + AdminClient.encoded(value);
    }

    @Override
    String missing() {
      return "this server has no dead letters; is it a Mainstay gateway?";
    }

    @Override
    void print(JsonNode body, PrintWriter out, Style style) {
      var letters = body.path("dead_letters");
      if (letters.isEmpty()) {
        out.println("No dead letters.");
        return;
      }
      var next = body.path("next");
      var table = Table.of("ID", "ENDED", "STATE", "VERDICT", "CLIENT", "PATH", "REDRIVEN AS");
      for (var letter : letters) {
        table.row(
            letter.path("id").asString(""),
            time(letter.path("ended_at")),
            letter.path("state").asString(""),
            style.bad(text(letter.path("verdict"))),
            text(letter.path("client")),
            text(letter.path("path")),
            text(letter.path("redriven_as")));
      }
      table.print(out, "", style);
      if (next.isString()) {
        out.println("More: --cursor " + next.asString());
      }
    }
  }

  /** {@code mainstay dead-letters show}. */
  @Command(name = "show", description = "Shows the request and the error of a dead letter.")
  static final class Show extends OneDeadLetterSubcommand {
    @Override
    @Nullable JsonNode ask(AdminClient client) {
      return client.get(path());
    }

    @Override
    void print(JsonNode body, PrintWriter out, Style style) {
      out.printf(
          "%s  %s  %s%n",
          text(body.path("id")), text(body.path("state")), style.bad(text(body.path("verdict"))));
      out.printf("  accepted     %s%n", time(body.path("accepted_at")));
      out.printf("  ended        %s%n", time(body.path("ended_at")));
      out.printf("  client       %s%n", text(body.path("client")));
      boolean run = body.has("run");
      var asked = run ? "agent " + text(body.path("agent")) : text(body.path("path"));
      out.printf("  asked        %s%n", asked);
      out.printf("  redriven as  %s%n", text(body.path("redriven_as")));
      if (run) {
        out.printf("  reason       %s%n", text(body.path("reason")));
        out.printf("  failure      %s%n", body.path("failure"));
      }
      out.printf("%n  %s%n", run ? "input" : "request");
      out.println(text(body.path(run ? "input" : "request")).indent(4).stripTrailing());
      var answer = body.path("answer");
      if (answer.isObject()) {
        out.printf("%n  answer, status %s%n", text(answer.path("status")));
        out.println(text(answer.path("body")).indent(4).stripTrailing());
      }
    }
  }

  /** {@code mainstay dead-letters redrive}, and {@code mainstay runs redrive}. */
  @Command(
      name = "redrive",
      description =
          "Repeats the call, or continues the run, under a new id. You can redrive a dead letter"
              + " once.")
  public static final class Redrive extends OneDeadLetterSubcommand {
    @Override
    @Nullable JsonNode ask(AdminClient client) {
      return client.post(path() + "/redrive");
    }

    @Override
    void print(JsonNode body, PrintWriter out, Style style) {
      out.printf("Redriven as %s.%n", text(body.has("run") ? body.path("run") : body.path("call")));
    }
  }

  /** {@code mainstay dead-letters discard}. */
  @Command(
      name = "discard",
      description = "Discards a dead letter. You cannot redrive it afterwards.")
  static final class Discard extends OneDeadLetterSubcommand {
    @Override
    @Nullable JsonNode ask(AdminClient client) {
      return client.post(path() + "/discard");
    }

    @Override
    void print(JsonNode body, PrintWriter out, Style style) {
      out.printf("Discarded %s.%n", text(body.path("dead_letter")));
    }
  }

  private static String text(JsonNode node) {
    return node.isNull() || node.isMissingNode() ? "-" : node.asString();
  }

  private static String time(JsonNode node) {
    return node.isString() ? Values.time(Instant.parse(node.asString())) : "-";
  }
}
