package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.chunk;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.Exchange;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every decision about a call but its first success is one line. */
@Timeout(180)
final class DecisionLinesTest {
  private static final String RECOVERY =
      "recovery: { retry: { initial-delay: 1ms, jitter: false } }\n";

  private static final Consumer<Exchange> DOWN = error(503, "server_error", "", "overloaded");

  private enum Decided {
    RETRY(
        "INFO",
        "TRANSIENT/overloaded at one/first: ",
        "; retry at one/first after attempt 1 of 5, waiting 1 ms: ",
        false,
        List.of(DOWN)),
    FALLBACK(
        "WARN",
        "FATAL/auth at one/first: ",
        "; fallback to two/second after attempt 1 of 5: ",
        false,
        List.of(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"))),
    CONTINUATION(
        "WARN",
        "TRANSIENT/stream_interrupted at one/first: ",
        "; continue to one/first after attempt 1 of 5",
        true,
        List.of(
            cutAfter(
                List.of(chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"), text("Hel"))))),
    REPAIR(
        "INFO",
        "LOGIC/unsupported_parameter at one/first: ",
        "; repair:drop_parameter to one/first after attempt 1 of 5",
        false,
        List.of(
            error(
                400,
                "invalid_request_error",
                "unsupported_parameter",
                "Unsupported parameter: 'x-unknown' is not supported with this model."))),
    GIVE_UP(
        "INFO",
        "LOGIC/invalid_request at one/first: ",
        "; give_up after attempt 1 of 5: ",
        false,
        List.of(error(400, "invalid_request_error", "", "messages: field is missing")));

    private final String level;
    private final String cause;
    private final String decision;
    private final boolean stream;
    private final List<Consumer<Exchange>> script;

    Decided(
        String level,
        String cause,
        String decision,
        boolean stream,
        List<Consumer<Exchange>> script) {
      this.level = level;
      this.cause = cause;
      this.decision = decision;
      this.stream = stream;
      this.script = script;
    }
  }

  @ParameterizedTest
  @EnumSource(Decided.class)
  void isOneLineWithItsCauseAndItsCount(Decided decided) {
    try (var lines = new LoggedLines();
        var h = new Harness(RECOVERY)) {
      decided.script.forEach(h.one::then);
      var answer = decided.stream ? h.chatStream("assistant") : h.chat("assistant");
      var id = header(answer, "x-mainstay-call");
      assertThat(lines.next(line -> line.contains(id)))
          .startsWith(decided.level + " " + id + " " + decided.cause)
          .contains(decided.decision)
          .doesNotContain("PLANTED", ScriptedProvider.KEY);
      h.kept.next();
      assertThat(lines.waiting(line -> line.contains(id) && !line.startsWith("DEBUG"))).isZero();
    }
  }

  @Test
  void theFirstSuccessIsNoLine() {
    try (var lines = new LoggedLines();
        var h = new Harness(RECOVERY)) {
      var first = header(h.chat("assistant"), "x-mainstay-call");
      h.one.then(DOWN);
      var second = header(h.chat("assistant"), "x-mainstay-call");
      assertThat(lines.next(line -> !line.startsWith("DEBUG")))
          .contains(second)
          .doesNotContain(first);
    }
  }

  @Test
  void aCallThatEveryTargetFailsEndsInItsLastDecision() {
    try (var lines = new LoggedLines();
        var h = new Harness(RECOVERY)) {
      h.one.otherwise(DOWN);
      h.two.otherwise(DOWN);
      var id = header(h.chat("assistant"), "x-mainstay-call");
      assertThat(lines.next(line -> line.contains("give_up")))
          .startsWith("WARN " + id + " TRANSIENT/overloaded at ")
          .contains("; give_up after attempt 5 of 5: ");
    }
  }

  @Test
  void aFirstTargetThatIsPassedOverIsNamedWithItsReason() {
    try (var lines = new LoggedLines();
        var h = new Harness(RECOVERY)) {
      h.one.otherwise(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"));
      h.two.otherwise(ScriptedProvider.json(200, ScriptedProvider.answer()));
      h.chat("assistant"); // sets aside the only key of the first target's provider
      var id = header(h.chat("assistant"), "x-mainstay-call");
      assertThat(lines.next(line -> line.contains(id)))
          .startsWith("WARN " + id + " proceed to two/second before attempt 1 of 5: ")
          .contains("not available: one/first (");
    }
  }

  @Test
  void whatPassesThroughSaysItsDecisionsToo() {
    try (var lines = new LoggedLines();
        var h = new Harness(RECOVERY)) {
      h.one.then(ScriptedProvider.reset());
      var id = header(h.post("/v1/files", "{}"), "x-mainstay-call");
      assertThat(lines.next(line -> line.contains(id)))
          .startsWith("WARN " + id + " TRANSIENT/connection_reset at one: ")
          .contains("; give_up after attempt 1 of 5: ");
    }
  }
}
