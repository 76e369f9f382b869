package dev.mainstay.app.runs;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.admin.GatewayOption;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** {@code mainstay run AGENT INPUT}. */
@Command(
    name = "run",
    description = "Starts a run of an agent, shows its events live, and ends with its answer.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the run completed", "1:the run did not complete", "2:bad usage"})
public final class RunCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private GatewayOption gateway;

  @Parameters(index = "0", paramLabel = "AGENT", description = "The agent's name.")
  private String agent;

  @Parameters(index = "1", paramLabel = "INPUT", description = "The agent's input.")
  private String input;

  @Option(names = "--key", description = "The idempotency key. Default: a new one.")
  private String key = UUID.randomUUID().toString();

  @Option(names = "--session", description = "The session that the run continues.")
  private String session;

  @Option(names = "--json", description = "Print one JSON object per line.")
  private boolean json;

  @Override
  public void run() {
    var out = spec.commandLine().getOut();
    try (var client = gateway.usual()) {
      var body = JsonMapper.shared().createObjectNode().put("agent", agent).put("input", input);
      if (session != null) {
        body.put("session", session);
      }
      var started = client.post("/api/runs", body.toString(), key);
      if (started == null) {
        throw new FailedException("the gateway has no agent named " + agent);
      }
      var run = started.path("run").asString();
      out.println(json ? started : "run " + run);
      out.flush();
      var end = RunEvents.follow(client, run, json, out);
      if (!json && end.path("output").isString()) {
        out.println();
        out.println(end.path("output").stringValue());
      }
      out.flush();
      if (!end.path("status").asString().equals("completed")) {
        throw new FailedException(
            "the run %s: %s".formatted(end.path("status").asString("did not end"), run));
      }
    }
  }
}
