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
      if (lag.takesOn()) {
        now += millisEach * MS;
      } else {
        refused++;
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
  void turnsThatStayLongTakeOnWhatHalfASecondCanCarry() {
    int turns = 0;
    while (turn(1000, 1) == 0) {
      turns++;
    }
    // Turns of a second: after three it has gone on for more than two.
    assertThat(turns).isEqualTo(3);
    for (int i = 0; i < 50; i++) {
      assertThat(turn(1000, 1)).isEqualTo(500);
    }
  }

  @Test
  void whereRequestsBecomeDearerOrCheaperFewerOrMoreAreTakenOn() {
    for (int i = 0; i < 10; i++) {
      turn(4000, 1);
    }
    turn(4000, 2);
    assertThat(turn(4000, 2)).isEqualTo(4000 - 250);
    turn(4000, 1);
    turn(4000, 1);
    assertThat(turn(4000, 1)).isEqualTo(4000 - 500);
  }

  @Test
  void neverFewerThanAreMany() {
    for (int i = 0; i < 20; i++) {
      turn(200, 1000);
    }
    assertThat(turn(200, 1000)).isEqualTo(200 - LoopLag.MANY);
  }

  @Test
  void aTurnThatWasShortEndsIt() {
    for (int i = 0; i < 30; i++) {
      turn(1000, 1);
    }
    assertThat(turn(100, 1)).isZero();
    assertThat(turn(1000, 1)).isZero();
    assertThat(turn(1000, 1)).isZero();
  }

  @Test
  void fewRequestsThatTakeLongAreNotRefused() {
    for (int i = 0; i < 100; i++) {
      assertThat(turn(LoopLag.MANY - 1, 20)).isZero();
    }
  }

  @Test
  void aLoopWithoutRequestsPutsNoTasksUp() {
    assertThat(tasks).isEmpty();
    turn(1, 1);
    assertThat(tasks).isEmpty();
  }
}
