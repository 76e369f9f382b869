package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Accepted;
import dev.mainstay.ledger.run.RunStore.Appended;
import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Entry;
import dev.mainstay.ledger.run.RunStore.Filter;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.NewRun;
import dev.mainstay.ledger.run.RunStore.Notice;
import dev.mainstay.ledger.run.RunStore.Origin;
import dev.mainstay.ledger.run.RunStore.Posted;
import dev.mainstay.ledger.run.RunStore.Query;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.run.RunStore.Status;
import dev.mainstay.ledger.run.RunStore.StoredEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs are accepted once, worked on by one, and their journals have no gaps. */
public abstract class RunsContract extends StateContract {
  private static final Instant LATER = NOON.plus(Duration.ofDays(1));

  private static Entry entry(String text) {
    return new Entry("said", text.getBytes(UTF_8));
  }

  private static NewRun run(String id, @Nullable String key, String hash, int priority) {
    return new NewRun(
        new Origin(id, "helper", "team", null, "session of " + id, priority),
        key,
        hash,
        Entries.of(entry("input")));
  }

  private void accept(String id, String client, String session) {
    var run =
        new NewRun(
            new Origin(id, "helper", client, null, session, 0),
            null,
            "h",
            Entries.of(entry("input")));
    now(state.runs().accept(run, 9, NOON, LATER));
  }

  private Accepted accept(String id, @Nullable String key, String hash, int priority) {
    return now(state.runs().accept(run(id, key, hash, priority), 5, NOON, LATER));
  }

  private List<Lease> claim(int limit) {
    return now(state.runs().claim(limit, NOON));
  }

  private Run find(String id) {
    return now(state.runs().find(id)).getFirst();
  }

  private List<String> journal(String id) {
    return now(state.runs().read(id, 0, 100)).stream()
        .map(stored -> stored.sequence() + " " + new String(stored.entry().payload(), UTF_8))
        .toList();
  }

  @Test
  void aRunIsAcceptedOnceUnderItsKeyAndTheQueueIsBounded() {
    assertThat(accept("run_1", "k", "h", 0)).isEqualTo(new Accepted.Fresh());
    assertThat(accept("run_2", "k", "h", 0)).isEqualTo(new Accepted.Known("run_1"));
    assertThat(accept("run_2", "k", "other", 0)).isEqualTo(new Accepted.OtherRequest());
    for (int i = 2; i <= 5; i++) {
      assertThat(accept("run_" + i, null, "h", 0)).isEqualTo(new Accepted.Fresh());
    }
    assertThat(accept("run_6", null, "h", 0)).isEqualTo(new Accepted.Full(5));
    claim(1);
    assertThat(accept("run_6", null, "h", 0)).isEqualTo(new Accepted.Fresh());
    assertThat(journal("run_1")).containsExactly("1 input");
    assertThat(now(state.runs().list(Query.newest(2, Filter.NONE))))
        .extracting(Run::id)
        .containsExactly("run_6", "run_5");
    assertThat(
            now(
                state
                    .runs()
                    .list(
                        new Query(
                            9,
                            new CallRun.Place(NOON, "run_3"),
                            new Filter(
                                null,
                                Status.QUEUED,
                                null,
                                "helper",
                                "team",
                                null,
                                "session of run_2"),
                            NOON,
                            LATER))))
        .extracting(Run::id)
        .containsExactly("run_2");
    var one = new Filter("run_4", null, null, null, null, null, null);
    assertThat(now(state.runs().list(Query.newest(9, one))))
        .extracting(Run::id)
        .containsExactly("run_4");
  }

  @Test
  void aDeadLetterIsSettledOnceAndNothingElseIs() {
    accept("run_1", null, "h", 0);
    var content = "{}".getBytes(UTF_8);
    assertThat(now(state.runs().settle("run_1", "redrive", content, "a", NOON)))
        .isEqualTo(new Posted.NoRun());
    var lease = claim(1).getFirst();
    now(state.runs().end(lease, 1, Entries.of(entry("end")), "dead_letter", NOON));
    assertThat(now(state.runs().settle("run_1", "redrive", content, "a", NOON)))
        .isInstanceOf(Posted.Taken.class);
    assertThat(now(state.runs().settle("run_1", "discard", content, "b", NOON)))
        .isInstanceOfSatisfying(
            Posted.DecidedBefore.class,
            before -> assertThat(before.decision().kind()).isEqualTo("redrive"));
    assertThat(now(state.runs().settled(List.of("run_1", "run_2"))))
        .hasEntrySatisfying("run_1", first -> assertThat(first.kind()).isEqualTo("redrive"))
        .hasSize(1);
    assertThat(now(state.runs().settled(List.of()))).isEmpty();
  }

