package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Entry;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.run.RunStore.NewRun;
import dev.mainstay.ledger.run.RunStore.Origin;
import dev.mainstay.ledger.run.RunStore.Status;
import dev.mainstay.ledger.state.KeptCalls.Request;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is too old goes a little at a time, and nothing that is still needed goes with it. */
public abstract class RetentionContract extends StateContract {
  /** Beyond every time that anything is kept for. */
  private static final Instant MUCH_LATER = NOON.plus(Duration.ofDays(500));

  /** Rows in one transaction: the parts of all tables together. */
  private static final long MOST_AT_ONCE = 5_000;

  /** More than is deleted in two passes. */
  private static final int ROWS = 1_100;

  private static final List<String> TABLES =
      List.of(
          "idempotency",
          "budgets",
          "alerts",
          "alert_causes",
          "run_reports",
          "audit_log",
          "sign_ins",
          "sign_in_tries",
          "evaluations",
          "evaluation_metrics",
          "failure_cases",
          "case_notes");

  private static final Entry SAID = new Entry("said", new byte[3]);
  private final AtomicLong mostAtOnce = new AtomicLong();

  private void fill() throws Exception {
    var database = store.database();
    try (var db = new Db(database.connect())) {
      database.begin(db, () -> new long[0]);
      for (var insert :
          List.of(
              "idempotency (client, key, body_hash, call, claimed_at, expires_at, holder) select"
                  + " 'a', 'k' || i, 'h', 'c', at, at, 0",
              "budgets (account, period, spent, used_at) select 'a' || i, 0, 1, at",
              "alerts (id, cause, kind, message, raised_at, suppressed, delivery, tries) select 'a'"
                  + " || i, 'c', 'failure', 'm', at, 0, 'delivered', 1",
              "alert_causes (cause, raised_at, suppressed) select 'c' || i, at, 0",
              "run_reports (client, run, at, id, type, content) select 'a', 'r', at, 'i' || i,"
                  + " 'note', ?",
              "sign_ins (digest, account, proof, expires_at) select 'd' || i, 'a', 'p', at",
              "sign_in_tries (who, at) select 'w', at",
              "audit_log (at, who, role, action, origin) select at, 'w', 'r', 'a', 'o'",
              "evaluations (at, author) select at, 'a'",
              "evaluation_metrics (evaluation, name, value) select i, 'm', 1",
              "failure_cases (id, rule, verdict, target, message, reason, count, first_seen,"
                  + " last_seen, last_call) select 'f' || i, 'r', 'v', 't', 'm', 'r', 1, at, at,"
                  + " 'c'",
              "case_notes (failure_case, at, author, content) select 'f' || i, at, 'a', 'c'")) {
        var sql =
            "with recursive n(i, at) as (select 1, cast(%d as bigint) union all select i + 1, at from n where i < %d) insert into %s from n"
                .formatted(Micros.of(NOON), ROWS, insert);
        if (sql.contains("?")) {
          db.update(sql, new byte[] {1});
        } else {
          db.update(sql);
        }
      }
      database.commit(db);
    }
  }

  private Lease claimed(String run, @Nullable String parent) {
    now(
        state
            .runs()
            .accept(
                new NewRun(new Origin(run, "a", "", parent, null, 0), null, "h", Entries.of(SAID)),
                999,
                NOON,
                NOON.plusSeconds(1)));
    return now(state.runs().claim(1, NOON)).getFirst();
  }

  private void ended(String run, @Nullable String parent) {
    now(state.runs().end(claimed(run, parent), 1, Entries.of(SAID), "completed", null, NOON));
  }

  @Test
  void whatIsOldGoesALittleAtATimeAndWhatIsNeededStays() throws Exception {
    fill();
    for (int i = 0; i < 30; i++) {
      ended("old_" + i, null);
    }
    now(state.runs().park(claimed("parked", null), 1, Entries.of(SAID), null, 0, NOON));
    ended("child_of_parked", "parked");
    claimed("running", null);
    var request = new Request("a", true, null, "h", "/p", "", List.of(), new byte[3]);
    now(state.keptCalls().accept("runs_yet", request, NOON, NOON));
    now(state.keptCalls().accept("answered", request, NOON, NOON));
    now(state.keptCalls().ended("answered", null, null, NOON));

    try (var later = watched()) {
      later.start();
      // Between two passes there is room for what gateways do.
      now(later.keptCalls().accept("new", request, MUCH_LATER, MUCH_LATER.plusSeconds(1)));
      for (var table : TABLES) {
        while (store.number("select count(*) from " + table) > 0) {
          Thread.onSpinWait();
        }
      }
      while (store.number("select count(*) from runs") > 3) {
        Thread.onSpinWait();
      }
      for (var run : List.of("parked", "child_of_parked", "running")) {
        assertThat(now(later.runs().find(run))).as(run).hasSize(1);
      }
      assertThat(now(later.runs().find("parked")).getFirst().status()).isEqualTo(Status.PARKED);
      assertThat(now(later.runs().read("parked", 0, 9))).hasSize(2);
      assertThat(now(later.runs().read("child_of_parked", 0, 9))).hasSize(2);
      assertThat(store.number("select count(*) from journal")).isEqualTo(5);
      assertThat(now(later.keptCalls().find("runs_yet"))).hasSize(1);
      assertThat(now(later.keptCalls().find("new"))).hasSize(1);
      assertThat(now(later.keptCalls().find("answered"))).isEmpty();
    }
    assertThat(mostAtOnce.get()).isBetween(1L, MOST_AT_ONCE);
  }

  /** A process of a much later time, of which we know how many rows its commits changed. */
  private SqlState watched() {
    var real = store.database();
    var before = new AtomicLong();
    var database =
        (Database)
            Proxy.newProxyInstance(
                Database.class.getClassLoader(),
                new Class<?>[] {Database.class},
                (proxy, method, arguments) -> {
                  if (arguments != null && arguments[0] instanceof Db db) {
                    if (method.getName().equals("begin")) {
                      before.set(db.changed());
                    } else if (method.getName().equals("commit")) {
                      long changed = db.changed() - before.get();
                      mostAtOnce.accumulateAndGet(changed, Math::max);
                    }
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return new SqlState(database, "later", Duration.ofMinutes(10), () -> MUCH_LATER, 1 << 30);
  }
}
