package dev.mainstay.core.recovery;

import dev.mainstay.core.testing.Histories;
import org.junit.jupiter.api.Test;

/** Promises 1, 2 and 5 of the design, and the rules of a call, over random histories. */
class RecoveryPromisesTest {
  @Test
  void everyDecisionOfARandomCallKeepsThePromises() {
    Histories.forAll(1, random -> new History(random).run());
  }
}
