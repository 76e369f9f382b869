package dev.mainstay.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryHintsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          retry-after          | 20                            | 20
          retry-after          | 0                             | 0
          retry-after          | 1.5                           | 1.5
          retry-after          | Sun, 01 Mar 2026 12:00:30 GMT | 30
          retry-after          | Sun, 01 Mar 2026 11:00:00 GMT | 0
          retry-after-ms       | 1250                          | 1.25
          x-ms-retry-after-ms  | 644                           | 0.644
          x-rate-limit-reset-tokens | 55                       | 55
          """)
  void waitsInAHeaderOfTheirOwn(String name, String value, double seconds) {
    assertThat(header(Map.of(name, value))).isEqualTo(ofSeconds(seconds));
  }

  @ParameterizedTest
  @CsvSource({
    "retry-after, 'Sun, 01 Mar 2026 17:00:30 GMT'",
    "retry-after, 2026-03-01T17:00:30Z",
    "anthropic-ratelimit-requests-reset, 2026-03-01T17:00:30Z",
    "x-ratelimit-reset, 1772384430"
  })
  void datesAreMeasuredAgainstTheClockOfWhoWroteThem(String name, String value) {
    var headers =
        Map.of(
            "date",
            "Sun, 01 Mar 2026 17:00:00 GMT",
            name,
            value,
            "anthropic-ratelimit-requests-remaining",
            "0",
            "x-ratelimit-remaining",
            "0");
    var facts = new Facts(null, Facts.Where.HTTP, 429, new Headers(headers), null, null, null);
    assertThat(Evidence.of(facts, NOW).retryAfter())
        .as("this clock is five hours behind")
        .isEqualTo(Duration.ofSeconds(30));
    assertThat(Evidence.of(facts, NOW.plus(Duration.ofHours(10))).retryAfter())
        .as("this clock is five hours ahead")
        .isEqualTo(Duration.ofSeconds(30));
    assertThat(Evidence.of(facts, Instant.parse("2026-03-01T17:00:00.800Z")).retryAfter())
        .as("to the second, no clock is ahead of another")
        .isCloseTo(Duration.ofMillis(29_200), Duration.ofMillis(1));
  }

  @Test
  void millisecondsAreMoreExactThanSeconds() {
    assertThat(header(Map.of("Retry-After", "2", "retry-after-ms", "1300")))
        .isEqualTo(Duration.ofMillis(1300));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-5", "1e9", "NaN", "99999999999999999999999999", "1.2.3"})
  void whatCannotBeReadIsNoHint(String value) {
    assertThat(header(Map.of("retry-after", value))).isNull();
  }

  @Test
  void resetsCountWhereNothingRemains() {
    assertThat(
            header(
                Map.of(
                    "x-ratelimit-remaining-tokens", "0",
                    "x-ratelimit-reset-tokens", "6m0s",
                    "x-ratelimit-remaining-requests", "12",
                    "x-ratelimit-reset-requests", "8h")))
        .isEqualTo(Duration.ofMinutes(6));
    assertThat(
            header(
                Map.of(
                    "x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "12ms")))
        .isEqualTo(Duration.ofMillis(12));
    assertThat(
            header(
                Map.of(
                    "anthropic-ratelimit-input-tokens-remaining", "0",
                    "anthropic-ratelimit-input-tokens-reset", "2026-03-01T12:00:42Z")))
        .isEqualTo(Duration.ofSeconds(42));
    assertThat(header(Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", "1772366460")))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(header(Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", "1772366460000")))
        .isEqualTo(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Please try again in 6m0s.                                      | 360
          Limit 100000, Used 97050. Please try again in 9m38.016s. Need  | 578.016
          Please try again in 644ms                                      | 0.644
          Please retry in 12.3s                                          | 12.3
          Please retry in 25.465784708s.                                 | 25.465784708
          Please retry after 26 seconds                                  | 26
          Your quota will reset after 8h44m7s.                           | 31447
          Please wait 5631 seconds before retrying.                      | 5631
          Upgrade to Pro or try again in 5 days 22 hours 11 minutes.     | 511860
          please try again after 1 seconds                               | 1
          try again in about 2 minutes                                   | 120
          Rate limit exceeded for model; try again in about an hour.     | 3600
          请求过于频繁，请在30秒后重试                                       | 30
          Try again in 1 hour and 5 minutes.                             | 3900
          Rate limited. Retry after 30.                                  | 30
          No deployments available, try again in 60 seconds. Passed      | 60
          , retry_delay { seconds: 39 } ]                                | 39
          """)
  void waitsInProse(String text, double seconds) {
    assertThat(RetryHints.inProse(text, NOW)).isEqualTo(ofSeconds(seconds));
  }

  @Test
  void datesInProse() {
    assertThat(RetryHints.inProse("Your limit will reset at 2026-03-01T12:10:00Z.", NOW))
        .isEqualTo(Duration.ofMinutes(10));
    assertThat(RetryHints.inProse("You will regain access on 2026-03-02 at 00:00 UTC.", NOW))
        .isEqualTo(Duration.ofHours(12));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Please try again later.",
        "try again in a few minutes",
        "Please wait before retrying",
        "retry after you have topped up",
        "Retrying f in 4.0 seconds as it raised RateLimitError: slow",
        "try again in 3 requests",
        "Please retry in the 2026-01 API version"
      })
  void wordsWithoutAWait(String text) {
    assertThat(RetryHints.inProse(text, NOW)).isNull();
  }

  @Test
  void lettersThatGrowWhenTheyAreMadeSmallMoveNothing() {
    var turkish = "İ".repeat(40);
    assertThat(RetryHints.inProse(turkish + " try again at 12", NOW)).isNull();
    assertThat(RetryHints.inProse(turkish + " Try again at 2026-03-01T12:10:00Z.", NOW))
        .isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void aWaitOfCenturiesIsNoHintInAField() {
    var body = "{\"error\":{\"message\":\"x\",\"retry_after\":\"about 900000000 s\"}}";
    var facts = new Facts(null, Facts.Where.HTTP, 429, Headers.none(), body, null, null);
    assertThat(Evidence.of(facts, NOW).retryAfter()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}} | 34
          {"error":{"details":[{"retryDelay":{"seconds":7}}]}}                        | 7
          {"error":"Model is currently loading","estimated_time":20.5}                | 20.5
          {"error":{"message":"x","retry_after":3}}                                   | 3
          {"error":{"message":"x","availability":{"retry_after":9}}}                  | 9
          {"error":{"type":"usage_limit_reached","resets_in_seconds":602705}}         | 602705
          {"error":{"type":"usage_limit_reached","resets_at":1772366460}}             | 60
          {"error":{"message":"x","retry_after_ms":"1200"}}                           | 1.2
          {"error":{"message":"x","resets_at":"1772366460"}}                          | 60
          {"error":{"message":"x","resets_at":"2026-03-01T12:00:42Z"}}                | 42
          """)
  void waitsInAFieldOfTheError(String body, double seconds) {
    var facts = new Facts(null, Facts.Where.HTTP, 429, Headers.none(), body, null, null);
    assertThat(Evidence.of(facts, NOW).retryAfter()).isEqualTo(ofSeconds(seconds));
  }

  private static @Nullable Duration header(Map<String, String> headers) {
    return RetryHints.fromHeaders(new Headers(headers), NOW);
  }

  private static Duration ofSeconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
