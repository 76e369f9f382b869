package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.state.KeptCalls.Accepted;
import dev.mainstay.ledger.state.KeptCalls.DeadLetterQuery;
import dev.mainstay.ledger.state.KeptCalls.Kept;
import dev.mainstay.ledger.state.KeptCalls.Request;
import dev.mainstay.ledger.state.KeptCalls.Status;
import dev.mainstay.ledger.state.KeptCalls.Unfinished;
import dev.mainstay.ledger.state.StoredAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

public abstract class KeptCallsContract extends StateContract {
  private static final Instant LATER = NOON.plus(Duration.ofDays(30));

  private static Request request(@Nullable String key, String hash) {
    return new Request(
        "a",
        true,
        key,
        hash,
        "/v1/messages",
        "beta=true",
        List.of(Map.entry("anthropic-version", "2023-06-01")),
        "{}".getBytes(UTF_8));
  }

  private Accepted accept(String call, @Nullable String key, String hash) {
    return now(state.keptCalls().accept(call, request(key, hash), NOON, LATER));
  }

  private Kept find(String call) {
    return now(state.keptCalls().find(call)).getFirst();
  }

  @Test
  void aCallIsKeptFromBeforeItBeginsUntilItsAnswerExpires() throws Exception {
    assertThat(accept("call_1", "k", "h")).isEqualTo(new Accepted.Fresh());
    assertThat(accept("call_2", "k", "h")).isEqualTo(new Accepted.Known("call_1"));
    assertThat(accept("call_2", "k", "other")).isEqualTo(new Accepted.OtherRequest());
    assertThat(accept("call_2", null, "h")).isEqualTo(new Accepted.Fresh());
    var answer =
        new StoredAnswer("call_1", 200, false, List.of(Map.entry("a", "b")), "yes".getBytes(UTF_8));
    now(state.keptCalls().ended("call_1", null, answer, NOON));
    reopen(NOON, TestStore.ROOMY);
    var found = find("call_1");
    assertThat(found.stand()).isEqualTo(Status.ANSWERED);
    assertThat(found.request().body()).as("nothing is made of it any more").isEmpty();
    assertThat(found.request().headers()).isEmpty();
    assertThat(accept("call_3", "k", "h")).isEqualTo(new Accepted.Known("call_1"));
    assertThat(accept("call_3", "k", "other")).isEqualTo(new Accepted.OtherRequest());
    assertThat(find("call_2").request()).usingRecursiveComparison().isEqualTo(request(null, "h"));
    assertThat(found.answer()).usingRecursiveComparison().isEqualTo(answer);
    assertThat(now(state.keptCalls().deadLetters(DeadLetterQuery.newest(10)))).isEmpty();
    assertThat(now(state.keptCalls().ended("call_2", null, null, NOON)))
        .as("it was another process's")
        .isFalse();
    assertThat(now(state.keptCalls().adopt(10))).containsExactly(new Unfinished("call_2", true, 2));
    assertThat(now(state.keptCalls().adopt(10))).as("once").isEmpty();
    accept("call_5", null, "h");
    assertThat(now(state.keptCalls().adopt(10))).as("its own").isEmpty();
    reopen(LATER, TestStore.ROOMY);
    assertThat(now(state.keptCalls().find("call_1"))).isEmpty();
    assertThat(find("call_2").stand()).as("what runs is not forgotten").isEqualTo(Status.RUNNING);
  }

  @Test
  void ofManyWhoActOnADeadLetterOneDoes() {
    accept("call_1", "k", "h");
    assertThat(now(state.keptCalls().discard("call_1"))).as("it runs").isFalse();
    now(state.keptCalls().ended("call_1", "FATAL/auth", null, NOON));
    assertThat(now(state.keptCalls().ended("call_1", null, null, NOON))).as("it ended").isFalse();
    var redrives = new ArrayList<CompletableFuture<List<Kept>>>();
    for (int i = 0; i < 20; i++) {
      redrives.add(
          state.keptCalls().redrive("call_1", "again_" + i, NOON, LATER).toCompletableFuture());
    }
    var discarded = state.keptCalls().discard("call_1").toCompletableFuture();
    assertThat(redrives.stream().filter(made -> !made.join().isEmpty())).hasSize(1);
    assertThat(discarded.join()).isFalse();
    var letter = find("call_1");
    assertThat(letter.stand()).isEqualTo(Status.REDRIVEN);
    assertThat(letter.verdict()).isEqualTo("FATAL/auth");
    assertThat(letter.request().body()).as("its call has it").isEmpty();
    var made = find(String.valueOf(letter.redrivenAs()));
    assertThat(made.stand()).isEqualTo(Status.RUNNING);
    assertThat(made.request()).usingRecursiveComparison().isEqualTo(request(null, "h"));
    assertThat(now(state.keptCalls().deadLetters(DeadLetterQuery.newest(10))))
        .extracting(Kept::call)
        .containsExactly("call_1");
    now(state.keptCalls().ended(made.call(), "FATAL/auth", null, NOON));
    assertThat(find(made.call()).request().body()).isNotEmpty();
    assertThat(now(state.keptCalls().discard(made.call()))).isTrue();
    assertThat(find(made.call()).request().body()).isEmpty();
  }
}
