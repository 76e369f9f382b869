package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.log.CallStore;
import dev.mainstay.ledger.run.CallRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the log's thread does once a minute. */
@Timeout(180)
public abstract class CallRetentionContract {
  protected static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");
  private static final long MIB = 1 << 20;
  protected static final Duration MONTH = Duration.ofDays(30);
  protected static final Instant TOO_OLD = NOON.minus(MONTH).minusSeconds(10);

  /** A store that keeps calls for a month. */
  protected abstract CallStore store() throws Exception;

  /** A reader of that store, once it was opened. */
  /** One that keeps at most so many bytes. */
  protected abstract CallStore store(long maxBytes) throws Exception;

  protected abstract LedgerReader reader() throws Exception;

  @Test
  void whatIsTooOldIsDeletedAndTheRestStays() throws Exception {
    var store = store();
    store.write(EndedCalls.of(1200, "old", TOO_OLD, 1), false);
    var reader = reader();
    var runs = CallRun.Query.of("run-1", null);
    assertThat(reader.callRuns(runs)).extracting(CallRun::firstAt).containsExactly(TOO_OLD);
    store.write(EndedCalls.of(1, "new0_", NOON, 1), false);
    int passes = 1;
    while (store.retain(NOON)) {
      // Between two passes a gateway writes what has ended meanwhile.
      store.write(EndedCalls.of(1, "new" + passes + '_', NOON, 1), false);
      passes++;
    }
    assertThat(passes).as("a little at a time").isEqualTo(3);
    assertThat(reader.call("old0")).isNull();
    assertThat(reader.call("old1199")).isNull();
    for (var id : new String[] {"new0_0", "new1_0", "new2_0"}) {
      var kept = Objects.requireNonNull(reader.call(id));
      assertThat(kept.attempts()).hasSize(1);
      assertThat(reader.body(kept.bodies().getFirst())).hasSize(1);
    }
    assertThat(reader.callRuns(runs).getFirst().sums().calls())
        .as("a run that goes on keeps its sums")
        .isEqualTo(1203);
    store.retain(NOON.plus(MONTH).plus(MONTH));
    assertThat(reader.callRuns(runs)).isEmpty();
  }

  /** Calls of some seconds, each with a body that no other has. */
  @Test
  void withoutRoomTheOldestGoAndTheNewestStay() throws Exception {
    var store = store(MIB);
    int seconds = 40;
    for (int i = 0; i < seconds; i++) {
      store.write(EndedCalls.of(100, "call" + i + '_', NOON.plusSeconds(i), 1000), false);
    }
    for (int minute = 0; minute < 3; minute++) {
      while (store.retain(NOON.plusSeconds(seconds))) {
        continue;
      }
    }
    var reader = reader();
    assertThat(reader.calls(CallQuery.newest(1000)).calls())
        .as("as many as there is room for")
        .hasSizeGreaterThan(300);
    assertThat(reader.call("call0_0")).isNull();
    for (int i = 0; i < 100; i++) {
      assertThat(reader.call("call" + (seconds - 1) + '_' + i)).isNotNull();
    }
    store.write(EndedCalls.of(1, "next", NOON.plusSeconds(seconds), 1000), false);
    assertThat(reader.call("next0")).isNotNull();
  }
}
