package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole path: client, gateway, brain, providers that fail, ledger. */
class DemoCommandTest {

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void everyCallEndsAsItShould() {
    var run = Run.of("demo", "--once");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).doesNotContain("WRONG").contains("Every call ended as it should.");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("TRANSIENT/rate_limit", "the same target again in 1.0 s")
        .contains("FATAL/quota_exhausted", "another of its keys at once")
        .contains("on to backup/gpt-4o at once")
        .contains("TRANSIENT/connection_reset")
        .contains("it goes on with what was delivered", "repaired: tool-name")
        .contains("on to claude/claude-sonnet-4-5 at once")
        .contains("asked 2 times with 1 key: paid 1 time", "Order 4711 is refunded.")
        .contains("give_up", "the same request would fail again")
        .containsPattern("with Mainstay +11 +13 +10 +22 +0 ")
        .containsPattern("without +11 +13 +3 +20 +4 ");
  }
}
