package dev.mainstay.app.runs;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.app.admin.AdminCommand;
import dev.mainstay.app.admin.GatewayOption;
import dev.mainstay.app.terminal.Style;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code mainstay runs replay ID}. */
@Command(
    name = "replay",
    description = {
      "Repeats a run: from its record up to a step, live after it.",
      "Tools that change the world return their recorded results; --live calls them."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the replay completed, or every request matches the record",
      "1:the replay did not complete, or a request differs",
      "2:bad usage"
    })
final class RunReplay implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private GatewayOption gateway;

  @Parameters(paramLabel = "ID", description = "The run's id.")
  private String id;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "The change: model, instructions, temperature, tools.")
  private Map<String, String> set = new LinkedHashMap<>();

  @Option(
      names = "--from",
      paramLabel = "STEP",
      defaultValue = "1",
      description = "The first live step. Default: ${DEFAULT-VALUE}, all of them.")
  private int from;

  @Option(
      names = "--verify",
      description =
          "Only build every request from the record and compare it with the request that was sent.")
  private boolean verify;

  @Option(names = "--samples", defaultValue = "1", description = "The number of runs, 1 to 20.")
  private int samples;

  @Option(names = "--live", description = "Call tools that change the world, under new keys.")
  private boolean live;

  @Option(names = "--json", description = "Print one JSON object per line.")
  private boolean json;

  @Override
  public void run() {
    var out = spec.commandLine().getOut();
    var body = JsonMapper.shared().createObjectNode();
    body.set("set", ReplaySettings.of(set));
    body.put("mode", verify ? "verify" : "fork");
    if (!verify) {
      body.put("from_step", from).put("samples", samples);
      body.put("effects", live ? "live" : "recorded");
    }
    try (var client = gateway.usual()) {
      var path = "/api/runs/" + AdminClient.encoded(id) + "/replay";
      var answer = client.post(path, body.toString(), UUID.randomUUID().toString());
      if (answer == null) {
        throw new FailedException(RunsCommand.unknown(id));
      }
      if (verify) {
        verified(answer, out);
      } else {
        forked(client, answer, out);
      }
    } finally {
      out.flush();
    }
  }

  private void verified(JsonNode answer, PrintWriter out) {
    boolean equal = answer.path("equal").asBoolean();
    if (json) {
      out.println(answer);
    } else if (equal) {
      out.println("All %s requests match the record.".formatted(answer.path("requests")));
    } else {
      var divergence = answer.path("divergence");
      out.println("The request of step %s differs:".formatted(divergence.path("step")));
      out.println(Diffs.coloured(divergence.path("diff").asString("not kept"), Style.detected()));
    }
    if (!equal) {
      throw new FailedException("a request differs from the record");
    }
  }

  private void forked(AdminClient client, JsonNode answer, PrintWriter out) {
    boolean all = true;
    for (var run : answer.path("runs")) {
      if (!json) {
        out.println("run " + run.asString());
      }
      var end = RunEvents.follow(client, run.asString(), json, out);
      all &= end.path("status").asString("").equals("completed");
      if (!json) {
        out.println();
        Diffs.print(
            RunDrive.there(
                client.get(
                    "/api/runs/%s/diff/%s"
                        .formatted(AdminClient.encoded(id), AdminClient.encoded(run.asString()))),
                "run " + id),
            out);
      }
    }
    if (!all) {
      throw new FailedException("not every replay completed");
    }
  }

  /** {@code mainstay runs diff A B}. */
  @Command(name = "diff", description = "Compares two runs: steps, text, tokens, cost, time.")
  static final class Diff extends AdminCommand {
    @Parameters(index = "0", paramLabel = "A", description = "A run's id.")
    private String a;

    @Parameters(index = "1", paramLabel = "B", description = "Another run's id.")
    private String b;

    @Override
    protected @Nullable JsonNode ask(AdminClient client) {
      return client.get(
          "/api/runs/%s/diff/%s".formatted(AdminClient.encoded(a), AdminClient.encoded(b)));
    }

    @Override
    protected String unknown() {
      return "there is no run %s, or no run %s".formatted(a, b);
    }

    @Override
    protected void print(JsonNode diff, PrintWriter out) {
      Diffs.print(diff, out);
    }
  }
}
