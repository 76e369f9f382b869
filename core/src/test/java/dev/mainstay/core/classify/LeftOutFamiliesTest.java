package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * What the rules make of failures that none of them was learned from: an estimate for those that
 * nobody has seen, on the low side, since the plainest rule of a family is left out with it.
 */
class LeftOutFamiliesTest {
  private static final double CLASS = 0.953;
  private static final double KIND = 0.896;
  private static final double DANGEROUS = 0.0055;

  @Test
  void theRulesKnowMoreThanTheyWereShown() {
    var families = new Families(Labelled.lines("failures.jsonl"));
    var score = families.score();
    assertThat(families.size()).isGreaterThan(500);
    assertThat(score.classRight()).isGreaterThan(CLASS);
    assertThat(score.kindRight()).isGreaterThan(KIND);
    assertThat((double) score.dangerous().size() / score.rows()).isLessThan(DANGEROUS);
  }
}
