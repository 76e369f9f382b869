package dev.mainstay.call.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.settings.Timeouts;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class AttemptTimeoutsTest {
  private static final Timeouts TIMEOUTS = Timeouts.defaults();

  private final Time time = new Time();
  private final List<Long> silences = new ArrayList<>();
  private final AttemptTimeouts watch =
      new AttemptTimeouts(
          time, () -> time.now, TIMEOUTS, seconds(570), () -> silences.add(time.now / seconds(1)));

  private static long seconds(long count) {
    return Duration.ofSeconds(count).toNanos();
  }

  @Test
  void aConnectionIsWaitedForAsLongAsTheShorterOfTwoLimits() {
    watch.connecting(0, Duration.ofSeconds(5));
    time.pass(10);

    assertThat(silences).containsExactly(3L);
    assertThat(watch.missed(0, false)).isEqualTo("no connection within 3000 ms");
  }

  @Test
  void withoutALimitOfItsOwnAWholeAnswerHasUntilTheDeadline() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.connected();
    watch.sent(time.now, false);
    time.pass(1000);

    assertThat(silences).containsExactly(570L);
  }

  @Test
  void everyEventOfAStreamMovesItsLimitAndTheDeadlineCountsUntilSomethingWasDelivered() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.sent(time.now, true);
    time.pass(50);
    watch.events(0);
    time.pass(120);
    watch.event(time.now, false);
    time.pass(50);
    for (int i = 0; i < 10; i++) {
      watch.event(time.now, true);
      time.pass(50);
    }
    assertThat(silences).isEmpty();

    time.pass(60);
    assertThat(silences).containsExactly(720L + 10);
  }

  @Test
  void aStreamThatMovesEndsAtItsOwnLimit() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.sent(time.now, true);
    watch.events(0);
    for (int i = 0; i < 100 && silences.isEmpty(); i++) {
      time.pass(50);
      watch.event(time.now, true);
    }
    assertThat(silences).containsExactly(Timeouts.defaults().stream().toSeconds());
  }

  @Test
  void whatIsNotReadIsNotSilent() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.sent(time.now, true);
    watch.events(0);
    time.pass(100);
    watch.pause();
    time.pass(300);
    watch.resume();
    time.pass(79);
    assertThat(silences).isEmpty();

    time.pass(2);
    assertThat(silences).containsExactly(480L);
  }

  @Test
  void aDeliveredStreamThatWasNotReadBeyondTheDeadlineIsLeftAlone() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.sent(time.now, true);
    watch.events(0);
    time.pass(100);
    watch.event(time.now, true);
    watch.pause();
    time.pass(630);
    watch.resume();
    time.pass(59);
    assertThat(silences).isEmpty();

    time.pass(2);
    assertThat(silences).containsExactly(790L);
  }

  @Test
  void aDeadlineThatPassedWhileNothingWasReadEndsTheAttemptAsSoonAsItIsReadAgain() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.sent(time.now, true);
    watch.events(0);
    time.pass(100);
    watch.pause();
    time.pass(500);
    watch.resume();
    time.pass(1);

    assertThat(silences).containsExactly(601L);
  }

  @Test
  void nothingRingsWhenTheAttemptIsOver() {
    watch.connecting(0, Duration.ofSeconds(1));
    watch.over();
    watch.event(time.now, true);
    time.pass(1000);

    assertThat(silences).isEmpty();
    assertThat(time.timers).isEmpty();
  }

  /** A loop with nothing but timers, and a time that passes a second at a time. */
  private static final class Time implements Loop {
    private record Timer(long at, Runnable task) {}

    private final List<Timer> timers = new ArrayList<>();
    private long now;

    void pass(long seconds) {
      for (long i = 0; i < seconds; i++) {
        now += seconds(1);
        for (var timer : List.copyOf(timers)) {
          if (timer.at() <= now && timers.remove(timer)) {
            timer.task().run();
          }
        }
      }
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
      var timer = new Timer(now + delay.toNanos(), task);
      timers.add(timer);
      return () -> timers.remove(timer);
    }

    @Override
    public boolean inLoop() {
      return true;
    }

    @Override
    public void execute(Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T extends @Nullable Object> void blocking(Callable<T> work, Done<? super T> then) {
      throw new UnsupportedOperationException();
    }
  }
}
