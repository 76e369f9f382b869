package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Real failures, each with its source and the label of a person, that no change of a rule may get
 * wrong again. The rules have seen them all, so this is a floor and no estimate of what they make
 * of failures nobody has seen: docs/failures.md has that.
 */
class FailureCorpusTest {
  private static final double CLASS = 0.991;
  private static final double KIND = 0.974;

  @Test
  void theRulesStillKnowWhatTheyKnew() throws IOException {
    var score = Score.of(rows());
    assertThat(score.dangerous()).isEmpty();
    assertThat(score.classRight()).as("%s", score.wrong()).isGreaterThan(CLASS);
    assertThat(score.kindRight()).as("%s", score.wrong()).isGreaterThan(KIND);
  }

  private static List<String> rows() throws IOException {
    try (var in = FailureCorpusTest.class.getResourceAsStream("failures.jsonl")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    }
  }
}