  @Test
  void theHighestPriorityIsClaimedFirstThenTheOldestAndEachOnce() {
    accept("run_1", null, "h", 0);
    accept("run_2", null, "h", 5);
    accept("run_3", null, "h", 0);
    assertThat(claim(2)).extracting(Lease::run).containsExactly("run_2", "run_1");
    assertThat(claim(2)).extracting(Lease::run).containsExactly("run_3");
    assertThat(claim(2)).isEmpty();
  }

  @Test
  void aSessionHasOneRunAtATimeInTheOrderTheyCame() {
    accept("run_1", "team", "talk");
    accept("run_2", "team", "talk");
    accept("run_3", "other team", "talk");
    accept("run_4", "team", "another talk");
    var leases = claim(9);
    assertThat(leases).extracting(Lease::run).containsExactly("run_1", "run_3", "run_4");
    now(state.runs().park(leases.getFirst(), 1, Entries.of(), NOON.plusSeconds(5), 0, NOON));
    assertThat(claim(9)).as("a run that waits keeps its session").isEmpty();
    var again = now(state.runs().claim(9, NOON.plusSeconds(5)));
    assertThat(again).extracting(Lease::run).containsExactly("run_1");
    now(state.runs().end(again.getFirst(), 1, Entries.of(), "failed", NOON));
    assertThat(claim(9)).extracting(Lease::run).containsExactly("run_2");
  }

  @Test
  void anEndIsToldUntilItHasArrived() {
    accept("run_1", "team", "a");
    accept("run_2", "team", "b");
    var leases = claim(2);
    var url = "http://127.0.0.1:1/ended";
    now(state.runs().end(leases.get(0), 1, Entries.of(), "completed", url, NOON));
    now(state.runs().end(leases.get(1), 1, Entries.of(), "completed", null, NOON));
    assertThat(now(state.runs().notices(9, NOON))).containsExactly(new Notice("run_1", url, 1));
    assertThat(now(state.runs().notices(9, NOON))).as("it is on its way").isEmpty();
    var later = NOON.plusSeconds(60);
    assertThat(now(state.runs().notices(9, later))).containsExactly(new Notice("run_1", url, 2));
    assertThat(now(state.runs().noticed("run_1"))).isTrue();
    assertThat(now(state.runs().noticed("run_1"))).isFalse();
    assertThat(now(state.runs().notices(9, LATER))).isEmpty();
  }

  @Test
  void anEndThatNeverArrivesIsGivenUpOn() {
    accept("run_1", "team", "a");
    now(state.runs().end(claim(1).getFirst(), 1, Entries.of(), "completed", "http://x/", NOON));
    var time = NOON;
    for (int i = 1; i <= RunStore.MOST_NOTICES; i++) {
      assertThat(now(state.runs().notices(9, time))).hasSize(1);
      time = time.plus(Duration.ofDays(1));
    }
    assertThat(now(state.runs().notices(9, time))).isEmpty();
  }

