package dev.mainstay.library;

import static dev.mainstay.library.Provider.down;
import static dev.mainstay.library.Provider.invalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mainstay.core.guard.Breaker;
import dev.mainstay.library.testing.VirtualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class AsyncTest {
  private final VirtualTimer timer = new VirtualTimer();
  private final Mainstay mainstay =
      Mainstay.builder().policy(BlockingTest.plain()).timer(timer).build();
  private final List<CompletableFuture<String>> openai = new ArrayList<>();
  private final List<CompletableFuture<String>> anthropic = new ArrayList<>();

  private Async<String> both() {
    return mainstay
        .wrapAsync("openai/gpt-4o", () -> begun(openai))
        .or("anthropic/claude", () -> begun(anthropic));
  }

  private static CompletableFuture<String> begun(List<CompletableFuture<String>> attempts) {
    var attempt = new CompletableFuture<String>();
    attempts.add(attempt);
    return attempt;
  }

  @Test
  void answersAndRetriesWithoutHoldingAThread() {
    var answer = both().call();
    openai.get(0).completeExceptionally(new CompletionException(down()));
    assertThat(timer.pending()).isEqualTo(1);
    timer.advance(Duration.ofMillis(499));
    assertThat(openai).hasSize(1);
    timer.advance(Duration.ofMillis(1));
    assertThat(openai).hasSize(2);
    openai.get(1).complete("hello");
    assertThat(answer).isCompletedWithValue("hello");
  }

  @Test
  void completesWithTheOriginalAndItsHistory() {
    var mistake = invalid();
    var answer = both().call();
    openai.get(0).completeExceptionally(mistake);
    assertThat(answer).isCompletedExceptionally();
    assertThat(answer.exceptionNow()).isSameAs(mistake);
    assertThat(Mainstay.historyOf(catchThrowable(answer::join))).hasSize(1);
  }

  @Test
  void cancellingEndsTheAttemptUnderWay() {
    var answer = both().call();
    assertThat(answer.cancel(true)).isTrue();
    assertThat(openai.get(0)).isCancelled();
    assertThat(anthropic).isEmpty();
  }

  @Test
  void cancellingEndsAWait() {
    var answer = both().call();
    openai.get(0).completeExceptionally(down());
    answer.cancel(true);
    assertThat(timer.pending()).isZero();
    timer.advance(Duration.ofMinutes(1));
    assertThat(openai).hasSize(1);
  }

  @Test
  void aCancelledProbeIsGivenBack() {
    var breaker = mainstay.breaker("openai/gpt-4o");
    var alone = mainstay.wrapAsync("openai/gpt-4o", () -> begun(openai));
    for (int i = 0; i < 5; i++) {
      var failing = alone.call();
      openai.getLast().completeExceptionally(down());
      failing.cancel(true);
    }
    assertThat(breaker.snapshot(0).state()).isEqualTo(Breaker.State.OPEN);
    timer.advance(Duration.ofSeconds(5));
    var probe = alone.call();
    assertThat(breaker.snapshot(timer.nanoTime()).nextProbeNanos()).isNull();
    probe.cancel(true);
    assertThat(breaker.snapshot(timer.nanoTime()).nextProbeNanos()).isNotNull();
  }

  @Test
  void aCallThatThrowsInsteadOfAnsweringIsAFailureToo() {
    var calls = new int[1];
    var answer =
        mainstay
            .wrapAsync(
                "openai/gpt-4o",
                () -> {
                  if (calls[0]++ == 0) {
                    throw down();
                  }
                  return CompletableFuture.completedFuture("second");
                })
            .call();
    timer.advance(Duration.ofSeconds(1));
    assertThat(answer).isCompletedWithValue("second");
  }

  @Test
  void theSystemsTimersWaitAndCanBeTakenBack() throws InterruptedException {
    try (var scheduler = Executors.newSingleThreadScheduledExecutor()) {
      for (var real : List.of(Timer.system(), Timer.on(scheduler))) {
        var ran = new java.util.concurrent.CountDownLatch(1);
        long before = real.nanoTime();
        real.after(1_000_000, ran::countDown);
        ran.await();
        assertThat(real.nanoTime() - before).isGreaterThanOrEqualTo(1_000_000);
        real.after(Duration.ofHours(1).toNanos(), () -> ran.countDown()).cancel();
      }
    }
  }
}
