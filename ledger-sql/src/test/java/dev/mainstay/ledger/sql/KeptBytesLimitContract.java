package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.state.Claims.Claim;
import dev.mainstay.ledger.state.KeptCalls.Accepted;
import dev.mainstay.ledger.state.KeptCalls.Request;
import dev.mainstay.ledger.state.KeptCalls.Status;
import dev.mainstay.ledger.state.StoredAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is kept stays within its bytes; what goes is what does least harm. */
public abstract class KeptBytesLimitContract extends StateContract {
  private static final Duration MONTH = Duration.ofDays(30);

  /** Ten rows of a thousand bytes each, which count as some 1.5 KB. */
  private static final long TEN = 15_500;

  private int minute;

  @Override
  long roomAtFirst() {
    return TEN;
  }

  private Instant tick() {
    return NOON.plus(Duration.ofMinutes(minute++));
  }

  private static StoredAnswer answer(String call, int bytes) {
    return new StoredAnswer(call, 200, false, List.of(), new byte[bytes]);
  }

  private Accepted accept(String call, int bytes) {
    var request = new Request("a", true, null, "h", "/p", "", List.of(), new byte[bytes]);
    var at = tick();
    return now(state.keptCalls().accept(call, request, at, at.plus(MONTH)));
  }

  private void ended(String call, @Nullable String verdict, int bytes) {
    now(state.keptCalls().ended(call, verdict, answer(call, bytes), tick()));
  }

  private Claim claim(String key, String call) {
    return now(state.claims().claim("a", key, "h", call, tick(), NOON.plus(MONTH)));
  }

  private void answered(String key) {
    claim(key, "call_" + key);
    now(state.claims().keep("a", key, answer("call_" + key, 1000)));
  }

  private @Nullable Status stand(String call) {
    var found = now(state.keptCalls().find(call));
    return found.isEmpty() ? null : found.getFirst().stand();
  }

  @Test
  void theOldestAnswersGoFirstWhereverTheyAreAndNothingThatIsOwed() {
    accept("dead", 500);
    ended("dead", "FATAL/auth", 500);
    accept("runs", 1000);
    answered("k1");
    accept("done", 1000);
    ended("done", null, 1000);
    for (int i = 2; i < 8; i++) {
      answered("k" + i);
    }
    assertThat(state.kept().forgotten()).isZero();
    assertThat(state.kept().bytes()).isLessThanOrEqualTo(TEN);
    answered("k8");
    assertThat(claim("k1", "other")).as("the oldest").isEqualTo(new Claim.Fresh(false));
    assertThat(stand("done")).isEqualTo(Status.ANSWERED);
    answered("k9");
    assertThat(stand("done")).as("the next").isNull();
    assertThat(claim("k2", "other")).isInstanceOf(Claim.Answered.class);
    for (int i = 10; i < 30; i++) {
      answered("k" + i);
    }
    assertThat(stand("dead")).isEqualTo(Status.DEAD);
    assertThat(now(state.keptCalls().find("dead")).getFirst().request().body()).hasSize(500);
    assertThat(stand("runs")).isEqualTo(Status.RUNNING);
    assertThat(state.kept().forgotten()).isEqualTo(22);
    assertThat(state.kept().bytes()).isLessThanOrEqualTo(TEN);
    assertThat(state.kept().full()).as("answers make room").isFalse();
  }

  @Test
  void whereWhatIsOwedFillsItNothingMoreIsAccepted() {
    for (int i = 0; i < 10; i++) {
      assertThat(accept("call_" + i, 1000)).isEqualTo(new Accepted.Fresh());
    }
    assertThat(accept("late", 1000)).isEqualTo(new Accepted.Full());
    assertThat(stand("late")).isNull();
    assertThat(state.kept().full()).isTrue();
    assertThat(state.kept().refused()).isEqualTo(1);
    ended("call_0", "FATAL/auth", 0);
    assertThat(accept("late", 1000)).as("a dead letter is owed").isEqualTo(new Accepted.Full());
    now(state.keptCalls().discard("call_0"));
    assertThat(accept("late", 1000)).isEqualTo(new Accepted.Fresh());
    assertThat(state.kept().full()).isFalse();
    assertThat(stand("call_0")).as("it made room").isNull();
  }

  @Test
  void aSmallerBoundHoldsFromTheNextStartOn() throws Exception {
    for (int i = 0; i < 10; i++) {
      answered("k" + i);
    }
    reopen(NOON, TEN / 2);
    assertThat(claim("k4", "other")).isEqualTo(new Claim.Fresh(false));
    assertThat(claim("k6", "other")).isInstanceOf(Claim.Answered.class);
    assertThat(state.kept().bytes()).isLessThanOrEqualTo(TEN / 2);
  }

  /** The totals are kept by triggers; whatever is done, they are the sums of the rows. */
  @Test
  void theTotalsAreTheSumsOfTheRows() throws Exception {
    long seed = Long.getLong("mainstay.seed", 7);
    var random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      var call = "call_" + random.nextInt(12);
      int bytes = random.nextInt(2000);
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          if (stand(call) == null) accept(call, bytes);
        }
        case 2 -> ended(call, null, bytes);
        case 3 -> ended(call, "FATAL/auth", bytes);
        case 4 -> now(state.keptCalls().redrive(call, "again_" + i, tick(), NOON.plus(MONTH)));
        case 5 -> now(state.keptCalls().discard(call));
        case 6 -> answered("k" + random.nextInt(6));
        default ->
            now(
                state
                    .claims()
                    .claim(
                        "a",
                        "k" + random.nextInt(6),
                        "h",
                        call,
                        NOON.plus(MONTH),
                        NOON.plus(MONTH)));
      }
      assertThat(totals()).as("seed %d, step %d", seed, i).isEqualTo(0);
    }
    assertThat(state.kept().forgotten()).isPositive();
  }

  /** By how much the totals differ from what the rows come to. */
  private long totals() throws Exception {
    return store.number(
        "select abs(sum(owed) - (select coalesce(sum(bytes), 0) from kept_calls where stand in"
            + " ('running', 'dead'))) + abs(sum(done) - (select coalesce(sum(bytes), 0) from"
            + " kept_calls where stand not in ('running', 'dead')) - (select"
            + " coalesce(sum(bytes), 0) from idempotency)) from kept_bytes");
  }
}
