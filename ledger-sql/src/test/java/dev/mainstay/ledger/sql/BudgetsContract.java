package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.state.Budgets.Account;
import dev.mainstay.ledger.state.Budgets.Allowance;
import dev.mainstay.ledger.state.Budgets.Reservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

public abstract class BudgetsContract extends StateContract {

  private Reservation reserve(String call, long nanos, Allowance... of) {
    return now(state.budgets().reserve(call, List.of(of), nanos, NOON));
  }

  @Test
  void whatIsReservedIsHeldAndWhatIsSettledIsSpent() {
    var team = new Allowance("team", 100, 10);
    assertThat(reserve("a", 6, team)).isEqualTo(new Reservation.Granted());
    assertThat(reserve("b", 5, team)).isEqualTo(new Reservation.Refused(team, 0, 6));
    assertThat(now(state.budgets().settle("a", 2))).isTrue();
    assertThat(now(state.budgets().settle("a", 2))).as("once").isFalse();
    assertThat(reserve("b", 8, team)).isEqualTo(new Reservation.Granted());
    assertThat(reserve("c", 1, team)).isEqualTo(new Reservation.Refused(team, 2, 8));
    assertThat(reserve("c", 0, team)).as("what is free").isEqualTo(new Reservation.Granted());
    assertThat(reserve("d", Long.MAX_VALUE, team)).isInstanceOf(Reservation.Refused.class);
    assertThat(reserve("e", 10, new Allowance("team", 200, 10)))
        .as("another period")
        .isEqualTo(new Reservation.Granted());
  }

  @Test
  void allAllowancesOrNone() {
    var team = new Allowance("team", 100, 10);
    var run = new Allowance("run", 0, 3);
    assertThat(reserve("a", 4, team, run)).isEqualTo(new Reservation.Refused(run, 0, 0));
    assertThat(reserve("b", 10, team)).isEqualTo(new Reservation.Granted());
  }

  @Test
  void whatAProcessDidNotSettleIsSpent() throws Exception {
    var team = new Allowance("team", 100, 10);
    reserve("a", 4, team);
    now(state.budgets().settle("a", 1));
    reserve("b", 5, team);
    reopen(NOON, TestStore.ROOMY);
    assertThat(now(state.budgets().accounts())).containsExactly(new Account("team", 100, 6, 0));
    assertThat(reserve("c", 5, team)).isEqualTo(new Reservation.Refused(team, 6, 0));
  }

  @Test
  void anAccountThatNobodyUsesIsForgotten() throws Exception {
    reserve("a", 4, new Allowance("team", 100, 10));
    reopen(NOON.plus(Duration.ofDays(63)), TestStore.ROOMY);
    assertThat(now(state.budgets().accounts())).isEmpty();
  }

  /** Many threads, each call costing at most what it reserved: no account ever spends more. */
  @Test
  void callsAtOnceNeverOverspend() throws Exception {
    var granted = new AtomicLong();
    for (int seed = 0; seed < 5; seed++) {
      var random = new Random(seed);
      var team = new Allowance("team", seed, 1 + random.nextInt(5000));
      var run = new Allowance("run" + seed, 0, 1 + random.nextInt(5000));
      var threads = new ArrayList<Thread>();
      var go = new CountDownLatch(1);
      for (int thread = 0; thread < 8; thread++) {
        var mine = new Random(random.nextLong());
        var name = "call_" + seed + "_" + thread + "_";
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        go.await();
                      } catch (InterruptedException e) {
                        return;
                      }
                      for (int i = 0; i < 40; i++) {
                        long bound = mine.nextInt(200);
                        var call = name + i;
                        if (reserve(call, bound, team, run) instanceof Reservation.Granted) {
                          granted.incrementAndGet();
                          now(state.budgets().settle(call, mine.nextLong(bound + 1)));
                        }
                      }
                    }));
      }
      go.countDown();
      for (var thread : threads) {
        thread.join();
      }
      for (var account : now(state.budgets().accounts())) {
        long most = account.account().equals("team") ? team.nanos() : run.nanos();
        if (account.period() == seed || account.account().equals("run" + seed)) {
          assertThat(account.spent()).isLessThanOrEqualTo(most);
          assertThat(account.reserved()).isZero();
        }
      }
    }
    assertThat(granted.get()).isPositive();
  }
}
