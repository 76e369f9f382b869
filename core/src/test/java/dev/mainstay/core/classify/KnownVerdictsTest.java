package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the maker of a request knows decides where its failure alone does not. */
class KnownVerdictsTest {
  private static final String SCHEMA =
      "{\"error\":{\"message\":\"Invalid schema for function 'f': 'minLength' is not permitted\","
          + "\"type\":\"invalid_request_error\",\"code\":\"invalid_function_parameters\"}}";

  private record Known(
      @Nullable String wrongBaseUrl,
      @Nullable String words,
      boolean hasLooserSchema,
      boolean triesWithoutImages,
      boolean beganTheAnswer)
      implements Circumstances {}

  private static final Known NOTHING = new Known(null, null, false, false, false);
  private static final Known EVERYTHING = new Known("it has no /v1", null, true, true, true);

  private static Verdict judge(int status, String body, Circumstances known) {
    return KnownVerdicts.judge(
        new Failure.Reply("openai", status, new Headers(Map.of()), body),
        Classifier.standard()::classify,
        known);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 404, 405, 422, 429, 500, 503})
  void whereNothingIsKnownTheClassifierDecides(int status) {
    var failure = new Failure.Reply("openai", status, new Headers(Map.of()), "{}");
    assertThat(judge(status, "{}", NOTHING)).isEqualTo(Classifier.standard().classify(failure));
  }

  @ParameterizedTest
  @CsvSource({"404, base-url", "405, base-url", "307, redirect", "308, redirect"})
  void aWrongPlaceIsTheConfigurationsDoing(int status, String rule) {
    var verdict = judge(status, "", EVERYTHING);
    assertThat(verdict.rule()).isEqualTo(rule);
    assertThat(verdict.blame()).isEqualTo(Blame.GATEWAY);
    assertThat(verdict.fallback()).isTrue();
    assertThat(verdict.alert()).isTrue();
  }

  @Test
  void notModifiedIsNoRedirect() {
    assertThat(KnownVerdicts.isRedirect(304)).isFalse();
    assertThat(KnownVerdicts.isRedirect(299)).isFalse();
    assertThat(KnownVerdicts.isRedirect(400)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 422})
  void aRefusedPrefillIsAskedInAnotherWay(int status) {
    var verdict = judge(status, "{}", new Known(null, "no prefill", false, true, true));
    assertThat(verdict.kind()).isEqualTo(Kind.UNSUPPORTED_PARAMETER);
    assertThat(verdict.blame()).isEqualTo(Blame.GATEWAY);
    assertThat(verdict.repair()).isEqualTo(Repair.DROP_PARAMETER);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "null",
      value = {
        "400, null, STRIP_IMAGES",
        "422, Bad request., STRIP_IMAGES",
        "400, The name is too long, null",
        "500, null, null"
      })
  void aRefusalWithoutAReasonIsTriedWithoutImages(
      int status, @Nullable String words, @Nullable Repair repair) {
    var verdict = judge(status, "{}", new Known(null, words, false, true, false));
    assertThat(verdict.repair()).isEqualTo(repair);
  }

  @Test
  void aSchemaIsLoosenedWhereItCanBe() {
    assertThat(judge(400, SCHEMA, NOTHING).kind()).isEqualTo(Kind.INVALID_TOOL_SCHEMA);
    assertThat(judge(400, SCHEMA, NOTHING).repair()).isNull();
    assertThat(judge(400, SCHEMA, new Known(null, "x", true, false, false)).repair())
        .isEqualTo(Repair.DROP_PARAMETER);
  }

  @Test
  void whatWasGivenUpBelowIsNotTriedAgain() {
    var verdict =
        Classifier.standard()
            .classify(new Failure.Reply("openai", 503, new Headers(Map.of()), "{}"));
    assertThat(verdict.retrySame()).isTrue();
    var given = KnownVerdicts.givenUpBelow(verdict);
    assertThat(given.retrySame()).isFalse();
    assertThat(given.repair()).isNull();
    assertThat(given.fallback()).isEqualTo(verdict.fallback());
    assertThat(given.finding()).isEqualTo(verdict.finding());
  }
}
