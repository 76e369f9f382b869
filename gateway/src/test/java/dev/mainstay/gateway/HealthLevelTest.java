package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.gateway.api.HealthLevel;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each level of health, and that a worse one hides a better. */
@Timeout(180)
final class HealthLevelTest {
  private static final Recorder.Health WELL = new Recorder.Health(null, 1, 0, 0, 0, 0);

  private static HealthLevel.Facts facts(
      Recorder.Health ledger, DurableState.Kept kept, String trouble, String retries) {
    var config =
        Harness.parsed(
            """
            providers: { one: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] } }
            models: { assistant: { targets: [one/m] } }
            """);
    return new HealthLevel.Facts(
        config,
        List.of(),
        List.of(),
        ledger,
        trouble.isEmpty() ? null : trouble,
        kept,
        retries.isEmpty() ? null : retries);
  }

  private static DurableState.Kept kept(long bytes) {
    return new DurableState.Kept(bytes, 100, 0, 0, false);
  }

  @Test
  void allWellIsZero() {
    assertThat(HealthLevel.of(facts(WELL, kept(10), "", "")))
        .isEqualTo(new HealthLevel(0, "all well"));
  }

  @Test
  void retriesAndSpoolsAreOne() {
    assertThat(HealthLevel.of(facts(WELL, kept(10), "", "9 of 10 calls")))
        .isEqualTo(new HealthLevel(1, "9 of 10 calls"));
    assertThat(HealthLevel.of(facts(WELL, kept(80), "", "")).level()).isEqualTo(1);
    var waiting = new Recorder.Health(null, 1, 7, HealthLevel.SPOOL_FILLS, 0, 0);
    assertThat(HealthLevel.of(facts(waiting, kept(10), "", "")).reason())
        .isEqualTo("7 records (64 MiB) wait for the store");
  }

  @Test
  void aStoreThatIsAwayIsThree() {
    var away = new Recorder.Health("the disk is full", 1, 0, 0, 0, 0);
    assertThat(HealthLevel.of(facts(away, kept(10), "", "")))
        .isEqualTo(new HealthLevel(3, "records cannot be written: the disk is full"));
    assertThat(HealthLevel.of(facts(WELL, kept(10), "Mainstay cannot write the state", "")).level())
        .isEqualTo(3);
  }

  @Test
  void targetsThatAreOutAreTwoThreeOrFour() {
    try (var h =
        new Harness(
            "recovery: { breaker: { consecutive-failures: 1, open: 1h, max-open: 1h },"
                + " max-attempts: 2,"
                + " retry: { max-per-target: 1 } }\n",
            "drain: 2s")) {
      assertThat(health(h)).contains("\"level\":0,\"reason\":\"all well\"");
      h.two.then(down());
      h.chat("two/elsewhere");
      assertThat(health(h)).contains("\"level\":2,\"reason\":\"out: two/elsewhere\"");
      h.one.then(down());
      h.chat("assistant");
      assertThat(health(h)).contains("\"level\":3,\"reason\":\"one target left: assistant\"");
      h.two.then(down());
      h.post("/v1/chat/completions", Harness.ask("assistant", false), "x-mainstay-attempts", "1");
      assertThat(health(h))
          .contains("\"level\":4,\"reason\":\"no target left: assistant\"")
          .contains(
              "\"version\":", "\"time\":\"20", "\"providers\":", "\"memory\":", "\"ledger\":");
    }
  }

  @Test
  void aModelWhoseOnlyKeyHasNoQuotaLeftIsOut() {
    try (var h = new Harness("recovery: { fallback: { on: access } }\n", "drain: 2s")) {
      h.one.then(
          error(429, "insufficient_quota", "insufficient_quota", "You exceeded your quota."));
      h.chat("assistant");
      assertThat(health(h)).contains("\"level\":3,\"reason\":\"one target left: assistant\"");
    }
  }

  private static java.util.function.Consumer<dev.mainstay.http.Exchange> down() {
    return error(500, "server_error", "", "The server had an error");
  }

  private static String health(Harness h) {
    return h.get("/health").body();
  }
}
