package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.state.AuditLog;
import dev.mainstay.ledger.state.Evaluations.Evaluation;
import dev.mainstay.ledger.state.FailureCases;
import dev.mainstay.ledger.state.FailureCases.Case;
import dev.mainstay.ledger.state.FailureCases.Note;
import dev.mainstay.ledger.state.SignIns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What people did, how they judged, and what they know of failures. */
public abstract class StudioContract extends StateContract {
  @Test
  void whoDidWhatIsKeptInItsOrder() {
    for (var action : List.of("signed in", "POST /api/breakers/x/reset")) {
      now(state.audit().add(new AuditLog.Entry(0, NOON, "ann", "admin", action, "127.0.0.1")));
    }
    var newest = now(state.audit().page(Long.MAX_VALUE, 1));
    assertThat(newest)
        .extracting(AuditLog.Entry::action)
        .containsExactly("POST /api/breakers/x/reset");
    assertThat(now(state.audit().page(newest.getFirst().number(), 10)))
        .extracting(AuditLog.Entry::who, AuditLog.Entry::action, AuditLog.Entry::at)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("ann", "signed in", NOON));
  }

  @Test
  void aSessionIsThereUntilItEndsAndAnAccountHasABoundedNumber() {
    var signIns = state.signIns();
    var later = Instant.now().plusSeconds(3600);
    for (int i = 0; i <= SignIns.MOST_OF_ONE; i++) {
      now(signIns.begin(new SignIns.Session("s" + i, "ann", "p" + i, later.plusSeconds(i))));
    }
    now(signIns.begin(new SignIns.Session("other", "", "p", later)));
    assertThat(now(signIns.find("s0"))).isEmpty();
    assertThat(now(signIns.find("s1")))
        .containsExactly(
            new SignIns.Session(
                "s1", "ann", "p1", later.plusSeconds(1).truncatedTo(ChronoUnit.MICROS)));
    assertThat(now(signIns.find("other"))).hasSize(1);
    assertThat(now(signIns.end("s1"))).isTrue();
    assertThat(now(signIns.end("s1"))).isFalse();
    assertThat(now(signIns.find("s1"))).isEmpty();
  }

  @Test
  void whoTriedTooOftenWaitsUntilTheOldestTryIsPast() {
    var signIns = state.signIns();
    for (int i = 0; i < SignIns.FREE; i++) {
      assertThat(now(signIns.attempt(List.of("ann", "here"), NOON.plusSeconds(i)))).isZero();
    }
    assertThat(now(signIns.attempt(List.of("ann", "elsewhere"), NOON.plusSeconds(9))))
        .isEqualTo(SignIns.WINDOW.minusSeconds(9));
    assertThat(now(signIns.attempt(List.of("bob", "here"), NOON.plusSeconds(9)))).isPositive();
    assertThat(now(signIns.attempt(List.of("bob", "elsewhere"), NOON.plusSeconds(9)))).isZero();
    assertThat(now(signIns.attempt(List.of("ann"), NOON.plus(SignIns.WINDOW)))).isZero();
    now(signIns.forgive(List.of("ann")));
    assertThat(now(signIns.attempt(List.of("ann"), NOON.plusSeconds(10)))).isZero();
  }

  @Test
  void evaluationsAreFoundByWhatTheyAreAbout() {
    var good =
        new Evaluation(0, NOON, "run-1", null, Map.of("correct", 1.0, "tone", 0.5), null, "ann");
    now(state.evaluations().add(good));
    now(state.evaluations().add(new Evaluation(0, NOON, null, "call_a", Map.of(), "wrong", "bob")));
    var all = now(state.evaluations().page(null, null, Long.MAX_VALUE, 10));
    assertThat(all).extracting(Evaluation::by).containsExactly("bob", "ann");
    assertThat(now(state.evaluations().page("run-1", null, Long.MAX_VALUE, 10)))
        .singleElement()
        .satisfies(found -> assertThat(found.metrics()).isEqualTo(good.metrics()));
    assertThat(now(state.evaluations().page(null, "call_a", Long.MAX_VALUE, 10)))
        .extracting(Evaluation::note)
        .containsExactly("wrong");
    assertThat(now(state.evaluations().page(null, null, all.getFirst().number(), 10))).hasSize(1);
  }

  private static Case seen(String id, long count, Instant at, String call) {
    return new Case(
        id,
        new FailureCases.Failure("rule", "FATAL/auth", "p/m", "no key #", "why"),
        new FailureCases.Occurrences(count, at, at, call),
        null);
  }

  @Test
  void aCaseGrowsAndIsClosedAndNoted() {
    now(
        state
            .failureCases()
            .seen(List.of(seen("b", 2, NOON, "call_a"), seen("a", 1, NOON, "call_a"))));
    var later = NOON.plusSeconds(60);
    now(state.failureCases().seen(List.of(seen("b", 3, later, "call_b"))));
    assertThat(now(state.failureCases().page(null, 10)))
        .extracting(Case::id, Case::seen)
        .containsExactly(
            tuple("b", new FailureCases.Occurrences(5, NOON, later, "call_b")),
            tuple("a", new FailureCases.Occurrences(1, NOON, NOON, "call_a")));
    assertThat(now(state.failureCases().page(new CallRun.Place(later, "b"), 10))).hasSize(1);

    assertThat(now(state.failureCases().close("b", later))).isTrue();
    assertThat(now(state.failureCases().find("b")).getFirst().closedAt()).isEqualTo(later);
    assertThat(now(state.failureCases().close("b", null))).isTrue();
    assertThat(now(state.failureCases().find("b")).getFirst().closedAt()).isNull();
    assertThat(now(state.failureCases().close("c", later))).isFalse();

    var note = new Note(NOON, "ann", "a key was rotated");
    assertThat(now(state.failureCases().note("b", note))).isTrue();
    assertThat(now(state.failureCases().note("c", note))).isFalse();
    assertThat(now(state.failureCases().notes("b"))).containsExactly(note);
  }
}
