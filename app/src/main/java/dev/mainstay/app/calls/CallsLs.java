package dev.mainstay.app.calls;

import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import dev.mainstay.app.terminal.Values;
import dev.mainstay.gateway.admin.CallJson;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mainstay calls ls}. */
@Command(name = "ls", description = "Lists calls, newest first.")
final class CallsLs implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private StoreOption store;

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "20",
      description = "The largest number of rows, 1 to 1000. Default: ${DEFAULT-VALUE}")
  private int limit;

  @Option(
      names = "--cursor",
      paramLabel = "CURSOR",
      description = "The cursor that the previous page printed.")
  private @Nullable String cursor;

  @Option(names = "--run", paramLabel = "RUN", description = "List only calls of this run.")
  private @Nullable String run;

  @Option(names = "--client", paramLabel = "NAME", description = "List only calls of this client.")
  private @Nullable String client;

  @Option(
      names = "--target",
      paramLabel = "PROVIDER/MODEL",
      description = "List only calls that this target answered.")
  private @Nullable String target;

  @Option(names = "--failed", description = "List only calls that ended in an error.")
  private boolean failed;

  @Option(
      names = "--where",
      paramLabel = "NAME=VALUE",
      description =
          "List only calls that match a filter of GET /api/calls, such as model=assistant,"
              + " total_ms_min=5000 or from=2026-11-01. You can repeat this option.")
  private Map<String, String> where = new LinkedHashMap<>();

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public void run() {
    var query = query();
    var out = spec.commandLine().getOut();
    try (var reader = store.open()) {
      var page = reader.calls(query);
      if (json) {
        out.println(CallJson.text(page));
      } else {
        print(page, out, Style.detected());
      }
    }
    out.flush();
  }

  private CallQuery query() {
    var all = new LinkedHashMap<>(where);
    all.put("limit", Integer.toString(limit));
    put(all, "cursor", cursor);
    put(all, "run", run);
    put(all, "client", client);
    put(all, "target", target);
    put(all, "failed", failed ? "true" : null);
    try {
      return CallParameters.query(all).inBodies(true);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static void put(Map<String, String> all, String name, @Nullable String value) {
    if (value != null) {
      all.put(name, value);
    }
  }

  private static void print(CallReader.Page page, PrintWriter out, Style style) {
    if (page.calls().isEmpty() && page.next() != null) {
      out.printf("No calls so far. More: --cursor %s%n", page.next());
      return;
    }
    if (page.calls().isEmpty()) {
      out.println("No calls.");
      return;
    }
    var table =
        Table.of(
            "ID",
            "STARTED",
            "MODEL",
            "TARGET",
            "STATUS>",
            "VERDICT",
            "RECOVERY",
            "ATTEMPTS>",
            "TOKENS>",
            "COST>",
            "TOTAL>");
    for (var call : page.calls()) {
      table.row(row(call, style));
    }
    table.print(out, "", style);
    if (page.next() != null) {
      out.printf("%nMore: --cursor %s%n", page.next());
    }
  }

  private static String[] row(CallRecord call, Style style) {
    var tokens = call.tokens();
    return new String[] {
      call.id(),
      Values.time(call.startedAt()),
      Values.orDash(call.modelAsked()),
      Values.orDash(call.target()),
      Values.status(call.status(), style),
      call.verdict() == null ? "-" : style.bad(call.verdict()),
      call.recovery().isEmpty() ? "-" : style.accent(String.join(",", call.recovery())),
      Integer.toString(call.attempts()),
      tokens == null ? "-" : (tokens.estimated() ? "~" : "") + tokens.total(),
      Values.cost(call.costNanos()),
      Values.length(call.total())
    };
  }
}
