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
    description = "Kept calls that failed for good. Redrive them, or discard them.",
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
        "Say which: 'dead-letters ls', 'show ID', 'redrive ID' or 'discard ID'.");
  }

  /** What the four have in common. */
  abstract static class Asking implements Runnable {
    @Spec CommandSpec spec;
    @Mixin GatewayOption gateway;

    @Option(names = "--json", description = "One JSON object, for programs.")
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
  abstract static class AskingOne extends Asking {
    @Parameters(paramLabel = "ID", description = "The dead letter's id, from 'dead-letters ls'.")
    String id;

    String path() {
      return PATH + "/" + AdminClient.encoded(id);
    }

    @Override
    String missing() {
      return "no dead letter has the id %s: 'mainstay dead-letters ls' lists them".formatted(id);
    }
  }

  /** {@code mainstay dead-letters ls}. */
  @Command(name = "ls", description = "Lists dead letters, the newest first.")
  static final class Ls extends Asking {
    @Override
    @Nullable JsonNode ask(AdminClient client) {
      return client.get(PATH);
    }

    @Override
    String missing() {
      return "this gateway has no dead letters: is it a Mainstay?";
    }

    @Override
    void print(JsonNode body, PrintWriter out, Style style) {
      var letters = body.path("dead_letters");
      if (letters.isEmpty()) {
        out.println("No dead letters.");
        return;
      }
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
    }
  }

  /** {@code mainstay dead-letters show}. */
  @Command(name = "show", description = "Shows what was asked, and the error.")
  static final class Show extends AskingOne {
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
      out.printf("  asked        %s%n", text(body.path("path")));
      out.printf("  redriven as  %s%n", text(body.path("redriven_as")));
      out.printf("%n  request%n");
      out.println(text(body.path("request")).indent(4).stripTrailing());
      var answer = body.path("answer");
      if (answer.isObject()) {
        out.printf("%n  answer, status %s%n", text(answer.path("status")));
        out.println(text(answer.path("body")).indent(4).stripTrailing());
      }
    }
  }

  /** {@code mainstay dead-letters redrive}. */
  @Command(
      name = "redrive",
      description = "Makes its call again, under a new id. Once: a second try is refused.")
  static final class Redrive extends AskingOne {
    @Override
    @Nullable JsonNode ask(AdminClient client) {
      return client.post(path() + "/redrive");
    }

    @Override
    void print(JsonNode body, PrintWriter out, Style style) {
      out.printf("Redriven as %s.%n", text(body.path("call")));
    }
  }

  /** {@code mainstay dead-letters discard}. */
  @Command(name = "discard", description = "Lets it be: it cannot be redriven any more.")
  static final class Discard extends AskingOne {
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
