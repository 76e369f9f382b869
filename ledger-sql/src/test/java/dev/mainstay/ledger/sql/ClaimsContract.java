package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.state.Claims.Claim;
import dev.mainstay.ledger.state.StoredAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

public abstract class ClaimsContract extends StateContract {
  private static final Duration DAY = Duration.ofDays(1);

  private Claim claim(String client, String key, String hash, String call) {
    return now(state.claims().claim(client, key, hash, call, NOON, NOON.plus(DAY)));
  }

  private static StoredAnswer answer(String call, String body) {
    return new StoredAnswer(
        call,
        200,
        true,
        List.of(Map.entry("content-type", "text/event-stream"), Map.entry("x-empty", "")),
        body.getBytes(UTF_8));
  }

  @Test
  void aKeyBelongsToItsFirstCallUntilThatHasAnswered() {
    assertThat(claim("a", "k", "h", "call_1")).isEqualTo(new Claim.Fresh(false));
    assertThat(claim("a", "k", "h", "call_2")).isEqualTo(new Claim.Held("call_1", true));
    assertThat(claim("a", "k", "other", "call_2")).isEqualTo(new Claim.OtherRequest());
    assertThat(claim("b", "k", "other", "call_3"))
        .as("another client's")
        .isEqualTo(new Claim.Fresh(false));
    assertThat(now(state.claims().keep("a", "k", answer("call_2", "theirs"))))
        .as("a call that does not hold it")
        .isFalse();
    assertThat(now(state.claims().keep("a", "k", answer("call_1", "ours")))).isTrue();
    var found = ((Claim.Answered) claim("a", "k", "h", "call_4")).answer();
    assertThat(found).usingRecursiveComparison().isEqualTo(answer("call_1", "ours"));
    assertThat(claim("a", "k", "other", "call_5")).isEqualTo(new Claim.OtherRequest());
    assertThat(now(state.claims().release("a", "k", "call_1")))
        .as("an answer is not given back")
        .isFalse();
  }

  @Test
  void ofManyClaimsAtOnceOneIsFresh() {
    var claims = new ArrayList<CompletableFuture<Claim>>();
    for (int i = 0; i < 500; i++) {
      claims.add(
          state
              .claims()
              .claim("a", "k" + i % 7, "h", "call_" + i, NOON, NOON.plus(DAY))
              .toCompletableFuture());
    }
    assertThat(claims.stream().map(CompletableFuture::join).filter(Claim.Fresh.class::isInstance))
        .hasSize(7);
  }

  @Test
  void aReleasedKeyIsFreeAgain() {
    claim("a", "k", "h", "call_1");
    assertThat(now(state.claims().release("a", "k", "call_2"))).isFalse();
    assertThat(now(state.claims().release("a", "k", "call_1"))).isTrue();
    assertThat(claim("a", "k", "other", "call_2")).isEqualTo(new Claim.Fresh(false));
  }

  @Test
  void aKeyIsFreeAgainAfterItsTimeAndItsRowGoes() throws Exception {
    claim("a", "k", "h", "call_1");
    now(state.claims().keep("a", "k", answer("call_1", "old")));
    var later = NOON.plus(DAY);
    assertThat(now(state.claims().claim("a", "k", "new", "call_2", later, later.plus(DAY))))
        .isEqualTo(new Claim.Fresh(false));
    now(state.claims().keep("a", "k", answer("call_2", "new")));
    claim("a", "kept", "h", "call_3");
    now(state.claims().keep("a", "kept", answer("call_3", "x")));
    // Opening tidies first of all: one that is over by then goes, the other stays.
    reopen(later, 1 << 20);
    assertThat(claim("a", "k", "new", "call_4")).isInstanceOf(Claim.Answered.class);
    assertThat(claim("a", "kept", "h", "call_5")).isEqualTo(new Claim.Fresh(false));
  }

  @Test
  void theOldestAnswersAreForgottenBeyondTheBound() throws Exception {
    for (int i = 0; i < 3; i++) {
      claim("a", "k" + i, "h", "call_" + i);
      now(state.claims().keep("a", "k" + i, answer("call_" + i, "x".repeat(1000))));
    }
    reopen(NOON, 4000);
    assertThat(claim("a", "k0", "h", "call_9")).isEqualTo(new Claim.Fresh(false));
    assertThat(claim("a", "k1", "h", "call_9")).isInstanceOf(Claim.Answered.class);
  }

  @Test
  void whatWasAnsweredSurvivesAndWhatWasNotIsFree() throws Exception {
    claim("a", "done", "h", "call_1");
    now(state.claims().keep("a", "done", answer("call_1", "kept")));
    claim("a", "begun", "h", "call_2");
    reopen(NOON, 1 << 20);
    assertThat(claim("a", "done", "h", "call_3")).isInstanceOf(Claim.Answered.class);
    assertThat(claim("a", "begun", "h", "call_4")).isEqualTo(new Claim.Fresh(false));
  }

  @Test
  void whatComesAfterTheEndIsRefused() {
    state.close();
    assertThatThrownBy(() -> claim("a", "k", "h", "call_1"))
        .hasCauseInstanceOf(LedgerException.class);
  }
}
