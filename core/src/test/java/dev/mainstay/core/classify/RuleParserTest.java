package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Verdict;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RuleParserTest {
  @Test
  void alternativesMayGoOnInFurtherLines() {
    var table =
        RuleTable.parse(
            "own",
            """
            [own-long]
            message  the first of many
                     | the second * of them | "the third"
            | the fourth
            kind     billing
            because  Three lines are one.
            sample   client -
            | the fourth
            | is no alternative here
            """);
    var classifier = Classifier.with(List.of(table));
    for (var text : List.of("the first of many", "the second half of them", "the fourth of them")) {
      assertThat(classify(classifier, null, text).rule()).isEqualTo("own-long");
    }
    assertThat(classify(classifier, null, "is no alternative here").rule()).isEqualTo("unknown");
  }

  @Test
  void aMistakeInAFurtherLineIsToldWithThatLine() {
    assertThatThrownBy(
            () ->
                RuleTable.parse(
                    "own",
                    """
                    [own-long]
                    message  fine
                             | fine too
                             | x
                    kind     billing
                    """))
        .isInstanceOf(RuleSyntaxException.class)
        .hasMessageContaining("at least 2 characters")
        .extracting(thrown -> ((RuleSyntaxException) thrown).line())
        .isEqualTo(4);
  }

  @Test
  void wordsAloneDoNotMakeARetryOfARefusal() {
    var text = "Server returned {} - the endpoint may be temporarily unavailable. Try again.";
    for (int status : new int[] {401, 402, 403, 404, 405, 407, 410, 451}) {
      var verdict = classify(Classifier.standard(), status, text.replace("{}", "" + status));
      assertThat(verdict.retrySame()).as("%s", verdict).isFalse();
    }
    assertThat(classify(Classifier.standard(), 503, text).retrySame()).isTrue();
  }

  @Test
  void aSentenceThatNamesACauseNoWaitMendsIsNotBelieved() {
    for (var text :
        new String[] {
          "Failed to fetch models: check your API key and try again",
          "The service is temporarily unavailable: your account is under review",
          "Server disconnected: policy violation",
          "Model is currently loading, and it failed: out of memory",
          "The server is overloaded. Your trial ends tomorrow.",
        }) {
      var verdict = classify(Classifier.standard(), null, text);
      assertThat(verdict.retrySame()).as("%s", verdict).isFalse();
    }
    assertThat(classify(Classifier.standard(), null, "Too many requests this month").label())
        .isEqualTo("FATAL/quota_exhausted");
    assertThat(classify(Classifier.standard(), 503, "Busy. The beta ends tomorrow.").retrySame())
        .as("a status needs no words")
        .isTrue();
  }

  @Test
  void aRuleThatNamesTheStatusMayRetryIt() {
    var own =
        RuleTable.parse(
            "own",
            """
            [own-warm-up]
            status   404
            message  warming up
            kind     overloaded
            because  This server says 404 until its model is loaded.
            """);
    assertThat(classify(Classifier.with(List.of(own)), 404, "warming up").rule())
        .isEqualTo("own-warm-up");
  }

  private static Verdict classify(Classifier by, @Nullable Integer status, String text) {
    return by.classify(
        new Facts(null, Where.CLIENT, status, new Headers(Map.of()), null, text, null));
  }
}
