package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Real failures, each with its source and the label of a person, that no change of a rule may get
 * wrong again. The rules have seen them all, so this is a floor and no estimate of what they make
 * of failures nobody has seen: docs/failures.md has that.
 */
class FailureCorpusTest {
  private static final double CLASS = 0.991;
  private static final double KIND = 0.970;

  @Test
  void theRulesStillKnowWhatTheyKnew() {
    var score = Score.of(Labelled.lines("failures.jsonl"));
    assertThat(score.dangerous()).isEmpty();
    assertThat(score.classRight()).as("%s", score.wrong()).isGreaterThan(CLASS);
    assertThat(score.kindRight()).as("%s", score.wrong()).isGreaterThan(KIND);
  }
}
