package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.ledger.state.Budgets.Account;
import dev.mainstay.ledger.state.Budgets.Allowance;
import dev.mainstay.ledger.state.KeptCalls.Request;
import dev.mainstay.ledger.state.KeptCalls.Unfinished;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The connection breaks in a commit: what was leased is leased to nobody who does not know it. */
public abstract class LostReplyContract extends StateContract {
  /** When the connection breaks. */
  enum Breaks {
    BEFORE_COMMIT,
    AFTER_COMMIT
  }

  private final AtomicReference<Breaks> breaks = new AtomicReference<>();
  private final AtomicBoolean breaksAtOnce = new AtomicBoolean();
  private SqlState lossy;

  @BeforeEach
  void openLossy() throws Exception {
    lossy = new SqlState(database(), "lossy", Duration.ofMinutes(10), () -> NOON, 1 << 20);
    lossy.start();
  }

  @AfterEach
  void closeLossy() {
    lossy.close();
  }

  private Database database() {
    var real = store.database();
    return (Database)
        Proxy.newProxyInstance(
            Database.class.getClassLoader(),
            new Class<?>[] {Database.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("disconnects")
                  && arguments[0] instanceof SQLException failure
                  && "08006".equals(failure.getSQLState())) {
                return true;
              }
              if (method.getName().equals("begin") && breaksAtOnce.getAndSet(false)) {
                throw new SQLException("the connection broke", "08006");
              }
              var when = method.getName().equals("commit") ? breaks.getAndSet(null) : null;
              if (when == Breaks.BEFORE_COMMIT) {
                throw new SQLException("the connection broke", "08006");
              }
              Object result;
              try {
                result = method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (when == Breaks.AFTER_COMMIT) {
                throw new SQLException("the connection broke", "08006");
              }
              return result;
            });
  }

  /**
   * The next commit is that of {@code operation}, and its caller does not hear that it went well.
   */
  private void loses(Breaks when, Supplier<CompletionStage<?>> operation) {
    // Behind all that was written before.
    now(lossy.keptCalls().find("none"));
    breaks.set(when);
    assertThatThrownBy(() -> now(operation.get())).hasMessageContaining("the connection broke");
    while (lossy.trouble() != null) {
      Thread.onSpinWait();
    }
  }

  /** As after a restart of the database: the connection is dead, and a new one can be had. */
  @Test
  void whatAConnectionThatBrokeBeforeCannotDoANewOneDoes() {
    now(lossy.keptCalls().find("none"));
    breaksAtOnce.set(true);
    now(lossy.keptCalls().accept("call_1", request(), NOON, NOON.plusSeconds(1)));
    assertThat(breaksAtOnce).isFalse();
    assertThat(lossy.failed()).isZero();
    assertThat(now(lossy.keptCalls().find("call_1"))).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void itsRunsAreClaimedAgainAndThoseInHandAreNot(Breaks when) {
    var runs = lossy.runs();
    accept(runs, "run_1");
    var inHand = now(runs.claim(1, NOON)).getFirst();
    accept(runs, "run_2");
    loses(when, () -> runs.claim(1, NOON));
    assertThat(now(runs.claim(9, NOON))).extracting(Lease::run).containsExactly("run_2");
    assertThat(now(runs.holds(inHand))).isTrue();
  }

  private static void accept(RunStore runs, String id) {
    var first = RunStore.Entries.of(new RunStore.Entry("said", new byte[0]));
    now(
        runs.accept(
            new RunStore.NewRun(
                new RunStore.Origin(id, "helper", "", null, null, 0), null, "h", first),
            9,
            NOON,
            NOON.plusSeconds(1)));
  }

  @ParameterizedTest
  @EnumSource
  void itsCallsAreAdoptedAgainAndThoseInHandAreNot(Breaks when) {
    var calls = lossy.keptCalls();
    accept("call_1");
    now(calls.accept("in_hand", request(), NOON, NOON.plusSeconds(1)));
    now(state.keptCalls().giveBack("call_1"));
    loses(when, () -> calls.adopt(9));
    assertThat(now(calls.adopt(9))).containsExactly(new Unfinished("call_1", true, 3));
    assertThat(now(calls.ended("in_hand", null, null, NOON))).isTrue();
    assertThat(now(calls.ended("call_1", null, null, NOON))).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aCallThatWasNotSeenToBeAcceptedIsForgotten(Breaks when) {
    var calls = lossy.keptCalls();
    loses(when, () -> calls.accept("call_1", request(), NOON, NOON.plusSeconds(1)));
    assertThat(now(calls.find("call_1"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void ofTwoReservationsOfACallTheOneItKnowsOfStands(Breaks when) {
    var budgets = lossy.budgets();
    var team = List.of(new Allowance("team", 0, 100));
    now(budgets.reserve("call", team, 30, NOON));
    loses(when, () -> budgets.reserve("call", team, 20, NOON));
    assertThat(now(budgets.accounts())).containsExactly(new Account("team", 0, 0, 30));
  }

  private void accept(String call) {
    now(state.keptCalls().accept(call, request(), NOON, NOON.plusSeconds(1)));
  }

  private static Request request() {
    return new Request("a", true, null, "h", "/p", "", List.of(), new byte[3]);
  }

  @ParameterizedTest
  @EnumSource
  void itsAlertsAreForEveryInstanceToDeliver(Breaks when) {
    now(state.alerts().raise("alert", "cause", "failure", "m", 0, NOON, Duration.ZERO));
    loses(when, () -> lossy.alerts().due(NOON, 9));
    assertThat(now(state.alerts().due(NOON, 9))).extracting(Alert::id).containsExactly("alert");
  }
}
