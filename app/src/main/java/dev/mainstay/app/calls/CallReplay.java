package dev.mainstay.app.calls;

import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.app.admin.AdminCommand;
import dev.mainstay.app.admin.GatewayOption;
import dev.mainstay.app.runs.Diffs;
import dev.mainstay.app.runs.ReplaySettings;
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

/** {@code mainstay calls replay ID}. */
@Command(name = "replay", description = "Repeats a call and shows the differences.")
final class CallReplay extends AdminCommand {
  @Parameters(paramLabel = "ID", description = "The call's id.")
  private String id;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "The change: model, instructions, temperature or any field of a request.")
  private Map<String, String> set = new LinkedHashMap<>();

  @Override
  protected @Nullable JsonNode ask(AdminClient client) {
    var body = JsonMapper.shared().createObjectNode();
    body.set("set", ReplaySettings.of(set));
    return client.post(
        "/api/calls/" + AdminClient.encoded(id) + "/replay",
        body.toString(),
        UUID.randomUUID().toString());
  }

  @Override
  protected String unknown() {
    return unknown(id);
  }

  @Override
  protected void print(JsonNode replay, PrintWriter out) {
    out.println("call " + replay.path("call").asString());
    Diffs.print(replay.path("diff"), out);
  }

  private static String unknown(String call) {
    return "there is no call %s; 'mainstay calls ls' lists them".formatted(call);
  }

  /** {@code mainstay calls diff A B}. */
  @Command(name = "diff", description = "Compares the answers of two calls.")
  static final class Diff extends AdminCommand {
    @Parameters(index = "0", paramLabel = "A", description = "A call's id.")
    private String a;

    @Parameters(index = "1", paramLabel = "B", description = "Another call's id.")
    private String b;

    @Override
    protected @Nullable JsonNode ask(AdminClient client) {
      return client.get(
          "/api/calls/%s/diff/%s".formatted(AdminClient.encoded(a), AdminClient.encoded(b)));
    }

    @Override
    protected String unknown() {
      return CallReplay.unknown(a + " or " + b);
    }

    @Override
    protected void print(JsonNode diff, PrintWriter out) {
      Diffs.print(diff, out);
    }
  }

  /** {@code mainstay calls tail}. */
  @Command(name = "tail", description = "Shows calls as they end, until you stop it.")
  static final class Tail implements Runnable {
    @Spec private CommandSpec spec;
    @Mixin private GatewayOption gateway;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Override
    public void run() {
      var out = spec.commandLine().getOut();
      try (var client = gateway.usual()) {
        client.events(
            "/api/live",
            event -> {
              if (json) {
                out.println(event);
              } else if (event.path("id").isString() && event.path("status").isNumber()) {
                out.println(line(event));
              }
              out.flush();
            });
      }
    }

    private static String line(JsonNode call) {
      return "%s  %s  %s  %s  %s ms"
          .formatted(
              call.path("id").asString(),
              call.path("status").asString(),
              call.path("target").asString(call.path("model").asString("-")),
              call.path("verdict").asString("ok"),
              call.path("total_ms").asString("-"));
    }
  }
}
