package dev.mainstay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.testing.Histories;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class LoopGuardTest {
  @Test
  void cyclesOfLengthOneToFiveAreNoticedTheThirdTimeRound() {
    for (int length = 1; length <= 5; length++) {
      var guard = new LoopGuard();
      for (int step = 0; step < 3 * length; step++) {
        var loop = guard.step("tool-" + step % length, "{}", "same");
        assertThat(loop)
            .as("length %s, step %s", length, step)
            .isEqualTo(step == 3 * length - 1 ? new LoopGuard.Loop(length, 3) : null);
      }
    }
  }

  @Test
  void aDifferentResultIsProgress() {
    var guard = new LoopGuard();
    for (int step = 0; step < 100; step++) {
      assertThat(guard.step("poll", "{}", "result-" + step)).isNull();
    }
  }

  @Test
  void partsDoNotRunTogether() {
    var guard = new LoopGuard();
    assertThat(guard.step("ab", "c", "")).isNull();
    assertThat(guard.step("a", "bc", "")).isNull();
    assertThat(guard.step("a", "b", "c")).isNull();
  }

  @Test
  void repeatsMustBeSeveral() {
    assertThatThrownBy(() -> new LoopGuard(1)).hasMessageContaining("repeats");
  }

  /** The same answer as looking for a repetition in the list of all steps. */
  @Test
  void agreesWithTheDefinition() {
    Histories.forAll(
        6,
        0.005,
        random -> {
          var guard = new LoopGuard(2);
          var steps = new ArrayList<Integer>();
          for (int i = 0; i < 40; i++) {
            int step = random.nextInt(3);
            steps.add(step);
            var loop = guard.step("a" + step, "", "");
            int shortest = 0;
            for (int length = 5; length >= 1; length--) {
              int n = steps.size();
              if (n >= 2 * length
                  && steps
                      .subList(n - length, n)
                      .equals(steps.subList(n - 2 * length, n - length))) {
                shortest = length;
              }
            }
            int found = loop == null ? 0 : loop.length();
            if (found != shortest) {
              throw new AssertionError(steps + ": " + found + ", not " + shortest);
            }
          }
        });
  }
}
