package dev.mainstay.app.admin;

import dev.mainstay.app.FailedException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/**
 * A command that asks a running gateway for one thing, and prints the answer for people or for
 * programs.
 */
public abstract class AdminCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private GatewayOption gateway;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** The gateway's answer; null where it does not know what was asked for. */
  protected abstract @Nullable JsonNode ask(AdminClient client);

  /** Why there is no answer, and what to do. */
  protected abstract String unknown();

  /** Prints the answer for people. */
  protected abstract void print(JsonNode answer, PrintWriter out);

  @Override
  public final void run() {
    var out = spec.commandLine().getOut();
    try (var client = gateway.usual()) {
      var answer = ask(client);
      if (answer == null) {
        throw new FailedException(unknown());
      }
      if (json) {
        out.println(answer);
      } else {
        print(answer, out);
      }
    }
    out.flush();
  }
}
