package dev.mainstay.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Beside a ledger that is open for writing, as it is beside a gateway that runs. */
class CallsCommandTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir Path directory;
  private Ledger ledger;

  @BeforeEach
  void record() throws Exception {
    ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.fixed(NOON));
    for (int i = 0; i < 3; i++) {
      ledger
          .recorder()
          .record(
              call("call_" + i, i == 1 ? "FATAL/billing" : null),
              attempts("call_" + i),
              List.of(new Body(0, Body.Part.REQUEST, "{\"model\":\"assistant\"}".getBytes(UTF_8))));
    }
    ledger.recorder().flush(Duration.ofSeconds(60));
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @Test
  void lsIsATableTheNewestFirst() {
    var run = Run.of("calls", "ls", "--store", directory.toString());
    assertThat(run.code()).isZero();
    assertThat(run.out().lines().map(line -> line.split(" ")[0]))
        .containsExactly("ID", "call_2", "call_1", "call_0");
    assertThat(run.out())
        .contains(
            "openai/gpt-4o", "retry,fallback", "FATAL/billing", "$0.0000025", "1.50 s", "~15");
  }

  @Test
  void lsPagesFiltersAndSpeaksJson() {
    var first = Run.of("calls", "ls", "-n", "2", "--json", "--store", directory.toString());
    var page = JsonMapper.shared().readTree(first.out());
    assertThat(page.get("calls").size()).isEqualTo(2);
    var call = page.get("calls").get(0);
    assertThat(call.get("id").asString()).isEqualTo("call_2");
    assertThat(call.get("cost_usd").decimalValue()).isEqualByComparingTo("0.0000025");
    assertThat(call.get("verdict").isNull()).isTrue();
    var second =
        Run.of(
            "calls",
            "ls",
            "--cursor",
            page.get("next").asString(),
            "--store",
            directory.toString());
    assertThat(second.out()).contains("call_0").doesNotContain("call_1");
    var failed = Run.of("calls", "ls", "--failed", "--store", directory.toString());
    assertThat(failed.out()).contains("call_1").doesNotContain("call_0");
    var tried = ls("--where", "attempts_min=1", "--where", "failed=true");
    assertThat(tried.out()).contains("call_1").doesNotContain("call_0");
    assertThat(ls("--where", "attempts_min=99").out()).isEqualTo("No calls.\n");
    var unknown = ls("--where", "colour=blue");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("there is no filter colour", "attempts_min");
  }

  private Run ls(String... options) {
    var all = new ArrayList<>(List.of("calls", "ls", "--store", directory.toString()));
    all.addAll(List.of(options));
    return Run.of(all.toArray(String[]::new));
  }

  @Test
  void showSaysWhatWasDecidedAndWhy() {
    var run = Run.of("calls", "show", "call_1", "--bodies", "--store", directory.toString());
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains(
            "attempt 1",
            "503 TRANSIENT/overloaded",
            "retry: overloaded, so it is tried again after 500 ms",
            "attempt 2",
            "after waiting 500 ms",
            "{\"model\":\"assistant\"}");
    var json =
        JsonMapper.shared()
            .readTree(
                Run.of("calls", "show", "call_1", "--json", "--store", directory.toString()).out());
    assertThat(json.get("attempts").get(0).get("failure").get("status").asInt()).isEqualTo(503);
    assertThat(json.get("attempts").get(1).get("cost_usd").isNull()).isTrue();
  }

  @Test
  void aCallThatIsNotThereIsExitCode1() {
    var run = Run.of("calls", "show", "call_9", "--store", directory.toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("this store has no call call_9");
  }

  /** Names, paths and messages come from clients and providers. */
  @Test
  void textFromOutsideNeitherBeginsALineNorDrivesTheTerminal() throws Exception {
    var evil = "x\ncall_9 forged\r\u001b[2J\u001b[31m\u009b1A\u202e";
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(
                    "call_8", evil, evil, evil, NOON, "openai", "/v1/" + evil, evil, false),
                new CallRecord.Outcome(evil, 200, null, List.of(evil), 1, null, Duration.ZERO),
                new CallRecord.Cost(null, null, "")),
            List.of(
                new AttemptRecord(
                    "call_8",
                    1,
                    evil,
                    new AttemptRecord.Times(Duration.ZERO, NOON, NOON, null, NOON),
                    new AttemptRecord.Outcome(503, evil, evil, evil, evil, evil),
                    new AttemptRecord.Use(1, 1, null, null))),
            List.of(new Body(0, Body.Part.REQUEST, evil.getBytes(UTF_8))));
    ledger.recorder().flush(Duration.ofSeconds(60));
    var store = directory.toString();
    for (var run :
        List.of(
            Run.of("calls", "ls", "--store", store),
            Run.of("calls", "show", "call_8", "--store", store),
            Run.of("calls", "show", "call_8", "--bodies", "--store", store),
            Run.of("calls", "ls", "--json", "--store", store),
            Run.of("calls", "show", evil, "--store", store))) {
      assertThat(run.out() + run.err())
          .contains("forged")
          .doesNotContain("\u001b", "\u009b", "\u202e", "\r");
    }
    assertThat(Run.of("calls", "ls", "--store", store).out().lines()).hasSize(5);
    assertThat(Run.of("calls", "show", "call_8", "--store", store).out().lines())
        .noneMatch(line -> line.startsWith("call_9"));
  }

  private static CallRecord call(String id, @Nullable String verdict) {
    return new CallRecord(
        new CallStart(
            id, null, null, null, NOON, "openai", "/v1/chat/completions", "assistant", false),
        new CallRecord.Outcome(
            verdict == null ? "openai/gpt-4o" : null,
            verdict == null ? 200 : 402,
            verdict,
            List.of("retry", "fallback"),
            2,
            null,
            Duration.ofMillis(1500)),
        new CallRecord.Cost(new Tokens(1, 2, 3, 4, 5, true), 2500L, "2026-11-21"));
  }

  private static List<AttemptRecord> attempts(String id) {
    return List.of(
        new AttemptRecord(
            id,
            1,
            "openai/gpt-4o",
            new AttemptRecord.Times(Duration.ZERO, NOON, NOON, null, NOON.plusMillis(30)),
            new AttemptRecord.Outcome(
                503,
                "{\"status\":503}",
                "TRANSIENT/overloaded",
                "openai.503",
                "retry",
                "overloaded, so it is tried again after 500 ms"),
            new AttemptRecord.Use(21, 17, null, null)),
        new AttemptRecord(
            id,
            2,
            "openai/gpt-4o",
            new AttemptRecord.Times(Duration.ofMillis(500), NOON, NOON, NOON, NOON.plusMillis(900)),
            new AttemptRecord.Outcome(200, null, null, null, "proceed", "answered"),
            new AttemptRecord.Use(21, 900, null, null)));
  }
}
