package dev.mainstay.ledger.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.run.RunStore.Appended;
import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Entry;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.run.RunStore.NewRun;
import dev.mainstay.ledger.run.RunStore.Origin;
import dev.mainstay.ledger.sql.TestStore;
import dev.mainstay.ledger.sql.TestStore.Opened;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.ledger.state.Budgets.Account;
import dev.mainstay.ledger.state.Budgets.Allowance;
import dev.mainstay.ledger.state.Budgets.Reservation;
import dev.mainstay.ledger.state.Claims.Claim;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.Instances.Place;
import dev.mainstay.ledger.state.KeptCalls.Request;
import dev.mainstay.ledger.state.KeptCalls.Unfinished;
import dev.mainstay.ledger.state.StoredAnswer;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several processes on one database. A process that dies or pauses: {@code ManyGatewaysTest}. */
@Timeout(180)
class LeasesTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final Instant LATER = NOON.plus(Duration.ofDays(1));
  private static final Allowance TEAM = new Allowance("team", 0, 100);

  private PostgresTestStore store;
  private Opened one;
  private Opened two;

  @BeforeEach
  void open() throws Exception {
    store = new PostgresTestStore();
    one = store.open(NOON, TestStore.ROOMY);
    two = store.open(NOON, TestStore.ROOMY);
  }

  @AfterEach
  void close() {
    one.close().run();
    two.close().run();
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static Claim claim(DurableState by, String key, String call) {
    return now(by.claims().claim("a", key, "h", call, NOON, LATER));
  }

  private static StoredAnswer answer(String call) {
    return new StoredAnswer(call, 200, false, List.of(), call.getBytes(UTF_8));
  }

  private static Request request() {
    return new Request("a", true, null, "h", "/p", "", List.of(), new byte[3]);
  }

  /** Lets the other process see that the heartbeat of {@code of} has stopped. */
  private void stopHeart(DurableState of, DurableState other) throws Exception {
    try (var db = DriverManager.getConnection(store.url());
        var statement = db.createStatement()) {
      long token = of.instances().token();
      while (statement.executeUpdate("update instances set expires_at = 0 where token = " + token)
          > 0) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  @Test
  void whatOneHoldsTheOtherSeesAndCannotTouch() {
    var a = one.state();
    var b = two.state();
    assertThat(claim(a, "k", "call_1")).isEqualTo(new Claim.Fresh(false));
    assertThat(claim(b, "k", "call_2")).isEqualTo(new Claim.Held("call_1", false));
    assertThat(now(b.claims().release("a", "k", "call_1"))).isFalse();
    assertThat(now(b.claims().keep("a", "k", answer("call_1")))).isFalse();
    assertThat(now(a.claims().keep("a", "k", answer("call_1")))).isTrue();
    assertThat(claim(b, "k", "call_2")).isInstanceOf(Claim.Answered.class);

    now(a.keptCalls().accept("call_3", request(), NOON, LATER));
    assertThat(now(b.keptCalls().adopt(10))).isEmpty();
    assertThat(now(b.keptCalls().ended("call_3", null, null, NOON))).isFalse();

    now(a.budgets().reserve("call_4", List.of(TEAM), 60, NOON));
    assertThat(now(b.budgets().reserve("call_5", List.of(TEAM), 60, NOON)))
        .isEqualTo(new Reservation.Refused(TEAM, 0, 60));
    assertThat(now(b.budgets().settle("call_4", 1))).isFalse();

    now(a.alerts().raise("alert", "cause", "failure", "m", 0, NOON, Duration.ZERO));
    assertThat(now(a.alerts().due(NOON, 10))).extracting(Alert::id).containsExactly("alert");
    assertThat(now(b.alerts().due(NOON, 10))).isEmpty();
    assertThat(now(b.alerts().delivered("alert"))).isFalse();
    assertThat(now(a.alerts().delivered("alert"))).isTrue();
  }

  @Test
  void whatADeadProcessHeldIsTakenOverAndItsGhostWritesNothing() throws Exception {
    var ghost = one.state();
    var other = two.state();
    claim(ghost, "k", "call_1");
    now(ghost.budgets().reserve("call_1", List.of(TEAM), 60, NOON));
    now(ghost.keptCalls().accept("call_2", request(), NOON, LATER));
    now(ghost.alerts().raise("alert", "cause", "failure", "m", 0, NOON, Duration.ZERO));
    now(ghost.alerts().due(NOON, 10));
    var first = new Entry("input", new byte[0]);
    now(
        ghost
            .runs()
            .accept(
                new NewRun(
                    new Origin("run", "agent", "", null, null, 0), null, "h", Entries.of(first)),
                9,
                NOON,
                LATER));
    Lease lease = now(ghost.runs().claim(1, NOON)).getFirst();
    long token = ghost.instances().token();
    var heard = new CountDownLatch(3);
    other.keptCalls().onLeftBehind(heard::countDown);
    other.alerts().onLeftBehind(heard::countDown);
    other.runs().onNews(run -> heard.countDown());

    stopHeart(ghost, other);
    heard.await();

    assertThat(now(ghost.claims().keep("a", "k", answer("call_1")))).isFalse();
    assertThat(ghost.instances().token()).as("it registers again").isGreaterThan(token);
    assertThat(now(ghost.budgets().settle("call_1", 1))).isFalse();
    assertThat(now(ghost.keptCalls().ended("call_2", null, answer("call_2"), NOON))).isFalse();
    assertThat(now(ghost.alerts().delivered("alert"))).isFalse();
    assertThat(now(ghost.runs().append(lease, 1, Entries.of(first), NOON)))
        .isEqualTo(new Appended.LeaseLost());

    assertThat(claim(other, "k", "call_3")).isEqualTo(new Claim.Fresh(false));
    assertThat(now(other.budgets().accounts())).containsExactly(new Account("team", 0, 60, 0));
    assertThat(now(other.keptCalls().adopt(10))).containsExactly(new Unfinished("call_2", true, 3));
    assertThat(now(other.alerts().due(NOON, 10))).extracting(Alert::id).containsExactly("alert");
    assertThat(now(other.runs().claim(1, NOON))).extracting(Lease::run).containsExactly("run");
  }

  @Test
  void aProcessThatEndsInOrderLeavesItsCallsToTheOthers() throws Exception {
    claim(one.state(), "k", "call_1");
    now(one.state().keptCalls().accept("call_2", request(), NOON, LATER));
    var heard = new CountDownLatch(3);
    two.state().keptCalls().onLeftBehind(heard::countDown);
    two.state().alerts().onLeftBehind(heard::countDown);
    two.state().runs().onNews(run -> heard.countDown());
    one.close().run();
    heard.await();
    assertThat(claim(two.state(), "k", "call_3")).isEqualTo(new Claim.Fresh(false));
    assertThat(now(two.state().keptCalls().adopt(10))).hasSize(1);
  }

  @Test
  void processesAtOnceNeverOverspendNorShareAKey() throws Exception {
    var three = store.open(NOON, TestStore.ROOMY);
    var states = List.of(one.state(), two.state(), three.state());
    var random = new Random(7);
    var reserved = new ArrayList<CompletableFuture<Reservation>>();
    var claims = new ArrayList<CompletableFuture<Claim>>();
    var accounts = List.of(TEAM, new Allowance("other", 0, 70), new Allowance("run", 5, 90));
    for (int i = 0; i < 300; i++) {
      var state = states.get(i % 3);
      var of = new ArrayList<>(accounts);
      java.util.Collections.shuffle(of, random);
      var call = "call_" + i;
      reserved.add(state.budgets().reserve(call, of.subList(0, 2), 7, NOON).toCompletableFuture());
      claims.add(
          state.claims().claim("a", "k" + i % 11, "h", call, NOON, LATER).toCompletableFuture());
    }
    assertThat(claims.stream().filter(claim -> claim.join() instanceof Claim.Fresh)).hasSize(11);
    assertThat(reserved.stream().filter(each -> each.join() instanceof Reservation.Granted))
        .isNotEmpty();
    int full = 0;
    for (var account : now(one.state().budgets().accounts())) {
      long most =
          accounts.stream()
              .filter(each -> each.account().equals(account.account()))
              .findFirst()
              .orElseThrow()
              .nanos();
      assertThat(account.reserved()).isLessThanOrEqualTo(most);
      full += account.reserved() > most - 7 ? 1 : 0;
    }
    assertThat(full).as("no two have room for another call").isGreaterThanOrEqualTo(2);
    three.close().run();
  }

  /** PostgreSQL breaks off the wait for a lock after 2 s; the caller has more patience here. */
  @Test
  void aRowThatAnotherHoldsForLongIsTriedAgain() throws Exception {
    now(one.state().budgets().reserve("call_1", List.of(TEAM), 7, NOON));
    try (var holder = DriverManager.getConnection(store.url());
        var statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("select * from budgets for update");
      var reserved = one.state().budgets().reserve("call_2", List.of(TEAM), 7, NOON);
      long first = 0;
      while (first == 0) {
        first = waitsSince();
      }
      while (waitsSince() <= first) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      holder.rollback();
      assertThat(now(reserved)).isEqualTo(new Reservation.Granted());
    }
  }

  /** When the transaction began that waits for a lock; 0 where none does. */
  private long waitsSince() throws Exception {
    return store.number(
        "select coalesce(max((extract(epoch from xact_start) * 1000000)::bigint), 0) from"
            + " pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()");
  }

  @Test
  void processesKnowEachOtherAndHearEachOther() throws Exception {
    var heard = new LinkedBlockingQueue<String>();
    two.state().signals().on("breaker", heard::add);
    one.state().signals().on("breaker", text -> heard.add("its own"));
    // Each beats for the first time after it has begun to listen.
    while (one.state().instances().place().count() < 2
        || two.state().instances().place().count() < 2) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    assertThat(one.state().instances().place()).isEqualTo(new Place(0, 2));
    one.state().signals().send("breaker", "openai open 30");
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("openai open 30");
    assertThat(heard).isEmpty();
    assertThat(new Place(0, 3).share(10) + new Place(1, 3).share(10) + new Place(2, 3).share(10))
        .isEqualTo(10);
  }
}
