package dev.mainstay.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

class LoopLagTest {
  private static final long MS = 1_000_000;

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private long now = 7;
  private final LoopLag lag = new LoopLag(tasks::add, () -> now);

  /** A turn with requests, each of which takes some milliseconds; how many were refused. */
  private int turn(int requests, long millisEach) {
    int refused = 0;
    for (int i = 0; i < requests; i++) {
      lag.entered();
      if (lag.behind()) {
        refused++;
      } else {
        now += millisEach * MS;
      }
    }
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
    return refused;
  }

  @Test
  void oneLongTurnRefusesNobody() {
    assertThat(turn(100, 20)).isZero();
    assertThat(turn(10, 1)).isZero();
  }

  @Test
  void turnsThatStayLongRefuseWhatComesLateInEach() {
    int turns = 0;
    while (turn(100, 1) == 0) {
      turns++;
    }
    // Turns of 100 ms, until that has gone on for two seconds.
    assertThat(turns).isEqualTo(20);
    for (int i = 0; i < 50; i++) {
      assertThat(turn(100, 1)).isEqualTo(49);
    }
  }

  @Test
  void aTurnThatWasShortEndsIt() {
    for (int i = 0; i < 30; i++) {
      turn(100, 1);
    }
    assertThat(turn(20, 1)).isZero();
    assertThat(turn(100, 1)).isZero();
    assertThat(turn(100, 1)).isZero();
  }

  @Test
  void fewRequestsThatTakeLongAreNotRefused() {
    for (int i = 0; i < 100; i++) {
      assertThat(turn(LoopLag.MANY - 1, 20)).isZero();
    }
  }

  @Test
  void aLoopWithoutRequestsPutsNoTasksUp() {
    assertThat(lag.behind()).isFalse();
    assertThat(tasks).isEmpty();
    turn(1, 1);
    assertThat(tasks).isEmpty();
  }
}