  @Test
  void entriesAreAppendedInSequenceByTheHolderAlone() {
    accept("run_1", null, "h", 0);
    var lease = claim(1).getFirst();
    var runs = state.runs();
    assertThat(lease.entries()).isEqualTo(1);
    assertThat(now(runs.append(lease, 1, Entries.of(entry("a"), entry("b")), NOON)))
        .isEqualTo(new Appended.Written(3));
    assertThat(now(runs.append(lease, 1, Entries.of(entry("again")), NOON)))
        .isEqualTo(new Appended.OutOfSequence(3));
    assertThat(now(runs.holds(lease))).isTrue();
    assertThat(now(runs.giveBack(lease))).isTrue();
    assertThat(now(runs.append(lease, 3, Entries.of(entry("late")), NOON)))
        .isEqualTo(new Appended.LeaseLost());
    var next = claim(1).getFirst();
    assertThat(next.token()).isGreaterThan(lease.token());
    assertThat(next.entries()).isEqualTo(3);
    assertThat(now(runs.holds(lease))).isFalse();
    assertThat(now(runs.giveBack(lease))).isFalse();
    assertThat(now(runs.end(lease, 3, Entries.of(), "completed", NOON)))
        .as("an earlier lease of the same process")
        .isEqualTo(new Appended.LeaseLost());
    assertThat(now(runs.park(lease, 3, Entries.of(entry("late")), null, 0, NOON)))
        .isEqualTo(new Appended.LeaseLost());
    assertThat(now(runs.append(lease, 3, Entries.of(entry("late")), NOON)))
        .isEqualTo(new Appended.LeaseLost());
    assertThat(now(runs.holds(next))).isTrue();
    assertThat(now(runs.end(next, 3, Entries.of(entry("end")), "completed", NOON)))
        .isEqualTo(new Appended.Written(4));
    assertThat(now(runs.append(next, 4, Entries.of(entry("late")), NOON)))
        .isEqualTo(new Appended.LeaseLost());
    assertThat(journal("run_1")).containsExactly("1 input", "2 a", "3 b", "4 end");
    assertThat(now(runs.read("run_1", 2, 1)))
        .extracting(stored -> stored.sequence())
        .containsExactly(3L);
    var ended = find("run_1");
    assertThat(ended.status()).isEqualTo(Status.ENDED);
    assertThat(ended.outcome()).isEqualTo("completed");
    assertThat(ended.endedAt()).isEqualTo(NOON);
    assertThat(claim(1)).isEmpty();
  }

  @Test
  void aProcessThatDiedLeavesItsRunsToTheNext() throws Exception {
    accept("run_1", null, "h", 0);
    var lease = claim(1).getFirst();
    now(state.runs().append(lease, 1, Entries.of(entry("a")), NOON));
    reopen(NOON, TestStore.ROOMY);
    assertThat(now(state.runs().append(lease, 2, Entries.of(entry("late")), NOON)))
        .isEqualTo(new Appended.LeaseLost());
    var next = claim(1).getFirst();
    assertThat(next.entries()).isEqualTo(2);
    assertThat(journal("run_1")).containsExactly("1 input", "2 a");
  }

  @Test
  void aParkedRunWakesAtItsTimeOrForAMessage() {
    accept("run_1", null, "h", 0);
    accept("run_2", null, "h", 0);
    var leases = claim(2);
    var runs = state.runs();
    var soon = NOON.plusSeconds(5);
    now(runs.park(leases.get(0), 1, Entries.of(entry("waits")), soon, 0, NOON));
    now(runs.park(leases.get(1), 1, Entries.of(), null, 0, NOON));
    assertThat(find("run_1").status()).isEqualTo(Status.PARKED);
    assertThat(claim(9)).isEmpty();
    assertThat(now(runs.claim(9, soon))).extracting(Lease::run).containsExactly("run_1");
    assertThat(now(runs.post("run_2", "message", null, "go".getBytes(UTF_8), "ann", NOON)))
        .isInstanceOf(Posted.Taken.class);
    var second = claim(9).getFirst();
    assertThat(second.run()).isEqualTo("run_2");
    // A message that its worker has not read when it parks wakes the run at once.
    long read = now(runs.messages("run_2", 0, 10)).getLast().number();
    now(runs.post("run_2", "message", null, "more".getBytes(UTF_8), "ann", NOON));
    now(runs.park(second, 1, Entries.of(), null, read, NOON));
    assertThat(claim(9)).extracting(Lease::run).containsExactly("run_2");
    assertThat(now(runs.messages("run_2", read, 10)))
        .extracting(message -> new String(message.content(), UTF_8))
        .containsExactly("more");
  }

  @Test
  void ofManyDecisionsOfOneMatterTheFirstIsTaken() {
    accept("run_1", null, "h", 0);
    var posts = new ArrayList<CompletableFuture<Posted>>();
    for (int i = 0; i < 20; i++) {
      posts.add(
          state
              .runs()
              .post("run_1", "approve", "step-7", ("" + i).getBytes(UTF_8), "p" + i, NOON)
              .toCompletableFuture());
    }
    assertThat(posts.stream().filter(each -> each.join() instanceof Posted.Taken)).hasSize(1);
    var decisions = now(state.runs().messages("run_1", 0, 100));
    assertThat(decisions).hasSize(1);
    assertThat(decisions).extracting(Message::about).containsExactly("step-7");
    for (var each : posts) {
      if (each.join() instanceof Posted.DecidedBefore before) {
        assertThat(before.decision()).usingRecursiveComparison().isEqualTo(decisions.getFirst());
      }
    }
    var lease = claim(1).getFirst();
    now(state.runs().end(lease, 1, Entries.of(), "failed", NOON));
    assertThat(now(state.runs().post("run_1", "approve", "step-8", new byte[0], "p", NOON)))
        .isEqualTo(new Posted.NoRun());
    assertThat(now(state.runs().post("run_9", "approve", "step-8", new byte[0], "p", NOON)))
        .isEqualTo(new Posted.NoRun());
  }

