package dev.mainstay.library;

import static dev.mainstay.library.Provider.down;
import static dev.mainstay.library.Provider.invalid;
import static dev.mainstay.library.Provider.limited;
import static dev.mainstay.library.Provider.noMoney;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.library.testing.VirtualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Test;

class BlockingTest {
  private final VirtualTimer timer = new VirtualTimer();
  private final List<String> heard = new ArrayList<>();
  private final Mainstay mainstay = mainstay(plain());
  private final Provider openai = new Provider("from openai");
  private final Provider anthropic = new Provider("from anthropic");

  static Policy plain() {
    return Policy.defaults().withRetry(Policy.defaults().retry().withJitter(false));
  }

  private Mainstay mainstay(Policy policy) {
    var listener =
        new CallListener() {
          @Override
          public void decided(HistoryEntry attempted) {
            heard.add("decided " + attempted.target());
          }

          @Override
          public void answered(String target, Duration took, List<HistoryEntry> history) {
            heard.add("answered " + target + " after " + history.size());
          }

          @Override
          public void gaveUp(Throwable failure, List<HistoryEntry> history) {
            heard.add("gave up after " + history.size());
          }
        };
    return Mainstay.builder().policy(policy).timer(timer).listener(listener).build();
  }

  private Blocking<String> both() {
    return mainstay.wrap("openai/gpt-4o", openai).or("anthropic/claude", anthropic);
  }

  @Test
  void anAnswerAtOnceIsJustThat() throws Exception {
    assertThat(both().call()).isEqualTo("from openai");
    assertThat(heard).containsExactly("answered openai/gpt-4o after 0");
    assertThat(timer.waits()).isEmpty();
  }

  @Test
  void retriesWaitAndFallBack() throws Exception {
    openai.fails(down(), down(), down());
    assertThat(both().call()).isEqualTo("from anthropic");
    assertThat(timer.waits()).containsExactly(Duration.ofMillis(500), Duration.ofSeconds(1));
    assertThat(heard)
        .containsExactly(
            "decided openai/gpt-4o",
            "decided openai/gpt-4o",
            "decided openai/gpt-4o",
            "answered anthropic/claude after 3");
  }

  @Test
  void aWaitIsObeyedAsTold() throws Exception {
    openai.fails(limited("1.5"));
    assertThat(both().call()).isEqualTo("from openai");
    assertThat(timer.waits()).containsExactly(Duration.ofMillis(1500));
  }

  @Test
  void aLongWaitGoesElsewhereAtOnce() throws Exception {
    openai.fails(limited("30"));
    assertThat(both().call()).isEqualTo("from anthropic");
    assertThat(timer.waits()).isEmpty();
  }

  @Test
  void moneyUsedUpIsNeverRetried() throws Exception {
    openai.fails(noMoney());
    assertThat(both().call()).isEqualTo("from anthropic");
    assertThat(openai.calls).isEqualTo(1);
  }

  @Test
  void whatIsThrownIsTheOriginalWithItsHistory() {
    var mistake = invalid();
    openai.fails(mistake);
    assertThat(catchThrowable(both()::call)).isSameAs(mistake);
    var history = Mainstay.historyOf(mistake);
    assertThat(history).hasSize(1);
    assertThat(history.getFirst().failure()).isSameAs(mistake);
    assertThat(history.getFirst().verdict()).isNotNull();
    assertThat(history.getFirst().toString())
        .startsWith("attempt 1 at openai/gpt-4o, after 0 ms: ApiException, LOGIC/invalid_request")
        .doesNotContain("blue");
    assertThat(anthropic.calls).isZero();
    assertThat(heard).contains("gave up after 1");
  }

