package dev.mainstay.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.MemoryBudget.Use;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {
  private final MemoryBudget budget = new MemoryBudget(1000);

  @Test
  void usesGiveWayInOrder() {
    var cache = budget.reserve(Use.CACHE);
    assertThat(cache.grow(250)).isTrue();
    assertThat(cache.grow(1)).isFalse();
    var request = budget.reserve(Use.REQUEST);
    assertThat(request.grow(350)).isTrue();
    assertThat(request.grow(1)).as("beyond 60 %").isFalse();
    var answer = budget.reserve(Use.ANSWER);
    assertThat(answer.grow(250)).isTrue();
    assertThat(answer.grow(1)).as("beyond 85 %").isFalse();
    var output = budget.reserve(Use.OUTPUT);
    output.set(5000);
    assertThat(budget.used()).isEqualTo(5850);
    assertThat(budget.refused(Use.REQUEST)).isEqualTo(1);
    output.close();
    answer.close();
    answer.close();
    assertThat(request.grow(1)).isFalse();
    cache.close();
    assertThat(request.grow(1)).isTrue();
    request.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void aCacheIsEmptiedForOthers() {
    var cache = budget.reserve(Use.CACHE);
    assertThat(cache.grow(250)).isTrue();
    budget.addCache(
        bytes -> {
          long freed = Math.min(bytes, cache.bytes());
          cache.set(cache.bytes() - freed);
          return freed;
        });
    var request = budget.reserve(Use.REQUEST);
    assertThat(request.grow(400)).isTrue();
    assertThat(cache.bytes()).isEqualTo(200);
    assertThat(request.grow(200)).isTrue();
    assertThat(cache.bytes()).isZero();
    assertThat(request.grow(1)).isFalse();
  }

  @Test
  void aPartGoesWithItsWhole() {
    var whole = budget.reserve(Use.ANSWER, 100);
    var part = whole.part();
    var other = whole.part();
    assertThat(part.grow(60)).isTrue();
    assertThat(other.exceeds(41)).isTrue();
    assertThat(other.grow(41)).isFalse();
    assertThat(other.grow(40)).isTrue();
    part.close();
    assertThat(budget.used()).isEqualTo(40);
    whole.close();
    other.close();
    assertThat(part.grow(1)).isFalse();
    assertThat(budget.used()).isZero();
  }

  @Test
  void whatIsShortIsToldOnceASecond() {
    var shortages = new AtomicInteger();
    budget.onShortage(shortages::incrementAndGet);
    var request = budget.reserve(Use.REQUEST);
    long before = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      assertThat(request.grow(601)).isFalse();
    }
    int seconds = (int) Duration.ofNanos(System.nanoTime() - before).toSeconds();
    assertThat(shortages.get()).isBetween(1, 1 + seconds);
  }

  @Test
  void nothingIsLostOrExceededWhateverManyThreadsDo() throws InterruptedException {
    var threads = new ArrayList<Thread>();
    var exceeded = new AtomicInteger();
    for (int i = 0; i < 4; i++) {
      var random = new Random(i);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int round = 0; round < 5000; round++) {
                      var whole = budget.reserve(Use.ANSWER);
                      var part = whole.part();
                      whole.grow(random.nextInt(200));
                      part.grow(random.nextInt(200));
                      part.resize(random.nextInt(200));
                      // Takes that come to nothing are seen for a moment, one by each thread.
                      if (budget.used() > 850 + 4 * 200) {
                        exceeded.incrementAndGet();
                      }
                      if (random.nextBoolean()) {
                        part.close();
                      }
                      whole.close();
                      part.close();
                    }
                  }));
    }
    for (var thread : threads) {
      thread.join();
    }
    assertThat(exceeded).hasValue(0);
    assertThat(budget.used()).isZero();
    for (var use : Use.values()) {
      assertThat(budget.used(use)).isZero();
    }
  }
}