  @Test
  void newsIsHeardOfWhatIsQueuedPostedAndEnded() {
    var heard = new CopyOnWriteArrayList<String>();
    state.runs().onNews(heard::add);
    accept("run_1", null, "h", 0);
    accept("run_2", null, "h", 0);
    now(state.runs().post("run_1", "cancel", null, new byte[0], "ann", NOON));
    assertThat(heard).containsExactly("run_1", "run_2", "run_1");
    var leases = claim(2);
    now(state.runs().append(leases.get(1), 1, Entries.of(entry("a")), NOON));
    now(state.runs().end(leases.get(1), 2, Entries.of(), "completed", NOON));
    assertThat(heard).hasSize(4).endsWith("run_2");
  }

  @Test
  void theSummaryIsThatOfTheLastEntriesWhichHadOne() {
    var runs = state.runs();
    accept("run_1", null, "h", 0);
    assertThat(find("run_1").summary()).isNull();
    assertThat(now(runs.summarize("run_1", 2, "of another journal"))).isFalse();
    assertThat(now(runs.summarize("run_1", 1, "first"))).isTrue();
    assertThat(find("run_1").summary()).isEqualTo("first");
    var lease = claim(1).getFirst();
    now(runs.append(lease, 1, new Entries(List.of(entry("a")), "second"), NOON));
    now(runs.append(lease, 2, Entries.of(entry("b")), NOON));
    assertThat(find("run_1").summary()).isEqualTo("second");
    now(runs.append(lease, 9, new Entries(List.of(entry("c")), "out of sequence"), NOON));
    assertThat(find("run_1").summary()).isEqualTo("second");
    now(runs.end(lease, 3, new Entries(List.of(entry("end")), "third"), "completed", NOON));
    now(runs.purged("run_1", 4, new Entries(List.of(entry("purged")), "fourth"), NOON));
    assertThat(now(runs.list(Query.newest(9, Filter.NONE))))
        .extracting(Run::summary)
        .containsExactly("fourth");
    assertThat(now(runs.find(List.of("run_1", "run_2", "run_3"))))
        .extracting(Run::id)
        .containsExactly("run_1");
    assertThat(now(runs.find(List.of()))).isEmpty();
  }

  @Test
  void anEndedJournalIsReplacedAndClosedOnce() {
    accept("run_1", null, "h", 0);
    var runs = state.runs();
    now(runs.post("run_1", "message", null, "secret".getBytes(UTF_8), "ann", NOON));
    var lease = claim(1).getFirst();
    now(runs.append(lease, 1, Entries.of(entry("secret")), NOON));
    var written = now(runs.read("run_1", 0, 9));
    var blank =
        written.stream()
            .map(each -> new StoredEntry(each.sequence(), each.at(), blank(each.entry())))
            .toList();
    assertThat(now(runs.replace("run_1", blank))).as("it goes on").isFalse();
    assertThat(now(runs.purged("run_1", 2, Entries.of(entry("purged")), NOON))).isFalse();
    now(runs.end(lease, 2, Entries.of(), "completed", NOON));
    assertThat(now(runs.replace("run_1", blank))).isTrue();
    assertThat(now(runs.purged("run_1", 2, Entries.of(entry("purged")), NOON))).isTrue();
    assertThat(now(runs.purged("run_1", 2, Entries.of(entry("purged")), NOON)))
        .as("once")
        .isFalse();
    var left = now(runs.read("run_1", 0, 9));
    assertThat(left).hasSize(3);
    assertThat(find("run_1").entries()).isEqualTo(3);
    assertThat(left.get(1).entry().kind()).isEqualTo(written.get(1).entry().kind());
    assertThat(left.get(1).entry().payload()).isEmpty();
    assertThat(now(runs.messages("run_1", 0, 9)).getFirst().content())
        .isEqualTo("{}".getBytes(UTF_8));
  }

  private static Entry blank(Entry entry) {
    return new Entry(entry.kind(), new byte[0]);
  }
}