  @Test
  void theFirstTargetsLastFailureIsShown() {
    var last = down();
    openai.fails(down(), down(), last);
    anthropic.fails(down(), down());
    assertThat(catchThrowable(both()::call)).isSameAs(last);
    assertThat(Mainstay.historyOf(last))
        .extracting(HistoryEntry::number)
        .containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void anExceptionThatIsThrownAgainAndAgainKeepsTheNewestHistoryAlone() {
    var one = invalid();
    var wrapped = mainstay.wrap("openai/gpt-4o", new Provider("").fails(one, one, one));
    for (int i = 0; i < 3; i++) {
      assertThat(catchThrowable(wrapped::call)).isSameAs(one);
    }
    assertThat(one.getSuppressed()).hasSize(1);
  }

  @Test
  void twoLayersDoNotMultiplyTheirAttempts() {
    openai.fails(down(), down(), down(), down(), down(), down());
    var inner = mainstay.wrap("openai/gpt-4o", openai);
    assertThatThrownBy(mainstay.wrap("inner", inner)::call)
        .isInstanceOf(Provider.ApiException.class);
    assertThat(openai.calls).isEqualTo(3);
  }

  @Test
  void aMenderMakesTheNextAttemptDiffer() throws Exception {
    var policy = plain().withRepairs(EnumSet.of(RepairOption.TRIM_CONTEXT));
    int[] messages = {40};
    var tooLong =
        new Provider.ApiException(
            400,
            """
            {"error": {"message": "This model's maximum context length is 8192 tokens. However, \
            your messages resulted in 9001 tokens. Please reduce the length of the messages.", \
            "type": "invalid_request_error", "param": "messages", \
            "code": "context_length_exceeded"}}\
            """,
            java.util.Map.of());
    var call =
        mainstay(policy)
            .wrap(
                "openai/gpt-4o",
                () -> {
                  if (messages[0] > 10) {
                    throw tooLong;
                  }
                  return "short enough";
                })
            .mending(
                Repair.TRIM_CONTEXT,
                _ -> {
                  int before = messages[0];
                  messages[0] /= 4;
                  return new Outcome.Repaired(Repair.TRIM_CONTEXT, before, messages[0]);
                });
    assertThat(call.call()).isEqualTo("short enough");
  }

  @Test
  void anOpenBreakerAnswersAtOnce() {
    var broken = new Provider("").fails(down(), down(), down(), down(), down(), down());
    var call = mainstay(plain().withMaxAttempts(1)).wrap("openai/gpt-4o", broken);
    for (int i = 0; i < 5; i++) {
      assertThat(catchThrowable(call::call)).isInstanceOf(Provider.ApiException.class);
    }
    assertThatThrownBy(call::call)
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("5 failures in a row");
    assertThat(broken.calls).isEqualTo(5);
  }

  @Test
  void aProbeThatSucceedsClosesTheBreaker() throws Exception {
    var broken = new Provider("well again").fails(down(), down(), down(), down(), down());
    var one = mainstay(plain().withMaxAttempts(1));
    var call = one.wrap("openai/gpt-4o", broken);
    for (int i = 0; i < 5; i++) {
      assertThat(catchThrowable(call::call)).isNotNull();
    }
    timer.advance(Duration.ofSeconds(5));
    assertThat(call.call()).isEqualTo("well again");
    assertThat(one.breaker("openai/gpt-4o").snapshot(timer.nanoTime()).state())
        .isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void anErrorOfTheMachineIsNotOurs() {
    var error = new StackOverflowError();
    var call =
        mainstay.wrap(
            "openai/gpt-4o",
            () -> {
              throw error;
            });
    assertThat(catchThrowable(call::call)).isSameAs(error);
    assertThat(timer.waits()).isEmpty();
  }

  @Test
  void anInterruptEndsAWait() throws Exception {
    var waiting = new SynchronousQueue<String>();
    Timer stuck =
        new Timer() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public void sleep(long nanos) throws InterruptedException {
            waiting.put("waits");
            new java.util.concurrent.CountDownLatch(1).await();
          }

          @Override
          public Cancellation after(long nanos, Runnable task) {
            throw new AssertionError("a blocking call sleeps");
          }
        };
    openai.fails(down(), down());
    var call = Mainstay.builder().policy(plain()).timer(stuck).build().wrap("openai/x", openai);
    var result = new FutureTask<>(call);
    var thread = Thread.ofVirtual().start(result);
    waiting.take();
    thread.interrupt();
    var thrown = catchThrowable(result::get);
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    assertThat(thrown.getCause()).isInstanceOf(InterruptedException.class);
    assertThat(Mainstay.historyOf(thrown)).hasSize(2);
    assertThat(openai.calls).isEqualTo(1);
  }

  @Test
  void anInterruptedAttemptIsNotRetried() {
    var interrupted = new IOException("interrupted while reading");
    var call =
        mainstay.wrap(
            "openai/gpt-4o",
            () -> {
              Thread.currentThread().interrupt();
              throw interrupted;
            });
    assertThat(catchThrowable(call::call)).isSameAs(interrupted);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void fewerAttemptsThanTargetsAreRefused() {
    var one = mainstay(plain().withMaxAttempts(1)).wrap("a", openai);
    assertThatThrownBy(() -> one.or("b", anthropic))
        .isInstanceOf(InvalidPolicyException.class)
        .hasMessageStartingWith("max-attempts: 1 is fewer than the 2 targets");
  }

  @Test
  void aListenerThatThrowsDisturbsNobody() throws Exception {
    var rude =
        new CallListener() {
          @Override
          public void decided(HistoryEntry attempted) {
            throw new IllegalStateException("rude");
          }
        };
    openai.fails(down());
    var call = Mainstay.builder().timer(timer).listener(rude).build().wrap("openai/x", openai);
    assertThat(call.call()).isEqualTo("from openai");
  }
}
