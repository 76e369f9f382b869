package dev.mainstay.app.calls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Values;
import dev.mainstay.gateway.admin.CallJson;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.Tokens;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstay calls show ID}. */
@Command(
    name = "show",
    description = "Shows a call: each attempt with its verdict, its decision and the reason.")
final class CallsShow implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private StoreOption store;

  @Parameters(paramLabel = "ID", description = "The call's id, as in the header x-mainstay-call.")
  private String id;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Option(names = "--bodies", description = "Also show the bodies, as they were on the wire.")
  private boolean bodies;

  @Override
  public void run() {
    var out = spec.commandLine().getOut();
    try (var reader = store.open()) {
      var stored = reader.call(id);
      if (stored == null) {
        throw new LedgerException(
            "this store has no call %s: the call may be too old, or in another store (--store)"
                .formatted(id));
      }
      if (json) {
        out.println(CallJson.text(stored));
      } else {
        print(stored, reader, out, Style.detected());
      }
    }
    out.flush();
  }

  private void print(StoredCall stored, CallReader reader, PrintWriter out, Style style) {
    var call = stored.call();
    out.println(style.bold(call.id()) + "  " + outcome(call, style));
    line(out, "started", Values.time(call.startedAt()));
    line(
        out,
        "asked",
        "%s %s%s, model %s"
            .formatted(
                call.dialect(),
                call.path(),
                call.stream() ? " (stream)" : "",
                Values.orDash(call.modelAsked())));
    line(out, "answered by", call.target());
    line(out, "run", call.run());
    line(out, "parent", call.parent());
    line(out, "client", call.client());
    line(out, "recovery", call.recovery().isEmpty() ? null : String.join(", ", call.recovery()));
    line(out, "tokens", call.tokens() == null ? null : tokens(call.tokens()));
    line(
        out,
        "cost",
        call.costNanos() == null
            ? "unknown"
            : "%s (prices of %s)".formatted(Values.cost(call.costNanos()), call.priceVersion()));
    line(
        out,
        "time",
        "%s%s"
            .formatted(
                Values.length(call.total()),
                call.firstToken() == null
                    ? ""
                    : ", first token after " + Values.length(call.firstToken())));
    if (stored.attempts().isEmpty()) {
      line(out, "attempts", withoutAttempt(call));
    }
    stored.attempts().forEach(attempt -> print(attempt, out, style));
    if (bodies) {
      for (var body : stored.bodies()) {
        var whose = body.attempt() == 0 ? "client" : "attempt " + body.attempt();
        out.printf("%n%s%n", style.bold("%s, %s".formatted(body.part().wireName(), whose)));
        out.println(new String(reader.body(body), UTF_8));
      }
    }
  }

  private static String withoutAttempt(CallRecord call) {
    return call.recovery().contains("memory")
        ? "none: the same request had failed repeatedly, and Mainstay answered from memory"
        : "none: Mainstay made no attempt";
  }

  private static String outcome(CallRecord call, Style style) {
    var status = Values.status(call.status(), style);
    return call.verdict() == null ? status : status + " " + style.bad(call.verdict());
  }

  /** An attempt: what went wrong, what it means, and what was done about it and why. */
  public static void print(AttemptRecord attempt, PrintWriter out, Style style) {
    out.printf(
        "%n  attempt %d  %s%s%n",
        attempt.number(),
        attempt.target(),
        attempt.waited().isZero() ? "" : "  after waiting " + Values.length(attempt.waited()));
    var came =
        attempt.verdict() == null
            ? style.good(attempt.status() == null ? "answered" : attempt.status() + " answered")
            : style.bad(
                (attempt.status() == null ? "no reply" : attempt.status().toString())
                    + " "
                    + attempt.verdict());
    out.printf(
        "    came back  %s  in %s%n",
        came, Values.length(java.time.Duration.between(attempt.startedAt(), attempt.endedAt())));
    if (attempt.rule() != null) {
      out.printf("    rule       %s%n", attempt.rule());
    }
    out.printf("    decision   %s: %s%n", style.accent(attempt.decision()), attempt.reason());
    if (attempt.failure() != null) {
      out.printf("    facts      %s%n", style.faint(attempt.failure()));
    }
    if (attempt.tokens() != null) {
      out.printf(
          "    used       %s, %s%n", tokens(attempt.tokens()), Values.cost(attempt.costNanos()));
    }
  }

  private static String tokens(Tokens tokens) {
    return "%s%d in, %d cached, %d cache write, %d out, %d reasoning"
        .formatted(
            tokens.estimated() ? "about " : "",
            tokens.input(),
            tokens.cachedInput(),
            tokens.cacheWrite(),
            tokens.output(),
            tokens.reasoning());
  }

  private static void line(PrintWriter out, String name, @Nullable String value) {
    if (value != null) {
      out.printf("  %-12s %s%n", name, value);
    }
  }
}
